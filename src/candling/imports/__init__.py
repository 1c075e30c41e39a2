"""Rules that people already have, in the files of other tools.

One module for each format, with the same names inside: `recognises` a document, `tables` in it,
`types` of the columns that it declares, and `read`, which adds rules to a `Draft`. What rules
cannot say is listed with the reason; nothing is left out silently.
"""

from candling.imports.draft import Imported as Imported
from candling.imports.draft import ImportedGate as ImportedGate
from candling.imports.draft import ImportedRule as ImportedRule
from candling.imports.draft import LeftOut as LeftOut
from candling.imports.project import ImportedProject as ImportedProject
from candling.imports.project import import_project as import_project
from candling.imports.read import import_rules as import_rules

__all__ = [
    "Imported",
    "ImportedGate",
    "ImportedProject",
    "ImportedRule",
    "LeftOut",
    "import_project",
    "import_rules",
]
