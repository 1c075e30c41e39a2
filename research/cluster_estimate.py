"""What tables of 10^9 and 10^11 rows would need on a cluster, by the figures of cluster.md.

    python -m research.cluster_estimate

Put your own figures into the constants. Costs are those of Flight, as measured.
"""

from __future__ import annotations

import sys

TABLES = {  # share of wrong rows, of rows in conflict, and combinations of right values
    "Flight": (0.072, 1.0, 607_152.0),
    "cleaner": (0.000_072, 1.0, 607_152.0),
    "small groups": (0.000_01, 0.000_03, float("inf")),
}
READ = 41  # bytes of a row, by all scans together
MOVED = 65  # bytes of a row that is sent to another task
LOOKUPS = 7  # sets of equality columns; for each of them, too, rows may be sent
ROW_CPU = 1.5e-5  # seconds of one core, for a row
CLASS_SENT, CLASS_MEMORY, CLASS_CPU = 140, 1_200, 7e-5  # the driver's, for a class
ROW_MEMORY, DRIVER_ROW_CPU = 118, 2e-6  # the driver's, for a row in conflict
HEAD = " rows  table            read              moved core-hours classes  collected    driver"


def estimate(rows: float, table: str) -> str:
    """One line: the name, terabytes read and moved, and what the driver needs."""
    wrong, conflicting, combinations = TABLES[table]
    classes = min(conflicting * rows, combinations + wrong * rows)
    memory = 0.3e9 + CLASS_MEMORY * classes + ROW_MEMORY * conflicting * rows
    hours = (CLASS_CPU * classes + DRIVER_ROW_CPU * conflicting * rows) / 3600
    return (
        f"{rows:.0e}  {table:12} {rows * READ / 1e12:5.2f} TB "
        f"{rows * MOVED / 1e12:5.2f} to {rows * MOVED * (1 + LOOKUPS) / 1e12:5.2f} TB "
        f"{rows * ROW_CPU / 3600:10,.0f} {classes:7.0e} {classes * CLASS_SENT / 1e9:7,.1f} GB "
        f"{memory / 1e9:6,.0f} GB {hours:5.1f} h"
    )


def main() -> None:
    """Print the estimates."""
    lines = [estimate(rows, table) for rows in (1e9, 1e11) for table in TABLES]
    sys.stdout.write("\n".join([HEAD, *lines]) + "\n")


if __name__ == "__main__":
    main()
