"""Tables in, weighted classes of equal rows out, through Ibis. Knows nothing of privacy."""

from candling.engines.classes import Classes, CodedPredicate, CodedRule, read_classes, read_rows
from candling.engines.content import content_digest
from candling.engines.forms import Form, Table
from candling.engines.parts import Parts
from candling.engines.reading import read_core
from candling.engines.schema import schema_of
from candling.engines.sources import open_source, open_table
from candling.engines.spread import Spread

__all__ = [
    "Classes",
    "CodedPredicate",
    "CodedRule",
    "Form",
    "Parts",
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
