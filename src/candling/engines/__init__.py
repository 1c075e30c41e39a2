"""Tables in, weighted classes of equal rows out, through Ibis. Knows nothing of privacy.

`Engine` is what differs between backends: one module each, found by `open_table` alone.
"""

from candling.engines.classes import (
    Classes,
    CodedPredicate,
    CodedRule,
    Parts,
    read_classes,
    read_rows,
)
from candling.engines.content import content_digest
from candling.engines.engine import Engine, Place
from candling.engines.forms import Form, Table
from candling.engines.open import open_table, schema_of
from candling.engines.persons import Cut, persons_above, require_person
from candling.engines.reading import read_core
from candling.engines.sources import open_source

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
    "open_source",
    "open_table",
    "persons_above",
    "read_classes",
    "read_core",
    "read_rows",
    "require_person",
    "schema_of",
]
