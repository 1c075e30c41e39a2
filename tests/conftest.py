"""Fixtures that tests of several rooms share."""

import os
import tempfile
from pathlib import Path

from candling.ledger.place import memory
from tests.backends import engine_table
from tests.postgres import postgres
from tests.spark import spark

__all__ = ["engine_table", "postgres", "spark"]

# Ledgers refuse memory, and on many systems /tmp is in memory. /var/tmp outlives a restart.
if memory(Path(tempfile.gettempdir())) is not None:
    os.environ["TMPDIR"] = tempfile.tempdir = "/var/tmp"
