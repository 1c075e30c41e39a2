"""A ledger against the obvious: dictionaries and fractions in memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from candling.errors import BudgetError, LedgerError
from candling.ledger import Ledger, Reservation, Stored, create_ledger, make_claim
from tests.ledger.conftest import NewPlace

GRID = 10**12
names = st.sampled_from(["a", "b"])
ids = st.sampled_from(["1", "2", "3", "4"])
epsilons = st.fractions(Fraction(1, 12), 1, max_denominator=12)
steps = st.one_of(
    st.tuples(st.just("add"), names, epsilons),
    st.tuples(st.just("raise"), names, epsilons),
    st.tuples(st.just("reserve"), names, epsilons, ids),
    st.tuples(st.just("keep"), ids, st.integers(0, 9)),
)


@dataclass
class Model:
    """What a ledger should know."""

    limits: dict[str, Fraction] = field(default_factory=dict)
    charges: dict[str, tuple[str, Fraction]] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)

    def spent(self, name: str) -> Fraction:
        return sum((part for whose, part in self.charges.values() if whose == name), Fraction(0))

    def add(self, name: str, budget: Fraction) -> str:
        if name in self.limits:
            return "L106"
        self.limits[name] = Fraction(math.floor(budget * GRID), GRID)
        return "done"

    def raise_limit(self, name: str, budget: Fraction) -> str:
        if name not in self.limits:
            return "L105"
        budget = Fraction(math.floor(budget * GRID), GRID)
        if budget <= self.limits[name]:
            return "L107"
        self.limits[name] = budget
        return "done"

    def reserve(self, name: str, epsilon: Fraction, request: str) -> str:
        charge = (name, Fraction(math.ceil(epsilon * GRID), GRID))
        if request in self.charges:
            if self.charges[request] != charge:
                return "L111"
            return f"stored {self.results[request]}" if request in self.results else "L112"
        if name not in self.limits:
            return "L105"
        if self.spent(name) + charge[1] > self.limits[name]:
            return f"short of {self.spent(name) + charge[1] - self.limits[name]}"
        self.charges[request] = charge
        return "done"


def act(ledger: Ledger, held: dict[str, Reservation], step: tuple[Any, ...]) -> str:
    """What the ledger answers."""
    try:
        match step:
            case "add", name, budget:
                ledger.add(name, budget)
            case "raise", name, budget:
                ledger.raise_limit(name, budget, "why not")
            case "reserve", name, epsilon, request:
                claim = make_claim(name, epsilon, {"about": "it"}, request_id=request)
                found = ledger.reserve(claim)
                if isinstance(found, Stored):
                    return f"stored {found.result['value']}"
                held[request] = found
            case "keep", request, value:
                ledger.store_result(held.pop(request), {"value": value}, b"table")
    except BudgetError as error:
        return f"short of {error.difference}"
    except LedgerError as error:
        return error.code
    return "done"


def expect(model: Model, held: dict[str, Reservation], step: tuple[Any, ...]) -> str | None:
    """What it should answer; None for a step that nobody can take."""
    match step:
        case "add", name, budget:
            return model.add(name, budget)
        case "raise", name, budget:
            return model.raise_limit(name, budget)
        case "reserve", name, epsilon, request:
            return model.reserve(name, epsilon, request)
        case "keep", request, value if request in held:
            model.results[request] = value
            return "done"
    return None


def test_every_answer_and_every_sum(new_place: NewPlace) -> None:
    server = new_place().startswith("postgresql")

    @settings(
        deadline=None,
        max_examples=20 if server else 60,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.lists(steps, max_size=10 if server else 20))
    def check(taken: list[tuple[Any, ...]]) -> None:
        ledger, model = create_ledger(new_place()), Model()
        held: dict[str, Reservation] = {}
        for step in taken:
            wanted = expect(model, held, step)
            if wanted is not None:
                assert act(ledger, held, step) == wanted
        state = {d.name: d for d in ledger.show().datasets}
        assert set(state) == set(model.limits)
        for name, dataset in state.items():
            assert dataset.remaining == model.limits[name] - model.spent(name)
            own = {r for r, (whose, _) in model.charges.items() if whose == name}
            assert dataset.results == len(own & set(model.results))
            assert {c.request_id for c in dataset.without_result} == own - set(model.results)
        ledger.verify()

    check()


def test_the_model_is_not_the_code() -> None:
    """A few answers by hand."""
    model = Model()
    assert model.reserve("a", Fraction(1), "1") == "L105"
    assert model.add("a", Fraction(1)) == "done"
    assert [model.reserve("a", Fraction(1, 3), r) for r in "123"] == [
        "done", "done", f"short of {Fraction(2, 10**12)}",
    ]  # fmt: skip
    assert model.reserve("a", Fraction(1, 3), "1") == "L112"
    assert model.reserve("a", Fraction(1, 2), "1") == "L111"


@pytest.mark.parametrize("denominator", [1, 3, 7, 10, 30])
def test_as_many_charges_as_fit(new_place: NewPlace, denominator: int) -> None:
    ledger = create_ledger(new_place())
    ledger.add("a", 1)
    fitting = GRID // math.ceil(Fraction(GRID, denominator))
    for number in range(fitting):
        assert isinstance(
            ledger.reserve(make_claim("a", Fraction(1, denominator), {}, request_id=str(number))),
            Reservation,
        )
    with pytest.raises(BudgetError):
        ledger.reserve(make_claim("a", Fraction(1, denominator), {}))
