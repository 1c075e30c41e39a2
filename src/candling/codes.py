"""What each code of a data error (D) or a usage error (U) means, for `candling explain`.

The codes of rules (R) are explained in `candling.constraints.codes`. A code never changes its
meaning between releases, and a code that is no longer used stays listed.
"""

from __future__ import annotations

CODES: dict[str, str] = {
    "D101": """\
The file with the table is not there.

Check the path, and from which directory you run the command: a relative path is looked up from
there. If a file with a similar name exists, the message names it.
""",
    "D102": """\
The kind of the file cannot be told from its name.

candling goes by the ending: .csv, .tsv, .parquet, .json, .jsonl, .arrow, .feather or .duckdb (and
a few more that the message lists), optionally followed by .gz or .zst. Rename the file, or
name the files inside a directory with a pattern such as 'visits/*.parquet'.
""",
    "D103": """\
The table cannot be read.

Either the file is damaged or of another kind than its ending says, or a column mixes types so that
its values cannot be compared with each other. The message leaves out what the reader said, because
that may quote a value of the table. Open the file with the program that wrote it, give every column
one type, and write it again; Parquet keeps types exactly, CSV has to guess them.
""",
    "D104": """\
The DuckDB file holds several tables, or not the one that was named.

Say which one with --table NAME (in Python: table="NAME"). The message lists the tables of the file.
""",
    "D105": """\
Two columns of the table have the same name.

A rule that uses the name could mean either. Rename one of the columns.
""",
    "D106": """\
The object is not a table that candling can read.

In Python, give a path, a pandas or polars DataFrame, a pyarrow Table, RecordBatch or Dataset, an
Ibis table, or any object that speaks the Arrow stream protocol (__arrow_c_stream__).
""",
    "U101": """\
The memory limit is not understood.

Write a number and a unit: 500MB, 4GB, 1.5GiB. It limits the embedded engine, which then spills to
a temporary directory instead of growing.
""",
    "U102": """\
The time limit is not understood.

Write a number of seconds that is not negative. It limits only the search for `repair_exact`, which
is null if time runs out; every other measure is always computed.
""",
    "U103": """\
A table name was given for something that is not a DuckDB file.

--table NAME (in Python: table="NAME") chooses one of the tables inside a DuckDB file. Every other
kind of file, and every object, holds one table only: leave it out.
""",
    "U104": """\
The file to write exists already, or cannot be written.

candling does not overwrite a file that you may have edited. Choose another name with --output, or
say --force if the old file is not needed any more.
""",
    "U105": """\
There is no such code.

Codes are a letter and three digits: R for rules, D for data, U for usage. `candling explain`
without a code lists them all.
""",
    "U106": """\
The file is not the JSON of a release.

`candling explain card.json` reads what `candling release ... --json` printed. Send that to a file
and name the file; error codes are given as they stand in messages, such as D101.
""",
    "U201": """\
The epsilon makes no sense.

Epsilon is the privacy budget of a release: a number between 0.000001 and 100. The smaller it is,
the better the rows are protected and the noisier the numbers; 1 is a common choice, above 10 little
is protected. Text such as "0.1" and fractions are taken exactly.
""",
    "U202": """\
There is no measure of that name.

Give a list of names, at least one, from those that the message lists.
""",
    "U203": """\
A number of rows makes no sense.

How many rows one person may own, and how many rows a table has or may have, are whole numbers; the
message says from which value on.
""",
    "U204": """\
The split of the budget does not fit the measures.

A split gives a positive share to each measure that is paid for, and to nothing else. Shares need
not sum to 1. Measures that are derived from others cost nothing and must not be named.
""",
    "U205": """\
The plan cannot be made.

Give either an epsilon or the errors that you wish for, not both. A wish names a measure of the plan
(with @ and a threshold where it has one) and an error above 0; the message says what was wrong.
""",
    "U206": """\
The level of an interval is not a probability.

Write a number between 0 and 1, such as 0.95. No interval holds with certainty: at level 1 it would
be everything.
""",
    "U210": """\
The method that was asked for needs a bound on the number of rows.

It puts noise of the size of the table on the measures, so it must know how large the table can be.
State a public bound (`--max-rows`), or release `rows` too: the noisy number serves as a bound.
""",
    "U211": """\
The experiments cannot be run.

Either there is no experiment of that name (`candling reproduce --list` shows them), or the folder
of datasets that was named does not exist (name none to go on with look-alikes), or matplotlib,
which draws the figures, is missing: pip install 'candling[paper]'
""",
}
