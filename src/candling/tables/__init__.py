"""Tables in, weighted classes of equal rows out, through Ibis. Knows nothing of privacy.

`Engine` is what differs between backends: one module each, found by `open_table` alone.
"""

from candling.tables.classes import (
    Classes,
    CodedPredicate,
    CodedRule,
    OwnedClasses,
    Parts,
    read_classes,
    read_rows,
)
from candling.tables.core import read_core, read_owned
from candling.tables.engine import Engine, Place
from candling.tables.open import open_source, open_table, schema_of
from candling.tables.persons import Cut, count_persons_above, count_rows_within, require_person
from candling.tables.values import Form, Table

__all__ = [
    "Classes",
    "CodedPredicate",
    "CodedRule",
    "Cut",
    "Engine",
    "Form",
    "OwnedClasses",
    "Parts",
    "Place",
    "Table",
    "count_persons_above",
    "count_rows_within",
    "open_source",
    "open_table",
    "read_classes",
    "read_core",
    "read_owned",
    "read_rows",
    "require_person",
    "schema_of",
]
