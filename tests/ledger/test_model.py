"""A ledger against the obvious: dictionaries, sets and fractions in memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling.errors import BudgetError, LedgerError
from candling.ledger import Ledger, Reservation, Stored, create_ledger, make_claim
from tests.effort import examples
from tests.ledger.conftest import NewPlace

GRID = 10**12
names = st.sampled_from(["a", "b", "c"])
groups = st.sampled_from(["a", "b", "p", "q"])  # two are also names of datasets
ids = st.sampled_from(["1", "2", "3", "4"])
epsilons = st.fractions(Fraction(1, 12), 1, max_denominator=12)
steps = st.one_of(
    st.tuples(st.just("add"), names, st.none() | groups, st.none() | epsilons),
    st.tuples(st.just("raise"), groups, epsilons),
    st.tuples(st.just("raise of"), names, epsilons),
    st.tuples(st.just("move"), names, groups, st.none() | epsilons),
    st.tuples(st.just("reserve"), names, epsilons, ids),
    st.tuples(st.just("keep"), ids, st.integers(0, 9)),
)


@dataclass
class Model:
    """What a ledger should know.

    People carry a set of requests, so nothing can be counted twice and nothing gets lost.
    """

    limits: dict[str, Fraction] = field(default_factory=dict)  # of people
    carried: dict[str, set[str]] = field(default_factory=dict)  # requests, by people
    homes: dict[str, str] = field(default_factory=dict)  # the people of each dataset
    charges: dict[str, tuple[str, Fraction]] = field(default_factory=dict)  # by request
    results: dict[str, int] = field(default_factory=dict)

    def spent(self, people: str) -> Fraction:
        return sum((self.charges[request][1] for request in self.carried[people]), Fraction(0))

    def left(self, people: str) -> Fraction:
        return self.limits[people] - self.spent(people)

    def of(self, name: str) -> set[str]:
        """The requests that were charged to a dataset."""
        return {request for request, (dataset, _) in self.charges.items() if dataset == name}

    def add(self, name: str, people: str | None, budget: Fraction | None) -> str:
        if name in self.homes:
            return "L106"
        if people is None and name in self.limits:
            return "L122"
        people = people or name
        refused = self.join(name, people, budget)
        if refused is None:
            self.homes[name] = people
        return refused or "done"

    def join(self, name: str, people: str, budget: Fraction | None) -> str | None:
        """Open the budget of new people, or find out why that cannot be."""
        limit = None if budget is None else Fraction(math.floor(budget * GRID), GRID)
        if people in self.limits:
            return "L107" if limit not in (None, self.limits[people]) else None
        if people != name and people in self.homes:
            return "L122"
        if limit is None:
            return "L107"
        self.limits[people], self.carried[people] = limit, set()
        return None

    def raise_limit(self, people: str, budget: Fraction) -> str:
        if people not in self.limits:
            return "L105"
        budget = Fraction(math.floor(budget * GRID), GRID)
        if budget <= self.limits[people]:
            return "L107"
        self.limits[people] = budget
        return "done"

    def move(self, name: str, people: str, budget: Fraction | None) -> str:
        if name not in self.homes:
            return "L105"
        if self.homes[name] == people:
            return "L106"
        new = people not in self.limits
        if refused := self.join(name, people, budget):
            return refused
        more = sum((self.charges[r][1] for r in self.of(name) - self.carried[people]), Fraction(0))
        missing = more - self.left(people)
        if missing > 0:
            if new:
                del self.limits[people], self.carried[people]
            return f"short of {missing}"
        self.carried[people] |= self.of(name)
        self.homes[name] = people
        return "done"

    def reserve(self, name: str, epsilon: Fraction, request: str) -> str:
        charge = (name, Fraction(math.ceil(epsilon * GRID), GRID))
        if request in self.charges:
            if self.charges[request] != charge:
                return "L111"
            return f"stored {self.results[request]}" if request in self.results else "L112"
        if name not in self.homes:
            return "L105"
        people = self.homes[name]
        if charge[1] > self.left(people):
            return f"short of {charge[1] - self.left(people)}"
        self.charges[request] = charge
        self.carried[people].add(request)
        return "done"


def act(ledger: Ledger, held: dict[str, Reservation], step: tuple[Any, ...]) -> str:
    """What the ledger answers."""
    try:
        match step:
            case "add", name, people, budget:
                ledger.add(name, budget, people=people)
            case "raise", people, budget:
                ledger.raise_limit(budget, "why not", people=people)
            case "raise of", name, budget:
                ledger.raise_limit(budget, "why not", dataset=name)
            case "move", name, people, budget:
                ledger.move(name, people, "why not", budget=budget)
            case "reserve", name, epsilon, request:
                claim = make_claim(name, epsilon, {"about": "it"}, request_id=request)
                found = ledger.reserve(claim)
                if isinstance(found, Stored):
                    return f"stored {found.result['value']}"
                held[request] = found
            case "keep", request, value:
                ledger.store_result(held.pop(request), {"value": value})
    except BudgetError as error:
        return f"short of {error.difference}"
    except LedgerError as error:
        return error.code
    return "done"


def expect(model: Model, held: dict[str, Reservation], step: tuple[Any, ...]) -> str | None:
    """What it should answer; None for a step that nobody can take."""
    match step:
        case "add", name, people, budget:
            return model.add(name, people, budget)
        case "raise", people, budget:
            return model.raise_limit(people, budget)
        case "raise of", name, budget:
            return model.raise_limit(model.homes.get(name, "nobody"), budget)
        case "move", name, people, budget:
            return model.move(name, people, budget)
        case "reserve", name, epsilon, request:
            return model.reserve(name, epsilon, request)
        case "keep", request, value if request in held:
            model.results[request] = value
            return "done"
    return None


def test_every_answer_and_every_sum(new_place: NewPlace) -> None:
    server = new_place().startswith("postgresql")

    @settings(max_examples=examples(30 if server else 100))
    @given(st.lists(steps, max_size=12 if server else 25))
    def check(taken: list[tuple[Any, ...]]) -> None:
        ledger, model = create_ledger(new_place()), Model()
        held: dict[str, Reservation] = {}
        for step in taken:
            wanted = expect(model, held, step)
            if wanted is not None:
                assert act(ledger, held, step) == wanted, step
        state = ledger.show()
        assert {b.people: b.remaining for b in state.budgets} == {
            people: model.left(people) for people in model.limits
        }
        assert {d.name: d.budget.people for d in state.datasets} == model.homes
        for dataset in state.datasets:
            own = model.of(dataset.name)
            assert Fraction(dataset.charged_units, GRID) == sum(model.charges[r][1] for r in own)
            assert model.carried[dataset.budget.people] >= own
            assert dataset.results == len(own & set(model.results))
            assert {c.request_id for c in dataset.without_result} == own - set(model.results)
        found = ledger.verify()
        assert (found.budgets, found.datasets) == (len(model.limits), len(model.homes))

    check()


def test_the_model_is_not_the_code() -> None:
    """A few answers by hand."""
    third = Fraction(1, 3)
    model = Model()
    assert model.reserve("a", Fraction(1), "1") == "L105"
    assert model.add("a", None, Fraction(1)) == "done"
    assert [model.reserve("a", third, r) for r in "123"] == [
        "done", "done", f"short of {Fraction(2, 10**12)}",
    ]  # fmt: skip
    assert model.reserve("a", third, "1") == "L112"
    assert model.reserve("a", Fraction(1, 2), "1") == "L111"
    assert model.add("b", "p", Fraction(1, 2)) == "done"
    assert model.move("a", "p", None) == f"short of {Fraction(166666666668, GRID)}"
    assert model.raise_limit("p", Fraction(3, 4)) == "done"
    assert model.move("a", "p", None) == "done"
    assert model.left("p") == Fraction(3, 4) - 2 * Fraction(333333333334, GRID)
    assert model.left("a") == 1 - 2 * Fraction(333333333334, GRID)
    assert model.move("a", "a", None) == "done"  # it comes back, and is not counted again
    assert model.left("a") == 1 - 2 * Fraction(333333333334, GRID)


@pytest.mark.parametrize("denominator", [1, 3, 7, 10, 30])
def test_as_many_charges_as_fit(new_place: NewPlace, denominator: int) -> None:
    """To one dataset, or to three of the same people in turn."""
    ledger = create_ledger(new_place())
    for dataset in "abc":
        ledger.add(dataset, 1, people="p")
    fitting = GRID // math.ceil(Fraction(GRID, denominator))
    for number in range(fitting):
        dataset = "abc"[number % 3]
        claim = make_claim(dataset, Fraction(1, denominator), {}, request_id=str(number))
        assert isinstance(ledger.reserve(claim), Reservation)
    for dataset in "abc":
        with pytest.raises(BudgetError):
            ledger.reserve(make_claim(dataset, Fraction(1, denominator), {}))
