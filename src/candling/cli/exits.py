"""The exit codes; they are the same for every output format."""

GATE_FAILED = 1
NOT_GENUINE = 1
CALLERS_MISTAKE = 2
BUDGET_REFUSED = 3
CANNOT_TELL = 4
OUR_BUG = 70  # EX_SOFTWARE: nobody takes it for a result
NOT_WRITTEN = 74  # EX_IOERR
INTERRUPTED = 130
PIPE_CLOSED = 141
