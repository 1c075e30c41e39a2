"""Fixtures that tests of several rooms share."""

from tests.postgres import postgres

__all__ = ["postgres"]
