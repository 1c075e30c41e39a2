"""What every command has: --quiet, and defaults from candling.toml (--config, --no-config)."""

import functools
import inspect
import os
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from candling.cli import config
from candling.cli.options import READING, make_reading
from candling.render import terminal as output
from candling.system.files import hide_secrets

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
        if ctx.info_name == "import":
            known.pop("format", None)  # that of a file, not of what is printed
        root = ctx.find_root().params
        ignored = NO_CONFIG in args or root.get("no_config")
        # `--help` and `explain` must work even if the file is wrong.
        if not config.KEYS & known.keys() or (ignored or ctx.resilient_parsing or _only_help(args)):
            return super().parse_args(ctx, args)
        named = _value_of(CONFIG, args) or root.get("config") or os.environ.get(config.VARIABLE)
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


def _value_of(option: str, args: list[str]) -> str | None:
    """The value of an option, before anything is parsed."""
    for position, arg in enumerate(args):
        if arg == "--":
            break
        if arg == option and position + 1 < len(args):
            return args[position + 1]
        if arg.startswith(f"{option}="):
            return arg.partition("=")[2]
    return None


def add(app: typer.Typer, function: Callable[..., None], name: str | None = None) -> None:
    """Make `function` a command of `app`, with what every command has."""
    app.command(name, cls=Command, help=_unwrap_paragraphs(function))(_with_common(function))


def standalone(function: Callable[..., None]) -> Any:
    """`function` as a command outside of any app."""
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    add(app, function)
    return typer.main.get_command(app)


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
