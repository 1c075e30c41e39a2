"""What the exit codes mean; the format of the output never changes them."""

GATE_FAILED = 1
NOT_GENUINE = 1
CALLERS_MISTAKE = 2
BUDGET_REFUSED = 3
CANNOT_TELL = 4
OUR_BUG = 70  # EX_SOFTWARE: never mistaken for an answer
NOT_WRITTEN = 74  # EX_IOERR
INTERRUPTED = 130
PIPE_CLOSED = 141
