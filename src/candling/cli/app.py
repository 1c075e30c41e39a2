"""The commands in one app, and the exit code when one of them fails.

Every command has --quiet, and takes defaults from candling.toml (--config, --no-config).
"""

import functools
import inspect
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from candling._version import __version__
from candling.cli import (
    BUDGET_REFUSED,
    CALLERS_MISTAKE,
    INTERRUPTED,
    NOT_WRITTEN,
    OUR_BUG,
    PIPE_CLOSED,
    config,
)
from candling.cli.options import READING, make_reading
from candling.errors import BudgetError, CandlingError, UsageError
from candling.escaping import lines_for_terminal
from candling.render import terminal as output
from candling.render.wording import cut
from candling.system.files import FULL, hide_secrets
from candling.system.process import require_address_space, signal_received

_LONGEST = 100  # characters of an argument that a message shows
# With the first line of its help each, so that a list of them loads none.
COMMANDS = {
    "demo": "Make up a hospital table with planted errors, and grade it.",
    "start": "Answer a few questions, and get the commands for a first release.",
    "init": "Write a rules file with an example of each kind of rule, using the names of your "
    "columns.",
    "import": "Write a rules file from the tests and constraints that you already have elsewhere.",
    "check": "Validate and classify rules; with DATA, check them against its column names and "
    "types.",
    "plan": "Plan a release: what epsilon pays for, and how much noise it adds. Reads no data.",
    "release": "Release noisy measures under epsilon-differential privacy.",
    "compare": "Tell whether the quality changed from release A to release B, beyond noise.",
    "verify": "Check that a card is unchanged since its ledger signed it, to the last character.",
    "exact": "Compute the exact measures. [bold]Not private[/bold]: for the owner of the table "
    "only.",
    "suggest": "Propose rules that nearly hold. [bold]Not private[/bold]: for the owner of the "
    "table only.",
    "owner": "Show the rows in conflict, write a cleaned copy, or count cells that do not fit "
    "their type. [bold]Not private[/bold]: for the owner of the table only.",
    "ledger": "Keep and show the privacy budgets of the people in your datasets.",
    "explain": "Explain codes, words, or what each part of a release cost and means; alone, list "
    "them.",
}
_MODULES = {"import": "import_rules"}  # where the command's name cannot be that of a function
ADDED = "candling.commands"  # entry points of packages that add a command


NO_CONFIG = "--no-config"
CONFIG = "--config"
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print results and errors only, no progress and no remarks.",
        rich_help_panel="Always",
    ),
]
NoConfig = Annotated[
    bool,
    typer.Option(NO_CONFIG, help=f"Take no defaults from {config.NAME}.", rich_help_panel="Always"),
]
Config = Annotated[
    str | None,
    typer.Option(
        CONFIG,
        metavar="FILE",
        envvar=config.VARIABLE,
        help=f"Take defaults from this file, not from the nearest {config.NAME}.",
        rich_help_panel="Always",
        show_default=False,
    ),
]
_READING = "reading"  # a parameter that stands for the options in READING
_COMMON = {"quiet": (Quiet, False), "config": (Config, None), "no_config": (NoConfig, False)}


class Command(TyperCommand):
    """A command whose default values come from candling.toml."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, with the file's settings as defaults for the parameters of the same name."""
        known = {_key(parameter): str(parameter.name) for parameter in self.params}
        if ctx.parent is not None and ctx.parent.command.name == "ledger":
            known.pop("dataset", None)  # the owner must name the dataset of a new or raised budget
        if self.name == "verify" and ctx.parent is ctx.find_root():
            known.pop("ledger", None)  # a ledger that is trusted must be named with the card
        if ctx.info_name == "exact":
            known.pop("rows_per_person", None)  # it leaves rows out there: only if it is asked for
        if self.name in ("check", "compare"):
            known.pop("format", None)  # they know fewer
        if _find_value("--rule", args) is not None:
            known.pop("rules", None)  # the rules on the command line, and no others
        if ctx.info_name == "import":
            known.pop("format", None)  # that of a file, not of what is printed
        root = ctx.find_root().params
        ignored = NO_CONFIG in args or root.get("no_config")
        # `--help` and `explain` must work even if the file is wrong.
        if not config.KEYS & known.keys() or (ignored or ctx.resilient_parsing or _only_help(args)):
            return super().parse_args(ctx, args)
        named = _find_value(CONFIG, args) or root.get("config") or os.environ.get(config.VARIABLE)
        settings = config.settings(named or None)
        values = {key: value for key, value in settings.values.items() if key in known}
        ctx.default_map = {known[key]: value for key, value in values.items()}
        rest = super().parse_args(ctx, args)
        with output.remarks(shown=not ctx.params.get("quiet")):
            for notice in settings.notices:
                output.remark(notice)
            _say_where_from(settings, [k for k in values if _is_default(ctx, known[k])])
        return rest


def _say_where_from(settings: config.Settings, used: list[str]) -> None:
    """Whoever runs a command sees which file decides where it reads and what it charges."""
    if used and settings.path is not None:
        said = ", ".join(f"{key} = {hide_secrets(str(settings.values[key]))}" for key in used)
        output.remark(f"From {settings.path}: {said}")


def _is_default(ctx: Any, name: str) -> bool:
    """Whether neither the command line nor the environment overrides the file."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "DEFAULT_MAP"


def _find_value(option: str, args: list[str]) -> str | None:
    """The value of an option, before anything is parsed."""
    for position, arg in enumerate(args):
        if arg == "--":
            break
        if arg == option and position + 1 < len(args):
            return args[position + 1]
        if arg.startswith(f"{option}="):
            return arg.partition("=")[2]
    return None


def add_command(group: typer.Typer, function: Callable[..., None], name: str | None = None) -> None:
    """Make `function` a command of `group`, with what every command has."""
    group.command(name, cls=Command, help=_unwrap_paragraphs(function))(_with_common(function))


def _standalone(function: Callable[..., None]) -> Any:
    """`function` as a command outside of any app."""
    group = typer.Typer(add_completion=False, rich_markup_mode="rich")
    add_command(group, function)
    return typer.main.get_command(group)


def _with_common(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def run(
        *args: Any,
        quiet: bool = False,
        config: str | None = None,  # noqa: ARG001 - parse_args used it
        no_config: bool = False,  # noqa: ARG001 - the same
        **options: Any,
    ) -> None:
        if _READING in signature.parameters:
            how = {name: options.pop(name) for name in READING}
            options[_READING] = make_reading(**how)
        with output.remarks(shown=not quiet):
            function(*args, **options)

    signature = inspect.signature(function)
    more = (READING if _READING in signature.parameters else {}) | _COMMON
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in more.items()
    ]
    own = [p for name, p in signature.parameters.items() if name != _READING]
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*own, *added]
    )
    kinds = {name: kind for name, (kind, _) in more.items()}
    run.__annotations__ = {**function.__annotations__, **kinds}
    run.__annotations__.pop(_READING, None)
    return run


def _unwrap_paragraphs(function: Callable[..., None]) -> str:
    """The docstring with each paragraph on one line, for the terminal to wrap."""
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def _key(parameter: Any) -> str:
    """The name of a parameter in the file: its long option, or its own name."""
    long = [option for option in parameter.opts if option.startswith("--")]
    return (long[0][2:] if long else str(parameter.name)).replace("-", "_")


def _only_help(args: list[str]) -> bool:
    return "--help" in args or "-h" in args


class _Commands(TyperGroup):
    """Our commands and those of packages that add some, such as `candling reproduce`.

    Each is loaded when it is asked for. Gives the usual exit codes when the user or a closed pipe
    stops a command.
    """

    def __init__(self, **settings: Any) -> None:
        names: dict[str, Any] = dict.fromkeys(COMMANDS)  # for lists, and for "Did you mean"
        super().__init__(**{**settings, "commands": names})

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """List the commands without loading them."""
        usual = self.commands
        self.commands = {name: TyperCommand(name, help=line) for name, line in COMMANDS.items()}
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = usual

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, ours first."""
        return [*super().list_commands(ctx), *_find_other_commands()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - Click's signature
        """A command by its name, which is that of its module; None if there is none."""
        if self.commands.get(cmd_name) is not None:
            return self.commands[cmd_name]
        if cmd_name in COMMANDS:
            name = _MODULES.get(cmd_name, cmd_name)
            module = import_module(f"candling.cli.{name}")
            if hasattr(module, "app"):  # commands of its own
                return typer.main.get_command(module.app)
            return _standalone(getattr(module, name))
        load = _find_other_commands().get(cmd_name)
        return None if load is None else _standalone(load())

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse what stands before the command."""
        with _stoppable():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with _stoppable():
                require_address_space()
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


@cache
def _find_other_commands() -> Mapping[str, Callable[[], Any]]:
    """What loads each command of another package, by its name."""
    from importlib.metadata import entry_points  # takes a while to load

    return {point.name: point.load for point in entry_points(group=ADDED)}


def _code_of_stop() -> int:
    number = signal_received()
    return INTERRUPTED if number is None else 128 + number


@contextmanager
def _stoppable() -> Iterator[None]:
    """A context that ends as the user expects when it is stopped, or when arguments are wrong."""
    try:
        yield
    except KeyboardInterrupt as stop:
        output.note("stopped")
        output.notes(stop)
        raise typer.Exit(_code_of_stop()) from None
    except Exception as error:
        # Click's own errors quote arguments, which may hold anything. Typer has Click or a copy.
        if _lacks(error, "epsilon"):
            raise UsageError(
                "A release needs an epsilon, the privacy that it spends: add --epsilon 1. "
                "`candling plan RULES --epsilon 1` shows how noisy that is, and `candling explain "
                "epsilon` what it means.",
                code="U201",
            ) from None
        if hasattr(error, "format_message"):
            message = lines_for_terminal(error.format_message())
            vars(error)["format_message"] = lambda: message
        raise


def _lacks(error: Exception, option: str) -> bool:
    """Whether an option that a command needs is missing."""
    missing = type(error).__name__ == "MissingParameter"
    return missing and getattr(getattr(error, "param", None), "name", None) == option


app = typer.Typer(
    cls=_Commands,
    name="candling",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Grade how inconsistent a private table is, by the rules that should hold in it.\n\n"
    "Start with [bold]candling demo[/bold], or with [bold]candling start[/bold] for your own "
    "table.",
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
    config: Config = None,  # noqa: ARG001 - each command looks at it
    no_config: NoConfig = False,  # noqa: ARG001 - the same
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
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - it ends the process
        _exit_by(error)


def _exit_by(error: BaseException) -> NoReturn:
    """Say why a command failed, and exit; what fails after a signal was stopped by it."""
    if isinstance(error, KeyboardInterrupt) or signal_received() is not None:
        output.note("stopped")
        output.notes(error)
        sys.exit(_code_of_stop())
    if isinstance(error, CandlingError):
        output.error(error)
        sys.exit(BUDGET_REFUSED if isinstance(error, BudgetError) else CALLERS_MISTAKE)
    if os.environ.get("CANDLING_DEBUG", "") not in ("", "0"):
        raise error
    output.bug(error)
    sys.exit(OUR_BUG)


def _check_arguments(args: Sequence[str]) -> None:
    """Raise for arguments that are no text, as the name of a file in another encoding is not."""
    for arg in args:
        if "\0" in arg or any("\ud800" <= character <= "\udfff" for character in arg):
            shown = cut(arg, _LONGEST)
            message = (
                f"The argument {shown!r} is not UTF-8 text. If it names a file, rename the file."
            )
            raise UsageError(message, code="U209")


def _discard_output() -> None:
    """Discard what is still buffered for a closed pipe, so that exiting prints no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
