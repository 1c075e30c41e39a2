"""`candling verify` and `candling ledger key`, as a buyer and an owner use them."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest

import candling
from candling.ledger.signing import new_secret
from tests.cli.conftest import Run, check_golden
from tests.drawn_cards import drawn_card, noisy
from tests.postgres import Server
from tests.render.cards import line
from tests.render.shown import card_page


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return "budget.ledger"
    server: Server = request.getfixturevalue("postgres")
    return server.fresh()


@pytest.fixture
def card(
    run: Run, people: Path, rules: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """card.json, card.html and owner.key in the directory that we are in."""
    monkeypatch.chdir(people.parent)
    assert run("ledger", "init", place).code == 0
    run("ledger", "add", place, "--dataset", "people", "--budget", "2")
    Path("owner.key").write_text(run("ledger", "key", place).out)
    result = _release(run, place, "--report", "card.html")
    Path("card.json").write_text(result)
    return dict(json.loads(result))


def _release(run: Run, place: str, *options: str) -> str:
    asked = ["--measures", "rows,repair", "--request-id", "r", "--json"]
    command = ["release", "people.csv", "rules.txt", "--epsilon", "1", "--ledger", place]
    result = run(*command, "--dataset", "people", *asked, *options)
    assert result.code in (0, 4), result.err  # with a gate, noise decides
    return result.out


def forged(card: dict[str, Any], **changes: Any) -> str:
    """The file of a card with something else in it."""
    Path("forged.json").write_text(json.dumps(card | changes))
    return "forged.json"


def test_help(run: Run) -> None:
    result = run("verify", "--help")
    assert result.code == 0
    assert "candling verify card.json --key" in result.out.split("Examples")[1]


def test_the_key_of_a_ledger(run: Run, card: dict[str, Any], place: str) -> None:
    key = run("ledger", "key", place).out
    assert re.fullmatch(r"ed25519:[A-Za-z0-9+/]{43}=\n", key)
    assert key.strip() == card["signature"]["key"] == candling.open_ledger(place).public_key
    told = json.loads(run("ledger", "key", place, "--json").out)
    assert told == {"ledger": card["receipt"]["ledger"], "key": key.strip()}
    assert run("ledger", "key", "none.ledger").err.startswith("error L101: ")


@pytest.mark.parametrize("path", ["card.json", "card.html"])
def test_a_genuine_card(run: Run, card: dict[str, Any], place: str, path: str) -> None:
    key = card["signature"]["key"]
    for options in (["--key", "owner.key"], ["--key", key], ["--ledger", place]):
        result = run("verify", path, *options)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith(f"{path}: genuine\n")
        told = json.loads(run("verify", path, *options, "--json").out)
        assert (told["file"], told["good"], told["finding"]) == (path, True, "genuine")
        assert told["key"] == key
    alone = run("verify", path)
    assert alone.code == 0
    assert alone.out.startswith(f"{path}: intact\n")
    assert alone.out.endswith(f"Key: {key}\n")


def test_a_forged_number(run: Run, card: dict[str, Any], place: str) -> None:
    """The forgery that once passed."""
    path = forged(card, repair=card["repair"] | {"value": 12345})
    for options in (["--key", "owner.key"], ["--ledger", place], []):
        result = run("verify", path, *options)
        assert (result.code, result.err) == (1, "")
        assert result.out.startswith(f"{path}: altered\n")
        assert "Key" not in result.out
    result = run("ledger", "verify", place, "--receipt", path)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error L117: ")
    assert "'repair' was changed" in result.err
    told = json.loads(run("ledger", "verify", place, "--receipt", path, "--json").out)
    assert (told["sound"], told["code"], told["sequence"]) == (False, "L117", 4)
    assert run("ledger", "verify", place, "--receipt", "card.json").code == 0


def test_swapped_rules_a_stripped_signature_and_another_signer(
    run: Run, card: dict[str, Any], place: str
) -> None:
    bare = {name: part for name, part in card.items() if name != "signature"}
    drawn = drawn_card(repair=noisy(0), rows=noisy(9)).to_dict()
    lies = drawn | {"receipt": card["receipt"]}
    cases: list[tuple[str, dict[str, Any]]] = [
        ("altered", card | {"about": card["about"] | {"rules": [line("Zip -> Age")]}}),
        ("unsigned", bare),
        ("other key", lies | {"signature": new_secret().signature(lies)}),
    ]
    for finding, told in cases:
        for options in (["--key", "owner.key"], ["--ledger", place]):
            Path("forged.html").write_text(
                card_page(candling.Card.from_dict(told)), encoding="utf-8"
            )
            for path in (forged(told), "forged.html"):
                result = run("verify", path, *options)
                assert result.code == 1
                assert result.out.startswith(f"{path}: {finding}\n")
        assert run("ledger", "verify", place, "--receipt", "forged.json").code == 2


def test_what_was_stored_is_compared_too(run: Run, card: dict[str, Any], place: str) -> None:
    """Whoever has the secret can sign anything; the ledger still knows what it stored."""
    ledger = candling.open_ledger(place)
    with ledger.place.open_reader() as connection:
        secret = ledger._secret(connection)
    lies = {n: p for n, p in card.items() if n != "signature"}
    lies["rows"] = card["rows"] | {"note": "fine"}
    path = forged(lies, signature=secret.signature(lies))
    assert run("verify", path, "--key", "owner.key").code == 0
    result = run("verify", path, "--ledger", place)
    assert (result.code, result.out.splitlines()[0]) == (1, f"{path}: not stored")
    assert "'rows' was changed" in result.out


def test_a_card_shown_again_and_one_with_gates(run: Run, card: dict[str, Any], place: str) -> None:
    again = _release(run, place, "--fail-if", "rows < 1", "--report", "again.html")
    Path("again.json").write_text(again)
    told = json.loads(again)
    assert told["receipt"]["repeated"]
    assert told["gates"][0]["outcome"] in ("pass", "cannot tell")
    for path in ("again.json", "again.html"):
        assert run("verify", path, "--ledger", place).code == 0
    assert run("ledger", "verify", place, "--receipt", "again.json").code == 0
    assert run("verify", forged(told, gates=[]), "--key", "owner.key").code == 1
    other = [told["gates"][0] | {"gate": "rows < 2"}]
    assert run("verify", forged(told, gates=other), "--key", "owner.key").code == 1
    assert run("ledger", "verify", place, "--receipt", "forged.json").code == 2
    assert run("explain", "again.json").code == 0
    assert run("compare", "card.json", "again.json").code == 0
    for content in (told, card):  # what is read back is what was signed, gates and all
        assert candling.Card.from_dict(content).to_dict() == content


@pytest.mark.usefixtures("card")
def test_gates_that_cannot_be_signed_lose_nothing(
    run: Run, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise candling.LedgerError("Gone.", code="L114")

    monkeypatch.setattr(candling.Ledger, "sign", fail)
    command = ["release", "people.csv", "rules.txt", "--epsilon", "0.5", "--ledger", place]
    command += ["--dataset", "people", "--measures", "rows", "--request-id", "s", "--json"]
    result = run(*command, "--fail-if", "rows < 1")
    assert (result.code, result.out) == (2, "")
    assert "--request-id s shows it again, for free" in result.err
    assert run(*command).code == 0


@pytest.mark.parametrize("path", ["card.json", "card.html"])
def test_a_page_written_anew(run: Run, card: dict[str, Any], path: str) -> None:
    result = run("verify", path, "--key", "owner.key", "--report", "new.html")
    assert (result.code, result.err) == (0, "Wrote new.html, from the card that was signed.\n")
    assert Path("new.html").read_bytes() == Path("card.html").read_bytes()
    assert run("verify", path, "--report", "new.html").err.startswith("error U104: ")


def test_an_altered_page_can_be_replaced_and_an_altered_card_not(
    run: Run, card: dict[str, Any]
) -> None:
    page = Path("card.html").read_text(encoding="utf-8")
    Path("card.html").write_text(page.replace("Data quality", "Best quality"), encoding="utf-8")
    result = run("verify", "card.html", "--key", "owner.key", "--report", "new.html")
    assert (result.code, result.out.splitlines()[0]) == (1, "card.html: altered")
    assert Path("new.html").read_text(encoding="utf-8") == page
    result = run("verify", forged(card, epsilon=9), "--key", "owner.key", "--report", "no.html")
    assert result.code == 1
    assert not Path("no.html").exists()


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["none.json"], "U106"),
        (["rules.txt"], "U106"),
        (["people.csv"], "U106"),
        (["."], "U106"),
        (["card.json", "--key", "ed25519:short"], "U306"),
        (["card.json", "--key", "none.key"], "U306"),
        (["card.json", "--key", "card.json"], "U306"),
        (["card.json", "--key", "owner.key", "--ledger", "budget.ledger"], "U306"),
        (["card.json", "--ledger", "none.ledger"], "L101"),
        (["card.json", "--report", "people.csv"], "U104"),
    ],
)
def test_mistakes(run: Run, args: list[str], code: str) -> None:
    for options in ([], ["--json"]):
        result = run("verify", *args, *options)
        assert (result.code, result.out, result.err[:12]) == (2, "", f"error {code}: ")


def test_a_configuration_does_not_choose_whom_to_trust(run: Run, card: dict[str, Any]) -> None:
    Path("candling.toml").write_text('ledger = "none.ledger"\n')
    assert run("verify", "card.json").out.startswith("card.json: intact")
    assert run("verify", "card.json", "--key", "owner.key").code == 0
    assert "error L101: " in run("ledger", "key").err


@pytest.mark.usefixtures("people", "rules")
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_output(run: Run, people: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """What each finding looks like; CANDLING_UPDATE_GOLDEN=1 writes the files again."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(people.parent)
    for name in ("budget", "other"):
        run("ledger", "init", f"{name}.ledger")
        run("ledger", "add", f"{name}.ledger", "--dataset", "people", "--budget", "2")
    Path("owner.key").write_text(run("ledger", "key", "budget.ledger").out)
    Path("other.key").write_text(run("ledger", "key", "other.ledger").out)
    text = _release(run, "budget.ledger", "--report", "card.html")
    card = json.loads(text)
    bare = {name: part for name, part in card.items() if name != "signature"}
    page = Path("card.html").read_text(encoding="utf-8")
    files = {
        "card.json": text,
        "forged.json": text.replace('"rows": 1', '"rows": 2'),
        "bare.json": json.dumps(bare),
        "rewritten.json": text.replace("1.0", "1.00"),
        "bare.html": card_page(candling.Card.from_dict(bare)),
        "altered.html": page.replace("Data quality", "Best quality"),
        "old.html": page.replace(f"candling {candling.__version__}", "candling 0.0.9"),
    }
    for name, content in files.items():
        Path(name).write_text(content, encoding="utf-8")
    commands = [
        ["card.json", "--key", "owner.key"],
        ["card.json", "--ledger", "budget.ledger"],
        ["card.json"],
        ["card.json", "--key", "other.key"],
        *([name, "--key", "owner.key"] for name in list(files)[1:]),
    ]
    told = []
    for command in commands:
        result = run("verify", *command)
        told.append(f"$ candling verify {' '.join(command)}\n{result.out}[{result.code}]\n")
    shown = re.sub(r"ed25519:\S{44}", "ed25519:" + 44 * "K", "\n".join(told))
    check_golden("verify", shown.replace(candling.__version__, "VERSION"), columns=columns)


# The secret


@pytest.mark.usefixtures("card")
def test_nothing_shows_the_secret(run: Run, place: str) -> None:
    ledger = candling.open_ledger(place)
    with ledger.place.open_reader() as connection:
        secret = ledger._secret(connection).text
    shown = [
        run("ledger", command, place, *options)
        for command in ("show", "verify", "export", "key")
        for options in ([], ["--json"])
    ]
    with ledger.place.open_writer() as connection:
        connection.execute("update candling_meta set public_key = 'ed25519:no'")
    shown += [run("ledger", "verify", place), run("verify", "card.json", "--ledger", place)]
    assert [s.code for s in shown] == [0] * 8 + [2, 2]  # what is not a key makes no ledger
    for text in (*(s.out + s.err for s in shown), *(p.read_text() for p in Path().glob("card.*"))):
        assert secret not in text
    assert repr(ledger).count("ed25519:") == 1
    if place == "budget.ledger":
        assert secret in Path(place).read_bytes().decode("latin-1")
        for path in Path().glob("budget.ledger*"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
