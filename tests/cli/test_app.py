from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import candling
from candling.cli import app, main
from tests.cli.conftest import Run

COMMANDS = ("check", "demo", "exact", "explain", "init", "ledger", "owner", "plan", "release")
HEAVY = (
    "duckdb",
    "highspy",
    "ibis",
    "jinja2",
    "lark",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "yaml",
)


def test_version(run: Run) -> None:
    result = run("--version")
    assert (result.code, result.out) == (0, f"candling {candling.__version__}\n")


def test_help_names_every_command(run: Run) -> None:
    result = run("--help")
    assert result.code == 0
    assert all(f" {command} " in result.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_has_help_with_examples(run: Run, command: str, flag: str) -> None:
    result = run(command, flag)
    assert result.code == 0
    assert "Examples" in result.out
    assert f"candling {command}" in result.out.split("Examples")[1]


def test_the_list_of_commands_loads_nothing_heavy() -> None:
    program = (
        "import sys, contextlib, candling.cli.app as app\n"
        "with contextlib.suppress(SystemExit): app.main(['--help'])\n"
        "print(*{m.split('.')[0] for m in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert " release " in done.stdout
    loaded = done.stderr.split()
    assert "candling" in loaded
    assert not set(HEAVY) & set(loaded)


@pytest.mark.parametrize("name", app.COMMANDS)
def test_the_list_of_commands_has_the_first_line_of_each_help(name: str) -> None:
    commands = typer.main.get_command(app.app)
    command = commands.get_command(typer.Context(commands), name)  # type: ignore[attr-defined]
    assert command.help.split("\n")[0] == app.COMMANDS[name]


def test_a_command_runs_after_a_list_of_them(run: Run) -> None:
    assert run("--help").code == 0
    assert "D101" in run("explain", "D101").out


@pytest.mark.parametrize(
    "args", [(), ("nonsense",), ("exact",), ("exact", "a", "b", "c"), ("demo", "--rows", "x")]
)
def test_bad_usage_is_the_callers_mistake(run: Run, args: tuple[str, ...]) -> None:
    result = run(*args)
    assert result.code == 2
    assert "Traceback" not in result.out + result.err


def test_an_error_of_ours_is_one_message_and_no_traceback(run: Run, rules: Path) -> None:
    result = run("exact", rules.parent / "nothing.csv", rules)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("error D101: ")
    assert result.err.endswith("More: candling explain D101\n")
    assert "Traceback" not in result.err


def _fail(error: BaseException) -> object:
    def exact(*_: object, **__: object) -> None:
        raise error

    return exact


def test_a_bug_hides_what_the_exception_says(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candling, "exact", _fail(KeyError("a cell of the table")), raising=False)
    result = run("exact", people, rules)
    assert result.code == 70
    assert "(KeyError)" in result.err
    assert "cell" not in result.out + result.err


@pytest.mark.parametrize("how", ["option", "variable"])
def test_debug_shows_the_traceback(
    people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(candling, "exact", _fail(KeyError("a cell of the table")), raising=False)
    monkeypatch.setenv("CANDLING_DEBUG", "1" if how == "variable" else "0")
    args = ["exact", str(people), str(rules)]
    with pytest.raises(KeyError):
        main(["--debug", *args] if how == "option" else args)


def test_ctrl_c_is_quiet(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candling, "exact", _fail(KeyboardInterrupt()), raising=False)
    result = run("exact", people, rules)
    assert (result.code, result.out, result.err) == (130, "", "stopped\n")


STOP = """
import os, signal, sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Stop())
from candling.cli import main
main(sys.argv[2:])
"""


@pytest.mark.parametrize(
    ("module", "code", "err"),
    [
        ("candling.cli.app", -signal.SIGINT, ""),
        ("typer", -signal.SIGINT, ""),
        ("candling.releases", 130, "stopped\n"),
        ("lark", 130, "stopped\n"),
    ],
)
def test_ctrl_c_while_it_loads(rules: Path, module: str, code: int, err: str) -> None:
    command = [sys.executable, "-c", STOP, module, "plan", str(rules), "--epsilon", "1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (code, "", err)


@pytest.mark.parametrize("arg", ["nul\0byte", "half \ud800", "other encoding \udcff"])
def test_arguments_that_are_no_text(run: Run, arg: str) -> None:
    for args in ((arg,), ("check", arg), ("ledger", "init", arg), ("plan", f"--{arg}")):
        result = run(*args)
        assert (result.code, result.out) == (2, "")
        assert "U209" in result.err


def test_wrong_arguments_are_escaped(run: Run, rules: Path) -> None:
    odd = "\x1b[31m\u202ex"
    for args in (
        (odd,),
        ("plan", f"--{odd}"),
        ("plan", rules, odd),
        ("plan", rules, "--rows", odd),
    ):
        result = run(*args)
        assert result.code == 2
        assert result.err.replace("\n", "").isprintable()


@pytest.mark.parametrize("args", [("explain",), ("explain", "D101"), ("demo", "--rows", "50")])
def test_a_closed_pipe_is_quiet(args: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(
        [sys.executable, "-c", "from candling.cli import main; main()", *args],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (result.returncode, result.stderr) == (141, b"")


def test_the_quick_end_leaves_nothing_behind(people: Path, rules: Path, tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    for gate, code in (("grade < 0%", 0), ("grade >= 0%", 1)):
        result = subprocess.run(
            [
                *(sys.executable, "-c", "from candling.cli import main; main()"),
                *("release", people, rules, "--epsilon", "1", "--fail-if", gate, "--json"),
            ],
            env=os.environ | {"TMPDIR": str(spill)},
            capture_output=True,
            check=False,
        )
        assert result.returncode == code
        assert json.loads(result.stdout)
        assert not list(spill.iterdir())


def test_colour_only_where_it_is_wanted(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run("exact", people, rules).out
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in run("exact", people, rules).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in run("exact", people, rules).out


@pytest.mark.parametrize(("redirect", "code"), [(">/dev/full", 74), (">&-", 0), ("|true", 0)])
def test_output_that_goes_nowhere(people: Path, rules: Path, redirect: str, code: int) -> None:
    program = Path(sys.executable).with_name("candling")
    result = subprocess.run(
        f"{program} exact {people} {rules} {redirect}",
        shell=True,
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == code
    assert "bug" not in result.stderr


def test_every_command_has_json(run: Run, people: Path, rules: Path, tmp_path: Path) -> None:
    card, ledger = tmp_path / "card.json", tmp_path / "budget.ledger"
    calls: list[list[str | Path]] = [
        ["release", people, rules, "--epsilon", "1"],
        ["exact", people, rules],
        ["owner", "conflicts", people, rules],
        ["owner", "repair", people, rules],
        ["check", rules, people],
        ["plan", rules, "--epsilon", "1"],
        ["init", people, "--output", tmp_path / "new.txt"],
        ["demo", "--rows", "100"],
        ["explain", "D101"],
        ["explain"],
        ["explain", card],
        ["ledger", "init", ledger],
        ["ledger", "add", ledger, "--dataset", "people", "--budget", "1"],
        ["release", people, rules, "--epsilon", "1", "--ledger", ledger, "--dataset", "people"],
        ["ledger", "raise", ledger, "--dataset", "people", "--budget", "2", "--reason", "more"],
        ["ledger", "show", ledger],
        ["ledger", "verify", ledger, "--receipt", card],
        ["ledger", "export", ledger],
    ]
    assert {str(call[0]) for call in calls} == set(COMMANDS)
    for call in calls:
        result = run(*call, "--json")
        assert result.code == 0
        assert isinstance(json.loads(result.out), dict)
        if call[0] == "release":
            card.write_text(result.out)
