"""docs/reference/licences.md: what `pip install candling` brings, and under which licences.

Read from what the installed packages say of themselves; what compiled packages carry inside is said
here, since no metadata tells it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import metadata, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_LONGEST = 60  # some packages put the whole text of the licence into the field for its name
_INSIDE = {
    "cryptography": "OpenSSL: Apache-2.0",
    "highspy": "HiGHS: MIT; METIS: Apache-2.0; AMD: BSD-3-Clause; pdqsort: Zlib",
    "numpy": "OpenBLAS: BSD-3-Clause; libgfortran and libquadmath: GPL-3.0 with the GCC runtime "
    "exception, LGPL-2.1",
    "psycopg-binary": "libpq: PostgreSQL; OpenSSL: Apache-2.0; Kerberos and OpenLDAP: other "
    "permissive licences",
    "python-flint": "FLINT and MPFR: LGPL-3.0-or-later; GMP: LGPL-3.0-or-later or GPL-2.0-or-later",
}
_INTRODUCTION = """\
# Licences

Which software does `pip install candling` bring, and under which licences? candling itself is under
Apache-2.0 and contains no code of others. The packages below come with it, each under its licence,
in the versions that your installer chooses.

Two of them matter if you pass candling on inside a product:

- **python-flint** (exact arithmetic for the noise) contains FLINT, MPFR and GMP, which are under
  the LGPL. They are shared libraries: leave them replaceable, and pass their licence on.
- **psycopg** (only with `candling[postgresql]`) is under the LGPL as well.

`candling[spark]` adds PySpark (Apache-2.0) and what it needs. No package is under the GPL without
an exception for this kind of use.
"""


def page() -> str:
    """The page as it should be."""
    core = set(needed("candling"))
    added = set(needed("candling", "postgresql")) - core
    return "\n".join(
        [
            _INTRODUCTION,
            "## With `pip install candling`",
            "",
            *_table(core),
            "",
            "## With `candling[postgresql]`",
            "",
            *_table(added),
            "",
        ]
    )


def licence(name: str) -> str:
    """What a package says of its licence."""
    told = metadata(name).json
    if expression := told.get("license_expression"):
        return str(expression)
    named = [text.split(" :: ")[-1] for text in told.get("classifier", ()) if "License ::" in text]
    field = str(told.get("license", "")).strip()
    return field if 0 < len(field) <= _LONGEST and "\n" not in field else ", ".join(named)


def needed(name: str, *extras: str) -> Iterator[str]:
    """The packages that one brings, with what these bring."""
    waiting, seen = [(name, frozenset(extras))], set()
    while waiting:
        package, wanted = waiting.pop()
        if (package, wanted) in seen:
            continue
        seen.add((package, wanted))
        if package != name:
            yield package
        for text in requires(package) or ():
            requirement = Requirement(text)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": e}) for e in ("", *wanted)):
                found = canonicalize_name(requirement.name)
                waiting.append((found, frozenset(requirement.extras)))


def _table(names: set[str]) -> list[str]:
    rows = [f"| {name} | {licence(name)} | {_INSIDE.get(name, '')} |" for name in sorted(names)]
    return ["| package | licence | carries inside |", "|---|---|---|", *rows]
