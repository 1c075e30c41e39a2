"""The `candling` command: one file per subcommand, and nothing heavy until one of them runs."""

import gc
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

RARELY = 100_000, 50, 50  # modules are no garbage, and a command makes little


def main(args: "Sequence[str] | None" = None) -> None:
    """Run the command line and exit; see `candling.cli.app.main`.

    While modules are loaded, Ctrl-C ends the process at once, as it ends most programs: an
    exception would come out of the middle of a module, as a traceback or as an ImportError of a
    library that then tries another way.
    """
    gc.set_threshold(*RARELY)
    usual = signal.getsignal(signal.SIGINT)
    ours = usual is signal.default_int_handler  # or else somebody decided otherwise, nohup say
    try:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # only the main thread may, and gets signals
        ours = False
    from candling.cli import app

    if ours:
        signal.signal(signal.SIGINT, usual)
    app.main(args)
