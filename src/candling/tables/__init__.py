"""Tables in, weighted classes of equal rows out, through Ibis. Knows nothing of privacy.

`Engine` is what differs between backends: one module each, found by `open_table` alone.
"""

from candling.tables.classes import (
    Classes,
    CodedPredicate,
    CodedRule,
    Parts,
    read_classes,
    read_rows,
)
from candling.tables.core import Cut, count_persons_above, read_core, require_person
from candling.tables.engine import Engine, Place
from candling.tables.open import open_source, open_table, schema_of
from candling.tables.values import Form, Table, content_digest

__all__ = [
    "Classes",
    "CodedPredicate",
    "CodedRule",
    "Cut",
    "Engine",
    "Form",
    "Parts",
    "Place",
    "Table",
    "content_digest",
    "count_persons_above",
    "open_source",
    "open_table",
    "read_classes",
    "read_core",
    "read_rows",
    "require_person",
    "schema_of",
]
