"""Durable privacy budgets of people. Does not know how a number is made."""

from candling.ledger.budget_state import (
    BudgetState,
    DatasetState,
    LedgerState,
    OpenCharge,
    read_receipt,
)
from candling.ledger.entry import Claim, Reservation, Stored, make_claim
from candling.ledger.ledger import Ledger, create_ledger, open_ledger
from candling.ledger.verify import Verified
from candling.model.receipt import Receipt

__all__ = [
    "BudgetState",
    "Claim",
    "DatasetState",
    "Ledger",
    "LedgerState",
    "OpenCharge",
    "Receipt",
    "Reservation",
    "Stored",
    "Verified",
    "create_ledger",
    "make_claim",
    "open_ledger",
    "read_receipt",
]
