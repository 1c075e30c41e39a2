"""A pipeline that fails, passes and cannot tell, as the services for pipelines see it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests import junit
from tests.cli.conftest import Result, Run

COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION", "BITBUCKET_COMMIT", "CIRCLE_SHA1")
ROWS = 1000


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*COMMITS, "BUILDKITE_COMMIT", "GIT_COMMIT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """A thousand rows, of which a hundred are one of two that disagree."""
    path = tmp_path / "visits.csv"
    rows = [f"{i},{i},a" for i in range(ROWS - 100)]
    rows += [f"{ROWS + 2 * i + half},z{i},{'ab'[half]}" for i in range(50) for half in range(2)]
    path.write_text("Id,Zip,City\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def zips(tmp_path: Path) -> Path:
    path = tmp_path / "zips.txt"
    path.write_text("# what should hold\n\nzip-city: Zip -> City\nvisit: key(Id)\n")
    return path


# The true share of rows to delete is 5%. Under two rules a release knows it up to a factor of two.
GATES = {
    "pass": ("repair/rows > 20%", 0, "passed"),
    "fail": ("repair/rows > 2%", 1, "failure"),
    "cannot tell": ("repair/rows > 5%", 4, "error"),
}


@pytest.mark.parametrize("outcome", GATES)
def test_a_release_that_passes_fails_or_cannot_tell(
    run: Run, visits: Path, zips: Path, outcome: str, without_noise: None
) -> None:
    gate, code, reported = GATES[outcome]
    call = ["release", visits, zips, "--epsilon", "1", "--fail-if", gate]
    result = run(*call, "--format", "junit")
    assert result.code == code
    suite = junit.read(result.out)
    assert suite.name == "candling release"
    assert suite.outcomes == {gate: reported}
    assert "Epsilon 1 was spent" in suite.properties["budget"]
    as_json = run(*call, "--json")
    assert as_json.code == code
    (verdict,) = json.loads(as_json.out)["gates"]
    assert verdict["outcome"] == outcome


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("repair/rows > 5%", 0),
        ("repair/rows >= 5%", 1),
        ("grade < 95%", 0),
        ("grade < 95.01%", 1),
        ("zip-city > 49", 1),
        ("zip-city > 50", 0),
        ("visit > 0", 0),
        ("maximal_consistent > 10,000", 0),
    ],
)
def test_an_exact_check_decides_and_spends_nothing(
    run: Run, visits: Path, zips: Path, gate: str, code: int
) -> None:
    result = run("exact", visits, zips, "--fail-if", gate, "--format", "junit")
    assert result.code == code
    suite = junit.read(result.out)
    assert suite.outcomes == {gate: "failure" if code else "passed"}
    assert suite.properties["private"].startswith("NOT PRIVATE")
    assert result.err.startswith("NOT PRIVATE")


def test_an_exact_number_that_is_missing_cannot_tell(run: Run, tmp_path: Path) -> None:
    """Three dependencies that cross, and no time to search."""
    table, rules = tmp_path / "t.csv", tmp_path / "r.txt"
    rows = [f"{i % 7},{i % 5},{i % 11},{i % 3}" for i in range(200)]
    table.write_text("A,B,C,D\n" + "\n".join(rows) + "\n")
    rules.write_text("A -> B\nC -> D\nB -> C\n")
    result = run("exact", table, rules, "--fail-if", "maximal_consistent > 5", "--format", "junit")
    assert result.code == 4
    assert junit.read(result.out).outcomes == {"maximal_consistent > 5": "error"}


def test_every_gate_is_a_case_and_one_failure_decides(
    run: Run, visits: Path, zips: Path, without_noise: None
) -> None:
    call = ["release", visits, zips, "--epsilon", "1", "--measures", "repair,rows,by_rule"]
    gates = [gate for gate, _, _ in GATES.values()]
    options = [word for gate in (*gates, "zip-city > 0") for word in ("--fail-if", gate)]
    result = run(*call, *options, "--format", "junit")
    assert result.code == 1
    outcomes = junit.read(result.out).outcomes
    assert list(outcomes.values()) == ["passed", "failure", "error", "failure"]
    shown = run(*call, *options)
    assert shown.code == 1
    assert "cannot tell  whether repair/rows is above 5%" in shown.out


def sarif(result: Result) -> list[dict[str, object]]:
    """The results of a SARIF log that has what the standard requires."""
    log = json.loads(result.out)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run_,) = log["runs"]
    driver = run_["tool"]["driver"]
    assert driver["name"] == "candling"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    results: list[dict[str, object]] = run_["results"]
    for found in run_["results"]:
        assert found["message"]["text"]
        assert ids[found["ruleIndex"]] == found["ruleId"]
        assert found["kind"] in ("pass", "fail", "open")
        assert (found["level"] == "none") == (found["kind"] != "fail")
        (place,) = found["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"]
        assert place["physicalLocation"]["region"]["startLine"] >= 1
    return results


def test_sarif_has_the_line_of_a_rule(
    run: Run, visits: Path, zips: Path, without_noise: None
) -> None:
    call = ["release", visits, zips, "--epsilon", "1", "--measures", "repair,rows,by_rule"]
    gates = [*(gate for gate, _, _ in GATES.values()), "visit > 40", "zip-city > 0"]
    options = [word for gate in gates for word in ("--fail-if", gate)]
    found = sarif(run(*call, *options, "--format", "sarif"))
    assert [f["kind"] for f in found] == ["pass", "fail", "open", "pass", "fail"]
    lines = [f["locations"][0]["physicalLocation"]["region"]["startLine"] for f in found]  # type: ignore[index]
    assert lines == [3, 3, 3, 4, 3]


def test_reports_of_rules(run: Run, zips: Path) -> None:
    fine = run("check", zips, "--format", "junit")
    assert (fine.code, junit.read(fine.out).outcomes) == (
        0,
        {"zip-city": "passed", "visit": "passed"},
    )
    assert sarif(run("check", zips, "--format", "sarif")) == []
    zips.write_text("Zip -> City\nZip -> -> City\nZip -> City\n")
    wrong = run("check", zips, "--format", "junit")
    assert wrong.code == 2
    assert list(junit.read(wrong.out).outcomes.values()) == ["failure"]
    (problem,) = sarif(run("check", zips, "--format", "sarif"))
    assert problem["level"] == "error"
    assert str(problem["ruleId"]).startswith("R")
    zips.write_text("Zip -> City\nZip -> City\n")
    (doubt,) = sarif(run("check", zips, "--format", "sarif"))
    assert doubt["level"] == "warning"
    assert run("check", zips, "--format", "sarif").code == 0


def test_a_comparison_as_a_report(run: Run, visits: Path, zips: Path, tmp_path: Path) -> None:
    call = ["release", visits, zips, "--epsilon", "1", "--json"]
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(run(*call).out)
    both = [tmp_path / "a.json", tmp_path / "b.json"]
    result = run("compare", *both, "--fail-if-worse", "--format", "junit")
    (outcome,) = junit.read(result.out).outcomes.values()
    assert (result.code, outcome) == (4, "error")
    assert run("compare", *both, "--format", "csv").code == 2


def test_a_report_needs_a_gate_before_anything_is_charged(
    run: Run, visits: Path, zips: Path
) -> None:
    for command in (["release", visits, zips, "--epsilon", "1"], ["exact", visits, zips]):
        result = run(*command, "--format", "junit")
        assert (result.code, result.err[:11]) == (2, "error U308:")


@pytest.mark.parametrize(
    ("gate", "answer"),
    [
        ("zip-city > 0", ("U303", "by_rule")),
        ("zipcity > 0", ("U302", "did you mean `zip-city`?")),
        ("max_degree > 0", ("U303", "`candling exact` only")),
    ],
)
def test_a_gate_that_a_release_cannot_judge(
    run: Run, visits: Path, zips: Path, gate: str, answer: tuple[str, str]
) -> None:
    code, words = answer
    result = run("release", visits, zips, "--epsilon", "1", "--fail-if", gate)
    assert result.code == 2
    assert result.err.startswith(f"error {code}: ")
    assert words in result.err


def test_names_of_others_break_no_report(run: Run, visits: Path, tmp_path: Path) -> None:
    rules = tmp_path / "<evil> & \x1b[31m.txt"
    rules.write_text('"<b>]]>\'&": Zip -> City\n')
    gate = '"<b>]]>\'&" > 0'
    result = run("exact", visits, rules, "--fail-if", gate, "--format", "junit")
    assert result.code == 1
    assert "\x1b" not in result.out
    assert junit.read(result.out).outcomes == {gate: "failure"}
    sarif(run("exact", visits, rules, "--fail-if", gate, "--format", "sarif"))


# The request id of a pipeline


@pytest.fixture
def charged(run: Run, visits: Path, zips: Path, tmp_path: Path) -> list[str | Path]:
    ledger = tmp_path / "budget.ledger"
    assert run("ledger", "init", ledger, "--trial").code == 0
    assert run("ledger", "add", ledger, "--dataset", "visits", "--budget", "9").code == 0
    account: list[str | Path] = ["--ledger", ledger, "--dataset", "visits", "--request-id", "auto"]
    return ["release", visits, zips, "--json", *account]


def receipt(result: Result) -> dict[str, object]:
    assert result.code == 0, result.err
    found: dict[str, object] = json.loads(result.out)["receipt"]
    return found


def test_a_run_again_costs_nothing(
    run: Run, charged: list[str | Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_SHA", "0123456789abcdef" * 2)
    version = ["--table-version", "2026-11-16"]
    first = receipt(run(*charged, "--epsilon", "1", *version))
    again = receipt(run(*charged, "--epsilon", "1", *version))
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert again["spent"] == 1
    assert str(first["request_id"]).startswith("0123456789ab/2026-11-16/")
    # Another load, another commit and another request are others, and none is refused.
    other = receipt(run(*charged, "--epsilon", "1", "--table-version", "2026-11-17"))
    asked = receipt(run(*charged, "--epsilon", "0.5", *version))
    monkeypatch.delenv("GITHUB_SHA")
    monkeypatch.setenv("CI_COMMIT_SHA", "fedcba9876543210")
    commit = receipt(run(*charged, "--epsilon", "1", *version))
    assert len({str(r["request_id"]) for r in (first, other, asked, commit)}) == 4
    assert commit["spent"] == 3.5


def test_the_id_says_nothing_of_the_rows(
    run: Run, charged: list[str | Path], visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same name for the version gives the same id, whatever is in the table."""
    monkeypatch.setenv("GITHUB_SHA", "0123456789abcdef")
    call = [*charged, "--epsilon", "1", "--table-version", "7"]
    first = receipt(run(*call))
    visits.write_text("Id,Zip,City\n1,1,a\n")
    assert receipt(run(*call))["request_id"] == first["request_id"]


def test_the_commit_of_a_repository(
    run: Run, charged: list[str | Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    call = [*charged, "--epsilon", "1", "--table-version", "7"]
    none = run(*call)
    assert (none.code, none.err[:11]) == (2, "error U309:")
    person = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    for words in (["init", "-q"], [*person, "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *words], check=True, cwd=tmp_path)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True, cwd=tmp_path
    ).stdout
    assert str(receipt(run(*call))["request_id"]).startswith(f"{head[:12]}/7/")


@pytest.mark.parametrize(
    "options",
    [
        ["--request-id", "auto"],
        ["--request-id", "auto", "--table-version", " "],
        ["--request-id", "auto", "--table-version", "x" * 200],
        ["--request-id", "mine", "--table-version", "7"],
        ["--table-version", "7"],
    ],
)
def test_an_id_that_cannot_be_made(
    run: Run, visits: Path, zips: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_SHA", "0123456789abcdef")
    result = run("release", visits, zips, "--epsilon", "1", *options)
    assert (result.code, result.err[:11]) == (2, "error U309:")
