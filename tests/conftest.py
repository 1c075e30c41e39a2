"""Fixtures that tests of several rooms share."""

from tests.backends import engine_table
from tests.postgres import postgres
from tests.spark import spark

__all__ = ["engine_table", "postgres", "spark"]
