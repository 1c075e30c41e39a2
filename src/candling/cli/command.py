"""What every command has: --quiet, and defaults from candling.toml unless --no-config is set."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from candling.cli import config
from candling.present.terminal import output

NO_CONFIG = "--no-config"
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
_COMMON = {"quiet": Quiet, "no_config": NoConfig}


class Command(TyperCommand):
    """A command whose default values come from candling.toml."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, with the file's settings as defaults for the parameters of the same name."""
        known = {_key(parameter): parameter.name for parameter in self.params}
        if ctx.parent is not None and ctx.parent.command.name == "ledger":
            known.pop("dataset", None)  # the owner must name the dataset of a new or raised budget
        if self.name == "verify" and ctx.parent is ctx.find_root():
            known.pop("ledger", None)  # a ledger that is trusted must be named with the card
        ignored = NO_CONFIG in args or ctx.find_root().params.get("no_config")
        # `--help` and `explain` must work even if the file is wrong.
        if config.KEYS & known.keys() and not (
            ignored or ctx.resilient_parsing or _only_help(args)
        ):
            settings = config.settings()
            ctx.default_map = {known[key]: settings[key] for key in settings if key in known}
        return super().parse_args(ctx, args)


def add(app: typer.Typer, function: Callable[..., None], name: str | None = None) -> None:
    """Make `function` a command of `app`, with what every command has."""
    app.command(name, cls=Command, help=_filled(function))(_with_common(function))


def standalone(function: Callable[..., None]) -> Any:
    """`function` as a command outside of any app."""
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    add(app, function)
    return typer.main.get_command(app)


def _with_common(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def run(*args: Any, quiet: bool = False, no_config: bool = False, **options: Any) -> None:  # noqa: ARG001 - parse_args used it
        with output.remarks(shown=not quiet):
            function(*args, **options)

    signature = inspect.signature(function)
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in _COMMON.items()
    ]
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), *common]
    )
    run.__annotations__ = {**function.__annotations__, **_COMMON}
    return run


def _filled(function: Callable[..., None]) -> str:
    """The docstring with each paragraph on one line, for the terminal to wrap."""
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def _key(parameter: Any) -> str:
    """The name of a parameter in the file: its long option, or its own name."""
    long = [option for option in parameter.opts if option.startswith("--")]
    return (long[0][2:] if long else str(parameter.name)).replace("-", "_")


def _only_help(args: list[str]) -> bool:
    return "--help" in args or "-h" in args
