from __future__ import annotations

import subprocess
import sys

import pytest

import candling


def test_the_list_is_sorted_and_complete() -> None:
    assert candling.__all__ == sorted(candling.__all__)
    assert dir(candling) == candling.__all__
    assert set(candling._HOME) == set(candling.__all__) - {"__version__"}


@pytest.mark.parametrize("name", candling.__all__)
def test_every_member_can_be_imported(name: str) -> None:
    value = getattr(candling, name)
    if name != "__version__":
        assert value.__name__ == name
        assert value.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = candling.nonsense  # type: ignore[attr-defined]


def test_a_star_import_brings_all() -> None:
    program = "from candling import *; import candling; print(set(candling.__all__) <= set(dir()))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_errors_are_builtin_errors_too() -> None:
    value_errors = (
        candling.BudgetError,
        candling.ConstraintError,
        candling.DataError,
        candling.UsageError,
    )
    for error in value_errors:
        assert issubclass(error, candling.CandlingError)
        assert issubclass(error, ValueError)
    assert issubclass(candling.LedgerError, candling.CandlingError)
    assert issubclass(candling.LedgerError, RuntimeError)
