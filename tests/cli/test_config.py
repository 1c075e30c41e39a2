from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from candling.cli import config
from tests.cli.conftest import Result, Run


@pytest.fixture
def project(tmp_path: Path, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a configuration at its top, and a directory below where we are."""
    below = tmp_path / "jobs" / "nightly"
    for folder in (tmp_path / ".git", tmp_path / "jobs", below):
        folder.mkdir()
        folder.chmod(0o755)
    monkeypatch.chdir(below)
    monkeypatch.delenv("CANDLING_CONFIG", raising=False)
    return tmp_path


def write(folder: Path, text: str) -> Path:
    path = folder / "candling.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)
    return path


def test_paths_are_seen_from_the_file(run: Run, project: Path, people: Path) -> None:
    write(project, 'rules = "rules.txt"\nformat = "json"\n')
    result = run("release", people, "--epsilon", "1", "--measures", "rows")
    assert result.code == 0
    assert list(json.loads(result.out)) == [
        "schema",
        "epsilon",
        "person",
        "grade",
        "rows",
        "about",
        "noise",
    ]
    assert run("check").code == 0


def test_the_command_line_wins(run: Run, project: Path, people: Path, rules: Path) -> None:
    write(project, 'rules = "other.txt"\nformat = "csv"\nrows_per_person = 3\n')
    asked = ["release", people, rules, "--epsilon", "1", "--measures", "rows", "--format", "json"]
    assert json.loads(run(*asked).out)["person"]["rows"] == 3
    assert json.loads(run(*asked, "--rows-per-person", "2").out)["person"]["rows"] == 2
    assert json.loads(run(*asked[:-2], "--json").out)


def test_it_can_be_left_aside(run: Run, project: Path, people: Path, rules: Path) -> None:
    write(project, "nonsense")
    asked = ["release", str(people), str(rules), "--epsilon", "1", "--measures", "rows"]
    assert run(*asked).code == 2
    assert run(*asked, "--no-config").code == 0
    assert run("--no-config", *asked).code == 0
    assert run("release", "--help").code == 0  # help helps whatever the file says
    assert run("explain", "U301").code == 0
    assert run("demo", "--rows", "50").code == 0


def test_a_ledger_and_its_dataset(run: Run, project: Path, people: Path) -> None:
    write(project, 'rules = "rules.txt"\nledger = "budget.ledger"\ndataset = "people"\n')
    assert run("ledger", "init").code == 0
    assert (project / "budget.ledger").exists()
    missing = run("ledger", "add", "--budget", "3")  # a budget is given to a dataset by its name
    assert missing.code == 2
    assert "--dataset" in missing.err
    assert run("ledger", "add", "--dataset", "people", "--budget", "3").code == 0
    card = json.loads(run("release", people, "--epsilon", "1", "--json").out)
    assert card["receipt"]["remaining"] == 2
    assert json.loads(run("ledger", "show", "--json").out)["datasets"]["people"]["charged"] == 1


def test_a_database_is_no_path(project: Path) -> None:
    write(project, 'ledger = "postgresql://owner@db.example.org/budgets"\n')
    named = config.settings(str(project / "candling.toml"))
    assert named.values == {"ledger": "postgresql://owner@db.example.org/budgets"}


def test_it_is_looked_for_up_to_the_repository(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert config.settings().path is None
    write(project, "")
    assert config.settings().path == project / "candling.toml"
    (project / "jobs" / ".git").mkdir()
    assert config.settings().path is None
    (project / "jobs" / ".git").rmdir()
    monkeypatch.setenv("HOME", str(project / "jobs"))
    assert config.settings().path is None
    write(project / "jobs" / "nightly", "")
    assert config.settings().path == project / "jobs" / "nightly" / "candling.toml"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a b", 1, "it is not TOML"),
        ('# ours\n\nledgr = "x"\n', 3, "unknown setting 'ledgr'; did you mean 'ledger'?"),
        ("colour = 1\n", 1, "unknown setting 'colour'; known are ledger, "),
        ("[release]\nmethod = 'one-draw'\n", 1, "unknown setting 'release'"),
        ("ledger = 3\n", 1, "'ledger' must be a string in quotes"),
        ("rows_per_person = true\n", 1, "'rows_per_person' must be a whole number"),
        ("max_rows = 1.5\n", 1, "'max_rows' must be a whole number"),
        ("method = 'one-draw'\n", 1, "unknown setting 'method'"),
        ("format = 'xml'\n", 1, "unknown format 'xml'"),
        ("\nepsilon = 1\n", 2, "'epsilon' is not allowed here: state it with every"),
        (b"\xff\xfe", None, "it cannot be read: it is not text in UTF-8"),
        ("ledger = 'a'\n\0", None, "it cannot be read: it is not text in UTF-8"),
        ("max_rows = " + "[" * 5000, None, "it is not TOML that holds settings"),
        ("max_rows = " + "9" * 5000, None, "it is not TOML that holds settings"),
        ("x" * 9000 + " = 1", 1, "unknown setting 'xxx"),
        ('dataset = "a\\u001b[31m"', 1, "'dataset' has characters that cannot be printed"),
        ("#" * 100_000, None, "it cannot be read: it is larger than"),
    ],
)
def test_mistakes(run: Run, project: Path, text: str | bytes, line: int | None, words: str) -> None:
    path = write(project, "")
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    result = run("plan", "rules.txt", "--epsilon", "1")
    assert (result.code, result.out) == (2, "")
    place = f"{path}:{line}" if line else str(path)
    assert result.err.startswith(f"error U301: {place}: {words}")


# Whose file it is

STRANGER = 54321
SERVER = 'engine = "postgresql://collector.example.org/x"\nrules = "rules.txt"\n'
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def plan(run: Run, *options: str | Path) -> Result:
    return run("plan", "--epsilon", "1", *options)


def test_what_is_taken_from_a_file_is_said(run: Run, project: Path, rules: Path) -> None:
    path = write(project, f'rules = "{rules}"\nrows_per_person = 2\nmemory = "1GB"\n')
    said = f"From {path}: rules = {rules}, rows_per_person = 2\n"  # plan needs no memory
    assert plan(run).err == said
    assert plan(run, "--rows-per-person", "3").err == f"From {path}: rules = {rules}\n"
    assert plan(run, "--quiet").err == ""
    assert plan(run, rules, "--no-config").err == ""
    assert plan(run, rules, "--rows-per-person", "3").err == ""


@pytest.mark.parametrize("mode", [0o666, 0o646, 0o602])
def test_a_file_that_everybody_may_write_to(run: Run, project: Path, mode: int) -> None:
    for folder in (project, project / "jobs" / "nightly"):
        path = write(folder, 'rules = "rules.txt"\n')
        path.chmod(mode)
        for options in ((), ("--config", path)):
            result = plan(run, *options)
            assert (result.code, result.out) == (2, "")
            assert "error U307" in result.err
            assert f"chmod go-w {path}" in result.err
            assert "--no-config" in result.err


def test_a_file_of_a_group(
    run: Run, project: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(project, f'rules = "{rules}"\n')
    path.chmod(0o664)
    monkeypatch.setattr("candling.cli.config._is_private_group", lambda _: False)
    result = plan(run)
    assert result.code == 2
    assert "a group of users can change it" in result.err
    assert plan(run, "--config", path).code == 0  # who names it knows the group
    monkeypatch.setattr("candling.cli.config._is_private_group", lambda _: True)
    assert plan(run).code == 0


@as_root
def test_a_group_is_private_if_its_owner_is_alone_in_it(tmp_path: Path) -> None:
    from candling.cli.config import _is_private_group

    path = write(tmp_path, "")
    assert _is_private_group(path.stat())  # root's
    os.chown(path, 0, STRANGER)
    assert not _is_private_group(path.stat())
    os.chown(path, STRANGER, 0)
    assert not _is_private_group(path.stat())


@as_root
def test_the_file_of_a_stranger(run: Run, project: Path, rules: Path) -> None:
    for folder in (project / "jobs" / "nightly", project):
        path = write(folder, f'rules = "{rules}"\n')
        os.chown(path, STRANGER, STRANGER)
        result = plan(run)
        assert (result.code, result.out) == (2, "")
        assert f"it belongs to the user with the number {STRANGER}" in result.err
        assert f"--config {path}" in result.err
        assert plan(run, "--config", path).code == 0
        assert plan(run, rules, "--no-config").code == 0
        path.unlink()


@as_root
def test_a_stranger_cannot_stop_who_works_below(
    run: Run, project: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in /tmp, say: it is passed over, and the search goes on."""
    path = write(project / "jobs", "nonsense")
    os.chown(path, STRANGER, STRANGER)
    (project / "jobs").chmod(0o1777)
    result = plan(run, rules)
    assert result.code == 0
    assert result.err == f"Ignored {path}: it belongs to the user with the number {STRANGER}.\n"
    above = write(project, f'rules = "{rules}"\n')
    assert f"From {above}" in plan(run).err
    path.unlink()
    os.mkfifo(path)
    os.chown(path, STRANGER, STRANGER)
    assert plan(run).code == 0
    monkeypatch.chdir(project / "jobs")
    assert plan(run, rules).code == 2  # here it would be obeyed, so it must be decided on


@as_root
def test_links_and_directories_of_strangers(run: Run, project: Path, rules: Path) -> None:
    mine = write(project / "jobs", f'rules = "{rules}"\n')
    link = project / "jobs" / "nightly" / "candling.toml"
    link.symlink_to(mine)
    assert plan(run).code == 0
    os.chown(link, STRANGER, STRANGER, follow_symlinks=False)
    assert "it belongs to" in plan(run).err
    link.unlink()
    assert plan(run).code == 0
    os.chown(project / "jobs", STRANGER, STRANGER)
    assert f"it is in '{project / 'jobs'}', which belongs to" in plan(run).err


def test_a_directory_that_everybody_may_write_to(run: Run, project: Path, rules: Path) -> None:
    write(project / "jobs", f'rules = "{rules}"\n')
    (project / "jobs").chmod(0o777)
    result = plan(run)
    assert result.code == 2
    assert f"chmod go-w {project / 'jobs'}" in result.err
    (project / "jobs").chmod(0o1777)
    assert plan(run).code == 0


def test_the_address_of_a_server(
    run: Run, project: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in (SERVER, 'ledger = "postgresql://collector.example.org/x"\n', "rules = '//x/y'"):
        path = write(project, text)
        result = run("check", rules)
        assert (result.code, result.out) == (2, "")
        assert "is the address of a server" in result.err
        assert f"--config {path}" in result.err
    write(project, SERVER)
    assert run("check", "--config", path).code == 0
    monkeypatch.setenv("CANDLING_CONFIG", str(path))
    assert "engine = postgresql://collector.example.org/x" in run("check").err
    monkeypatch.delenv("CANDLING_CONFIG")
    monkeypatch.chdir(project)
    assert run("check").code == 0


def test_what_is_no_ordinary_file(run: Run, project: Path, rules: Path) -> None:
    path = project / "jobs" / "candling.toml"
    os.mkfifo(path, 0o600)
    assert "it is not an ordinary file" in plan(run, rules).err
    path.unlink()
    path.symlink_to(path)
    assert "too many levels" in plan(run, rules).err
    path.unlink()
    path.symlink_to(project / "none")
    assert "no such file" in plan(run, rules).err
    path.unlink()
    path.mkdir()
    assert plan(run, rules).code == 0


@pytest.mark.parametrize(
    "name", ["none.toml", "nul\0byte", "x" * 300, ".", "\ud800", "~nosuchuser"]
)
def test_a_name_that_leads_nowhere(run: Run, project: Path, rules: Path, name: str) -> None:
    result = plan(run, rules, "--config", name)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(("error U301", "error U209"))


def test_a_user_who_does_not_exist(run: Run, project: Path, people: Path) -> None:
    write(project, 'rules = "~nosuchuser/rules.txt"\n')
    assert plan(run).code == 2


def test_without_a_home_or_a_directory(
    run: Run, project: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    monkeypatch.delenv("HOME", raising=False)
    assert plan(run, rules).code == 0
    gone = project / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert plan(run, rules).code == 0
