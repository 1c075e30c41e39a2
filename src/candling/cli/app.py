"""The commands in one app, and the exit code when one of them fails."""

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from candling._version import __version__
from candling.cli import (
    BUDGET_REFUSED,
    CALLERS_MISTAKE,
    INTERRUPTED,
    NOT_WRITTEN,
    OUR_BUG,
    PIPE_CLOSED,
    command,
)
from candling.errors import BudgetError, CandlingError, UsageError
from candling.escaping import lines_for_terminal
from candling.render import terminal as output
from candling.render.wording import cut
from candling.system.files import FULL

_LONGEST = 100  # characters of an argument that a message shows
COMMANDS = (
    *("demo", "init", "import", "check", "plan", "release", "compare", "verify", "exact"),
    *("suggest", "owner", "ledger", "explain"),
)
_MODULES = {"import": "import_rules"}  # where the command's name cannot be that of a function
ADDED = "candling.commands"  # entry points of packages that add a command


class _Commands(TyperGroup):
    """Our commands and those of packages that add some, such as `candling reproduce`.

    Each is loaded when it is asked for. Gives the usual exit codes when the user or a closed pipe
    stops a command.
    """

    def __init__(self, **settings: Any) -> None:
        names: dict[str, Any] = dict.fromkeys(COMMANDS)  # for lists, and for "Did you mean"
        super().__init__(**{**settings, "commands": names})

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, ours first."""
        return [*super().list_commands(ctx), *(name for name, _ in _list_added())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - Click's signature
        """A command by its name, which is that of its module; None if there is none."""
        if cmd_name in COMMANDS:
            name = _MODULES.get(cmd_name, cmd_name)
            module = import_module(f"candling.cli.{name}")
            if hasattr(module, "app"):  # commands of its own
                return typer.main.get_command(module.app)
            return command.standalone(getattr(module, name))
        added = dict(_list_added()).get(cmd_name)
        return None if added is None else command.standalone(added())

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse what stands before the command."""
        with _stoppable():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with _stoppable():
                result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            _discard_output()
            output.notes(error)
            raise typer.Exit(PIPE_CLOSED) from None
        except OSError as error:
            if error.errno not in FULL:
                raise
            _discard_output()
            output.note(f"the output cannot be written: {(error.strerror or '').lower()}")
            output.notes(error)
            raise typer.Exit(NOT_WRITTEN) from None
        return result


def _list_added() -> list[tuple[str, Callable[[], Any]]]:
    """The commands of other packages: the name of each, and what loads it."""
    from importlib.metadata import entry_points  # takes a while to load

    return [(point.name, point.load) for point in entry_points(group=ADDED)]


@contextmanager
def _stoppable() -> Iterator[None]:
    """A context that ends as the user expects when it is stopped, or when arguments are wrong."""
    try:
        yield
    except KeyboardInterrupt as stop:
        output.note("stopped")
        output.notes(stop)
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        # Click's own errors quote arguments, which may hold anything. Typer has Click or a copy.
        if hasattr(error, "format_message"):
            message = lines_for_terminal(error.format_message())
            vars(error)["format_message"] = lambda: message
        raise


app = typer.Typer(
    cls=_Commands,
    name="candling",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Grade how inconsistent a private table is, by the rules that should hold in it.\n\n"
    "Start with [bold]candling demo[/bold].",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"candling {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks, which may hold values of the table.")
    ] = False,
    config: command.Config = None,  # noqa: ARG001 - each command looks at it
    no_config: command.NoConfig = False,  # noqa: ARG001 - the same
) -> None:
    if debug:
        os.environ["CANDLING_DEBUG"] = "1"


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    0 fine, 1 a gate failed or a card is not genuine, 2 the caller's mistake, 3 the budget refused,
    4 a gate cannot tell, 70 our bug; further up what the system's own programs use.
    """
    if sys.stdout is None:  # the caller closed it and wants no output
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a name that the terminal cannot show is not a bug
            stream.reconfigure(errors="backslashreplace")
    try:
        _check_arguments(sys.argv[1:] if args is None else args)
        app(args=args, prog_name="candling")
    except CandlingError as error:
        output.error(error)
        sys.exit(BUDGET_REFUSED if isinstance(error, BudgetError) else CALLERS_MISTAKE)
    except Exception as error:
        if os.environ.get("CANDLING_DEBUG", "") not in ("", "0"):
            raise
        output.bug(error)
        sys.exit(OUR_BUG)


def _check_arguments(args: Sequence[str]) -> None:
    """Raise for arguments that are no text, as the name of a file in another encoding is not."""
    for arg in args:
        if "\0" in arg or any("\ud800" <= character <= "\udfff" for character in arg):
            shown = cut(arg, _LONGEST)
            message = f"The argument {shown!r} is not text in UTF-8. Rename what it stands for."
            raise UsageError(message, code="U209")


def _discard_output() -> None:
    """Discard what is still buffered for a closed pipe, so that exiting prints no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
