"""Tables in, weighted classes of equal rows out, through Ibis. Knows nothing of privacy."""

from candling.engine.classes import Classes, CodedPredicate, CodedRule, read_classes, read_rows
from candling.engine.content import content_digest
from candling.engine.forms import Form, Table
from candling.engine.reading import read_core
from candling.engine.schema import schema_of
from candling.engine.sources import open_source, open_table
from candling.engine.spread import Spread

__all__ = [
    "Classes",
    "CodedPredicate",
    "CodedRule",
    "Form",
    "Spread",
    "Table",
    "content_digest",
    "open_source",
    "open_table",
    "read_classes",
    "read_core",
    "read_rows",
    "schema_of",
]
