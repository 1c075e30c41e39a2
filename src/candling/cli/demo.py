"""`candling demo`: the main job on a made-up hospital table with planted errors.

The table is drawn from a seeded pseudo-random generator: the same seed gives the same table. The
rules hold exactly before the errors are planted.
"""

import csv
import random
import shlex
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import astuple, fields, replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import candling
from candling.cli import check, exact, options
from candling.records import dataclass
from candling.render import terminal as output
from candling.render.views import view_card
from candling.system.files import refused_with, write_text, write_whole
from candling.system.temporary import temporary_folder

if TYPE_CHECKING:
    from candling import Exact

RULES = """\
# What should hold in hospital.csv, one rule a line.

# A CSV file has no types: without these lines its columns are text. A cell that does not fit its
# type breaks a rule, too.
type Nights, Charge: number
type Admission, Discharge: date

# A key: no two rows share a visit number.
visit:      key(Visit)

# Functional dependencies: rows that agree on the left agree on the right.
provider:   Provider -> Hospital, Zip, Phone
zip-city:   Zip -> City, State
measure:    MeasureCode -> MeasureName

# A conditional dependency: Maryland sets one rate for all its hospitals.
md-rates:   MeasureCode, Nights -> Charge where State = 'MD'

# An order between rows: in one hospital a longer stay for the same reason never costs less.
longer:     not(t1.Provider = t2.Provider and t1.MeasureCode = t2.MeasureCode \
and t1.Nights > t2.Nights and t1.Charge < t2.Charge)

# A rule on single rows: no patient leaves before the admission.
dates:      not(t1.Discharge < t1.Admission)
"""

_TOWNS = (
    ("Baltimore", "MD", 21201, "410"),
    ("Annapolis", "MD", 21401, "410"),
    ("Frederick", "MD", 21701, "301"),
    ("Richmond", "VA", 23219, "804"),
    ("Norfolk", "VA", 23510, "757"),
    ("Roanoke", "VA", 24011, "540"),
    ("Philadelphia", "PA", 19107, "215"),
    ("Pittsburgh", "PA", 15219, "412"),
    ("Wilmington", "DE", 19801, "302"),
    ("Dover", "DE", 19901, "302"),
    ("Charleston", "WV", 25301, "304"),
    ("Wheeling", "WV", 26003, "304"),
)
_SAINTS = ("Agnes", "Brigid", "Columba", "Dunstan", "Elmo", "Florian", "Gall", "Hilda", "Ives")
_KINDS = ("Hospital", "Medical Center", "Clinic", "Infirmary", "Memorial")
_MEASURES = (
    ("AMI-1", "Aspirin at arrival", 2900),
    ("AMI-2", "Aspirin at discharge", 3100),
    ("HF-1", "Discharge instructions", 2400),
    ("HF-2", "Evaluation of heart function", 2700),
    ("PN-2", "Pneumococcal vaccination", 1300),
    ("PN-6", "Initial antibiotic selection", 2200),
    ("SCIP-1", "Antibiotic before incision", 5200),
    ("SCIP-3", "Antibiotic stopped in time", 4800),
)
_FIRST_VISIT, _FIRST_PATIENT = 500_001, 20_001
_MOST_VISITS = 40  # of one patient
_FIRST_DAY = date(2024, 1, 1)


@dataclass(frozen=True, slots=True)
class Visit:
    """One row of the table; the names of its columns are in `HEADER`."""

    visit: int
    patient: int
    provider: int
    hospital: str
    city: str
    state: str
    zip: int
    phone: str | None
    measure_code: str
    measure_name: str
    admission: date
    discharge: date
    nights: int
    birth_year: int
    charge: int


HEADER = tuple("".join(part.title() for part in f.name.split("_")) for f in fields(Visit))


@dataclass(frozen=True, slots=True)
class Planted:
    """A kind of error and the number of rows that have it."""

    what: str
    rows: int


@dataclass(frozen=True, slots=True)
class Hospital:
    """The made-up table before and after the errors were planted."""

    clean: tuple[Visit, ...]
    dirty: tuple[Visit, ...]
    planted: tuple[Planted, ...]


def hospital(rows: int = 2000, seed: int = 7) -> Hospital:
    """A table of `rows` visits on which `RULES` hold, and a copy with about 1.5% of rows wrong.

    Most patients came once or twice, a few of them up to forty times.
    """
    rng = random.Random(seed)
    clean = _of_patients(_visits(rows, rng), random.Random(f"patients {seed}"))
    dirty = list(clean)
    each = max(1, rows // 400)
    victims = iter(rng.sample(range(rows), min(rows, each * len(_ERRORS))))
    planted = []
    for what, make_wrong in _ERRORS:
        chosen = list(islice(victims, each))
        for row in chosen:
            dirty[row] = make_wrong(clean[row], clean, rng)
        planted.append(Planted(what, len(chosen)))
    return Hospital(clean, tuple(dirty), tuple(p for p in planted if p.rows))


def write_csv(visits: Iterable[Visit], path: Path) -> None:
    """The visits as a CSV file with a header; an unknown value is an empty field."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(astuple(visit) for visit in visits)


def _visits(rows: int, rng: random.Random) -> tuple[Visit, ...]:
    providers = [_provider(number, rng) for number in range(max(2, rows // 60))]
    return tuple(_visit(number, rng.choice(providers), rng) for number in range(rows))


def _of_patients(visits: tuple[Visit, ...], rng: random.Random) -> tuple[Visit, ...]:
    """The visits dealt out to patients; a patient was born in one year."""
    order = rng.sample(range(len(visits)), len(visits))
    owned, patient = list(visits), _FIRST_PATIENT
    while order:
        times = min(_MOST_VISITS, int(rng.paretovariate(1.2)))
        born = visits[order[0]].birth_year
        for row in order[:times]:
            owned[row] = replace(visits[row], patient=patient, birth_year=born)
        order, patient = order[times:], patient + 1
    return tuple(owned)


@dataclass(frozen=True, slots=True)
class _Provider:
    number: int
    name: str
    city: str
    state: str
    zip: int
    phone: str | None
    markup: int  # percent on top of the base price


def _provider(number: int, rng: random.Random) -> _Provider:
    city, state, first_zip, area = rng.choice(_TOWNS)
    name = f"St {rng.choice(_SAINTS)} {rng.choice(_KINDS)}"
    phone = f"{area}-555-{rng.randrange(100, 200):04}" if rng.random() < 0.9 else None
    markup = 0 if state == "MD" else rng.randrange(5, 60)
    return _Provider(10_001 + number, name, city, state, first_zip, phone, markup)


def _visit(number: int, at: _Provider, rng: random.Random) -> Visit:
    code, name, base = rng.choice(_MEASURES)
    admission = _FIRST_DAY + timedelta(days=rng.randrange(365))
    nights = min(14, int(rng.expovariate(0.4)))
    charge = (base + 850 * nights) * (100 + at.markup) // 100
    return Visit(
        visit=_FIRST_VISIT + number,
        patient=0,  # until visits are dealt out
        provider=at.number,
        hospital=at.name,
        city=at.city,
        state=at.state,
        zip=at.zip,
        phone=at.phone,
        measure_code=code,
        measure_name=name,
        admission=admission,
        discharge=admission + timedelta(days=nights),
        nights=nights,
        birth_year=rng.randrange(1930, 2015),
        charge=charge,
    )


# Each function makes one visit wrong; it may use the others, as real mistakes do.


def _typo_in_city(v: Visit, _: tuple[Visit, ...], rng: random.Random) -> Visit:
    at = rng.choice([i for i in range(1, len(v.city) - 1) if v.city[i] != v.city[i + 1]])
    return replace(v, city=v.city[:at] + v.city[at + 1] + v.city[at] + v.city[at + 2 :])


def _other_zip(v: Visit, _: tuple[Visit, ...], rng: random.Random) -> Visit:
    return replace(v, zip=rng.choice([town[2] for town in _TOWNS if town[2] != v.zip]))


def _other_phone(v: Visit, _: tuple[Visit, ...], rng: random.Random) -> Visit:
    return replace(v, phone=f"800-555-{rng.randrange(100, 200):04}")


def _other_name(v: Visit, _: tuple[Visit, ...], __: random.Random) -> Visit:
    return replace(v, measure_name=v.measure_name.upper())


def _same_number(v: Visit, clean: tuple[Visit, ...], rng: random.Random) -> Visit:
    at = v.visit - _FIRST_VISIT + rng.randrange(1, len(clean))
    return replace(v, visit=clean[at % len(clean)].visit)


def _lost_digit(v: Visit, _: tuple[Visit, ...], __: random.Random) -> Visit:
    return replace(v, charge=v.charge // 10)


def _swapped_dates(v: Visit, _: tuple[Visit, ...], __: random.Random) -> Visit:
    return replace(v, admission=v.discharge + timedelta(days=1), discharge=v.admission)


_ERRORS: tuple[tuple[str, Callable[[Visit, tuple[Visit, ...], random.Random], Visit]], ...] = (
    ("two letters of the city swapped", _typo_in_city),
    ("the zip code of another town", _other_zip),
    ("a phone number that is not the hospital's", _other_phone),
    ("the measure's name in capitals", _other_name),
    ("the number of another visit", _same_number),
    ("a charge that lost its last digit", _lost_digit),
    ("admission and discharge swapped", _swapped_dates),
)


PERSON = "Patient"  # the column of the made-up table that says whose visit it is


def demo(
    rows: Annotated[
        int, typer.Option(min=50, max=10**7, help="The number of rows of the made-up table.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same table.")] = 7,
    keep: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Keep the table and the rules in this folder."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Make up a hospital table with planted errors, and grade it.

    [bold]Examples[/bold]

    candling demo

    candling demo --rows 50000 --keep demo
    """
    with ExitStack() as stack:
        if keep is None:
            folder = stack.enter_context(temporary_folder())
            shown = Path()
        else:
            folder = shown = Path(keep)
        planted = _write(folder, rows, seed)
        data, rules = str(folder / "hospital.csv"), str(folder / "rules.txt")

        if as_json:
            _print_json(data, rules, planted)
            return
        output.not_private()
        output.heading("A made-up table")
        output.line(
            f"{shown / 'hospital.csv'}: {rows:,} visits to hospitals that do not exist, by "
            "patients who came once to forty times. "
            f"{sum(p.rows for p in planted):,} were made wrong on purpose (seed {seed}):"
        )
        output.items(f"{p.rows:,} with {p.what}" for p in planted)
        output.heading("What should hold")
        output.line(f"{shown / 'rules.txt'}, as candling reads it:")
        output.line()
        check.show(check.examine(candling.load_constraints(rules), data))
        output.heading("How inconsistent it is")
        with output.progress():
            study = candling.analyze(data, rules, person=PERSON)
            result = study.exact()
        output.line("For the owner of the table only:")
        output.line()
        exact.show(result)
        output.line()
        output.line(_in_words(result))
        output.heading("What others may see")
        output.line(
            "The same with noise, which hides every patient, even one with forty visits. Each run "
            "gives other numbers:"
        )
        output.line()
        output.show(view_card(study.release(1)))
        output.heading("Your turn")
        if keep is None:
            output.commands("candling demo --keep demo")
        else:
            both = shlex.join((data, rules))
            output.commands(
                f"candling exact {both}", f"candling release {both} --epsilon 1 --person {PERSON}"
            )
        output.commands("candling start YOUR-TABLE.csv", "candling --help")


def _print_json(data: str, rules: str, planted: tuple[Planted, ...]) -> None:
    study = candling.analyze(data, rules, person=PERSON)
    output.not_private(stderr=True)
    output.print_json(
        {
            "planted": {p.what: p.rows for p in planted},
            "exact": study.exact().to_dict(),
            "release": study.release(1).to_dict(),
        }
    )


def _write(folder: Path, rows: int, seed: int) -> tuple[Planted, ...]:
    tables = hospital(rows, seed)
    with refused_with("U104", folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "hospital.csv", lambda draft: write_csv(tables.dirty, draft))
        write_text(folder / "rules.txt", RULES)
    return tables.planted


def _in_words(result: "Exact") -> str:
    if not result.drastic:
        return "None of the planted errors breaks a rule."
    least = result.repair if result.repair_exact is None else result.repair_exact
    conflicts = f"{result.minimal_inconsistent:,} conflicts"
    rows = f"{float(least):,g} rows ({float(least / result.rows):.1%})"
    return (
        f"One wrong row can conflict with many right ones, so {conflicts} sound worse than they "
        f"are. Without {rows} every rule would hold: Rows to delete is the measure to go by."
    )
