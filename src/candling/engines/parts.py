"""What may be in conflict, wherever it is: one protocol for classes here and parts on a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from candling.rules import Constraint

if TYPE_CHECKING:
    from candling.engines.classes import Classes

T = TypeVar("T")


class Parts(Protocol):
    """The rows of a table that may be in conflict, in one part or several.

    No conflict leaves a part, so numbers of the table are sums (or concatenations) over parts.
    `Classes` in this process are one part; Spark can keep many on its executors.
    """

    @property
    def rows(self) -> int:
        """Rows of the whole table. Private."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The rules under which the rows may be in conflict."""

    @property
    def whole(self) -> Classes | None:
        """All of the rows, where they are here as one part. Private."""

    def ask(self, question: Callable[[Classes], T]) -> list[T]:
        """The answer of each part. Private.

        Parts on a server answer there: the question and its answer must survive pickling, and each
        call reads the parts anew, so ask once for all that is needed.
        """
