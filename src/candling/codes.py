"""The meaning of each code of a data (D), ledger (L) or usage (U) error, for `candling explain`.

The codes of rules (R) are explained in `candling.rules.codes`. A code never changes its
meaning between releases, and a code that is no longer used stays listed.
"""

from __future__ import annotations

CODES: dict[str, str] = {
    "D101": """\
There is no file with the table at this path.

Check the path, and from which directory you run the command: a relative path is looked up from
there. If a file with a similar name exists, the message names it.
""",
    "D102": """\
The name of the file does not show its kind.

candling looks at the ending: .csv, .tsv, .parquet, .json, .jsonl, .arrow, .feather, .xlsx, .sqlite
or .duckdb (and a few more that the message lists), text also followed by .gz or .zst. Rename the
file, or name the files inside a directory with a pattern such as 'visits/*.parquet'.
""",
    "D103": """\
The table cannot be read.

Either the file is damaged or of another kind than its ending says, or a column mixes types so that
its values cannot be compared with each other. The message leaves out the text of the reader,
because it may quote a value of the table. Open the file with the program that wrote it, give every
column one type, and write it again; Parquet keeps types exactly, CSV has to guess them.

Of a CSV file the message says what is wrong: a line with more or fewer cells than the first one, a
title above the table or a total below it, a quote that is not closed, text in another encoding than
UTF-8 (--encoding latin-1), line ends of two systems. `candling exact` and `candling owner`, which
are for the owner, name the line; no message shows what stands there.
""",
    "D104": """\
The file holds several tables or sheets, or not the one that was named.

Name one with --table NAME (in Python: table="NAME"): a table of a DuckDB or SQLite file, or a sheet
of an Excel file. The message lists those of the file.
""",
    "D105": """\
Two columns of the table have the same name, or a column has none.

A rule that uses the name could mean either; upper and lower case make no difference. The message
says which columns they are, counted from 1. Rename all but one, in the first line of a CSV file or
a sheet. There a column without a name is called by its place, as with --no-header: column0,
column1, ...; in a frame every column needs a name.
""",
    "D106": """\
The object is not a table that candling can read.

In Python, give a path, a pandas or polars DataFrame, a pyarrow Table, RecordBatch or Dataset, an
Ibis table, or any object that speaks the Arrow stream protocol (__arrow_c_stream__).
""",
    "D107": """\
The machine has too little memory or disk for the conflicts of the table.

Almost nothing grows with the number of conflicting pairs, but where nearly every row differs from
every other in a rule's columns, the pairs themselves must be kept. Pairs beyond the
limit (--memory 16GB; by default three quarters of the machine's memory) go to temporary
files, which takes longer: the limit alone refuses no table. Use a larger machine, name a larger
disk in TMPDIR, or give fewer rules at a time. A charged release stays charged: the failure itself
tells something about the table.
""",
    "D108": """\
The engine stopped answering before it had finished.

A connection broke, an executor or a server stopped, or a time limit of the server ended. Spark
repeats failed tasks by itself; candling repeats nothing, because a charge pays for one attempt.
Nothing was changed on the engine. Check that it runs, and try again. A
release that was charged before stays charged; with the same --request-id it is refused, not
charged twice.
""",
    "D109": """\
The engine cannot be used.

Either its driver is missing (pip install 'candling[spark]', 'candling[postgresql]' or, for Excel
files, 'candling[excel]'), or Java, which Spark needs here (17 or newer; on Debian: apt install
default-jre-headless), or no server answers at the address, or it rejects the login. The message
says which. Passwords are never shown; keep them in ~/.pgpass or PGPASSWORD.
""",
    "D110": """\
The engine has no such table, or you lack the permission to read it.

Names are schema.table on PostgreSQL and catalog.schema.table on Spark; for missing parts
the engine uses its defaults. If a table has a similar name, the message says so. Only SELECT is
needed, on the columns that the rules read.
""",
    "D111": """\
An Ibis table on this engine cannot be measured.

The same rules must give the same numbers everywhere, so strings must be equal only if all their
code points are. MySQL, SQL Server and others ignore case, and other engines were never tested.
DuckDB, Spark and PostgreSQL are tested; tables of polars and SQLite are in the same process and
are handed to DuckDB. Export the table to Parquet, and name the file.
""",
    "D112": """\
The table has more rows than candling can measure.

Values and pairs are numbered with whole numbers of 64 bits, and a table of fewer than 2^30 rows (a
thousand million) always fits. Columns that rules compare with each other share the numbers, so
there the limit is smaller. Nothing was charged. Split the table by a
column on which conflicting rows always agree (a year, a region), or take a sample.
""",
    "D113": """\
The time limit ended before everything was measured.

`candling exact --time-limit` limits everything: reading, conflicts and measures. Only the search
for the exact repair may end early and leave that number out. Allow more time, give fewer rules at a
time, or measure a part of the table. A release has no time limit, because giving up would tell
something about the table.
""",
    "D114": """\
The path is a pipe, a device or a socket, and not a file.

A table is read more than once, and a pipe has an end only if somebody closes it: `<(...)` and
/dev/stdin do not work. Write the table to a file first, with the ending of its kind. Or pipe it to
candling and name it -: standard input is written to a private temporary file once, which is removed
when the command ends.
""",
    "D115": """\
The table in a DuckDB or SQLite file is a view, or has generated columns.

A view is a query that whoever made the file has written. It may join, sample or repeat rows, so
that one person stands behind many of them, which the guarantee does not cover. A generated column
may call any function. If you know what is computed, say so by the name:
--table view:NAME (in Python: table="view:NAME"). Better: store it, with
CREATE TABLE copied AS FROM NAME. Even then nothing outside of the file can be read.
""",
    "L101": """\
There is no ledger at that place.

candling never replaces a missing ledger by a new one, which would forget what was spent. Check the
path, or the name of the database and its schema. If this is the first use, make one with
`candling ledger init L`.
""",
    "L102": """\
The file is not a ledger, or is too damaged to read.

The file is of another kind, or part of it is missing. Restore the newest complete copy, and check
it with `candling ledger verify L --receipt card.json` and the newest receipt that you have: charges
made after that copy must be counted again.
""",
    "L103": """\
A ledger, or another file, already exists at that place.

A ledger is never overwritten. Name another place, or use the one that is there.
""",
    "L104": """\
A ledger cannot be kept at that place.

A ledger file needs a local disk that it can be written to: on network file systems locks and
flushing cannot be relied on, and a charge could get lost. Memory (tmpfs, often /tmp or /dev/shm)
forgets all charges when the machine restarts; for a trial, `candling ledger init --trial` allows
it. The file needs a directory that exists, in which you may create files, and only its owner may
read or write the file (chmod 600): it holds the secret that signs cards. Teams keep their ledger in
PostgreSQL: `candling ledger init postgresql://...`. There, one schema of the search path may hold a
ledger; with several, name the schema in the address.
""",
    "L105": """\
The ledger has no dataset, or no people, of that name.

Names must match exactly. `candling ledger show L` lists them; the owner adds a dataset, with the
people whom it is about and their budget, by `candling ledger add L --dataset D --people P --budget
B`.
""",
    "L106": """\
The dataset is already there.

The budget of its people is changed by `candling ledger raise`, its people by `candling ledger
move`, each with a reason, never by adding it again. Nor can a dataset move to the people whose it
is.
""",
    "L107": """\
The budget is not valid.

The budget of people is the largest sum of the epsilons of all releases about them: a number from
0.000001 to 100. It can be raised (`candling ledger raise`) and never lowered, and it counts in
steps of 0.000000000001, against you: budgets are rounded down, charges up. New people need one, and
a dataset that joins people who have one needs none.
""",
    "L108": """\
A newer version of candling wrote the ledger.

This version does not know the newer format, so it changes nothing. Upgrade candling.
""",
    "L109": """\
Another process has locked the ledger for too long.

Charges wait for one another, each for a few milliseconds. If one waits for half a minute, a process
that holds the lock is stopped or stuck: look for it (`fuser L` on Linux, `pg_locks` in PostgreSQL),
end it, and try again. Nothing was charged by the call that gave up, unless its message says so.
""",
    "L110": """\
The entries of the ledger are not consistent.

Each entry has a hash of itself and of the entry before it, and the budget spent so far. The message
names the first entry that is wrong: it was edited, removed, moved, or written by another program.
A trigger, a rule or another table in the ledger's file or on its tables is reported too: it could
change or hide entries. candling makes no charge on such a ledger. Restore the newest copy that
`candling ledger verify` accepts, and count again what was released since then; the receipts say how
much that was.
""",
    "L111": """\
The request id was used for another request.

A request id belongs to one release: used again, it gives the stored result at no cost. A different
dataset, epsilon, measure, rule or option needs another id.
""",
    "L112": """\
The request was charged, and no result is stored for it.

Another process is still computing it, or crashed. The charge stays spent: nobody can know whether
a number was already seen. `candling ledger show L` lists such requests. Use a new
request id.
""",
    "L113": """\
The ledger cannot be written.

The disk is full, the file or its directory may not be written to, or the device fails. candling
makes no release that it cannot charge, and shows no result that it cannot store. Free some space or
repair the place, then try again with a new request id.
""",
    "L114": """\
The ledger's server cannot be used.

Either the driver is missing (pip install 'candling[postgresql]'), or no server answers at that
address, or it rejects the login, or it may lose committed charges (fsync = off). The
message says which. Passwords are never shown; keep them in ~/.pgpass or PGPASSWORD.
""",
    "L115": """\
The ledger is older than the receipt, or it is another ledger.

A receipt names an entry of the ledger that wrote it. If the ledger does not have that entry, it was
replaced by an older copy, entries were cut off its end, or its history was rewritten: it does not
know all releases. If the receipt is from another ledger, the message says so.
""",
    "L116": """\
The file is not a receipt.

Give the JSON that `candling release ... --ledger L --json` printed, or the receipt in it, or what
`candling ledger add --json` or `raise --json` printed.
""",
    "L117": """\
The card or the receipt differs from the ledger.

The ledger has the entry that it names, but with other content: a number, a rule, a date or any
other part was changed, added or removed, or the signature does not match. The message names the
first part that differs; spaces and the order of keys may change. The same request id shows the
stored card again, for free. `candling verify` checks a card without reading the whole ledger.
""",
    "L118": """\
An older version of candling made the ledger.

Its format differs from the one that this version reads: format 2 brought the secret that signs
cards, format 3 the cards of today, format 4 times that ascend, format 5 budgets of people. A ledger
cannot be converted. `candling ledger show L` of the older version shows what is left: make a new
ledger, and add each dataset with that as its budget. If several are about the same people, add them
with the same --people, and with the budget that you allow for these people less all that was spent
on their datasets. Keep the old one with its receipts.
""",
    "L119": """\
The file of the ledger has two names.

A hard link, or a mount of this one file, gives a file a second name. After a crash the database
finds its journal by the name of the file. Under the other name it would miss the journal, and erase
later charges when the file is opened under the first name again. Keep one name: `find DIRECTORY
-samefile L` lists hard links, and instead of the file its directory can be mounted. A symbolic link
is fine.
""",
    "L120": """\
The journal beside the ledger does not belong to it.

A process crashed while it wrote, and its journal would undo that write. But the ledger was changed
since then, under another name or in another place, or a copy replaced it. Or the journal is another
user's, or a write-ahead log (`-wal`) of another program. To use it now could erase charges. Keep
copies of both files. Move the file that ends in `-journal` or `-wal` away, and run
`candling ledger verify L --receipt card.json` with the newest receipt that you have.
""",
    "L121": """\
The name looks like that of another dataset or of other people.

It differs from a name in the ledger only by case, accents, spaces, or letters of the same shape
(Cyrillic or Greek for Latin, 1 for l, 0 for O). If it means the same people, it would give them a
second budget, and what is known about them adds up over both: use the name that is there. If it
means something else, `--look-alike` adds it.
""",
    "L122": """\
The name is that of other people, or of a dataset of others.

A dataset that is added without --people opens a budget of people with its own name. If there are
people with that name already, it does not join them by chance: say `--people P` if the dataset is
about them, and choose another name if not. Likewise, new people cannot have the name of a dataset
that is about others.
""",
    "L201": """\
The budget of the people does not allow the release.

All datasets of the same people draw on one budget. The message says how much was requested, how
much remains, and the difference. Nothing was read or charged. Ask for a smaller epsilon, or let the
owner raise the limit with `candling ledger raise L --dataset D --budget B --reason "..."`: B is the
new total, and everybody in the tables of these people is protected that much less.
""",
    "L202": """\
The budget of the people does not allow moving a dataset to them.

What was spent on a dataset tells about its rows, whoever they are said to belong to. So the people
to whom it is moved carry that, too; else a move would be a way to a new budget for the same rows.
Raise their budget first (`candling ledger raise L --people P --budget B --reason "..."`), or give
new people a larger one.
""",
    "U101": """\
The memory limit is not valid, or too small.

Write a number and a unit: 500MB, 4GB, 1.5GiB. 64MB is the least with which the embedded engine
works. Beyond the limit the engine spills to a temporary directory, and so do the pairs in conflict.
""",
    "U102": """\
The time limit is not valid.

Write a number of seconds that is not negative. It limits only the search for `repair_exact`, which
is null if time runs out; every other measure is always computed.
""",
    "U103": """\
A table name was given for something that holds one table only.

--table NAME (in Python: table="NAME") chooses one of the tables inside a DuckDB or SQLite file, a
sheet of an Excel file, or a table of a database that is given by its address (postgresql://...).
Every other kind of file, and every
object, holds one table only: leave it out. With --engine, the table is named as DATA.
""",
    "U104": """\
The file to write exists already, or cannot be written.

candling does not overwrite a file that you may have edited, nor a report that may be the only copy
of what was paid for. Choose another name, or use --force (in Python: overwrite=True) if you do
not need the old file. Even so, a report only replaces another report. The folder must exist;
candling checks that it can write the report before it charges anything.
""",
    "U105": """\
A code or a word that candling does not explain.

Codes are a letter and three digits: R for rules, D for data, L for the ledger, U for usage. Words
are what candling's output is made of, such as epsilon, threshold, grade or interval.
`candling explain` without a word lists them all.
""",
    "U106": """\
The file is not the JSON of a release.

`candling explain card.json` reads what `candling release ... --json` printed. Send that to a file
and name the file; error codes are given as they stand in messages, such as D101. `candling verify`
reads the page of a release (`--report card.html`) as well.
""",
    "U107": """\
The engine does not exist, or does not fit the table.

An engine is duckdb (embedded, the default), spark, spark://HOST:PORT, sc://HOST:PORT (Spark
Connect), postgresql or postgresql://HOST/DATABASE. candling looks up a path or the name of a table
there. A table that is named by its address, and an object in Python, need no engine. Commands that
number rows (`candling owner`) work on files only: a table on a server has no first row.
""",
    "U108": """\
A method of candling-paper needs all rows in one place.

The methods of the paper go through the rows in an order, and a degree bound looks at all groups.
A table on Spark or PostgreSQL stays there: only what may be in conflict comes over. Take
`candling.release`, or export the table to Parquet and name the file.
""",
    "U109": """\
An option that says how a file is read does not fit the table.

--null, --encoding, --delimiter, --header and --type (in Python: reading=candling.Reading(...)) say
what a file does not state. --encoding and --delimiter are for CSV files, --header for CSV and
Excel, --null and --type for CSV, Excel and SQLite. Parquet, Arrow, JSON and DuckDB files, tables on
a server and objects in Python state all of it. On Spark, CSV files take one text for NULL. Leave
the option out; if it came from candling.toml, --no-config does that.
""",
    "U110": """\
An option that says how a file is read is not valid.

--encoding takes a name that Python knows, such as latin-1 or cp1252. --delimiter takes one
character, or `tab`. --type takes COLUMN=TYPE, where the table has the column and TYPE is text,
integer, number, decimal(P,S) with up to 38 digits, boolean, date or timestamp. Dates are written
2020-01-31, unless TYPE says how: date(%d.%m.%Y), timestamp(%d.%m.%Y %H:%M). A cell that does not
fit the type is NULL: which error there is must not depend on a row. `candling exact` says how many
such cells there are, and the rule `COLUMN is not null` counts them in a release.
""",
    "U201": """\
The epsilon is not valid.

Epsilon is the privacy budget of a release: a number between 0.000001 and 100. The smaller it is,
the better the rows are protected and the noisier the numbers; 1 is a common choice, above 10 little
is protected. Text such as "0.1" and fractions are taken exactly.
""",
    "U202": """\
There is no measure of that name.

Give a list of names, at least one, from those that the message lists.
""",
    "U203": """\
A number of rows is not valid.

How many rows one person may own, and how many rows a table has or may have, are whole numbers; the
message says from which value on.
""",
    "U204": """\
The split of the budget does not fit the release.

All numbers of a release are drawn at once, for one epsilon: there is nothing to split. The
exception is `worst_rule` without `by_rule`, which is paid for by itself: draw=4,worst_rule=1 gives
it a fifth. Another is choosing the rows of a person: person=1,draw=9. A split gives a share above 0
to each part, and to nothing else. Shares need not sum to 1. Measures that are derived from others
cost nothing and must not be named.
""",
    "U205": """\
The plan cannot be made.

Give either an epsilon or target errors, not both. A target error names a measure of the plan (with
@ and a threshold where it has one) and an error above 0; the message says what was wrong.
""",
    "U206": """\
The level of an interval is not a probability.

Write a number between 0 and 1, such as 0.95. No interval holds with certainty: at level 1 it would
be everything.
""",
    "U207": """\
A stored release knows its bounds at 95% only.

The ledger keeps what was shown, not the noise behind it. Ask for the interval at 0.95, or for other
levels on the card of a fresh release.
""",
    "U208": """\
A charged release needs both a ledger and a dataset.

The ledger keeps many budgets, and the dataset says which one pays: --ledger L --dataset D (in
Python: ledger="L", dataset="D"). A request id, and who asks, mean something only to a ledger. If
CANDLING_LEDGER is set in the environment, every `candling release` needs --dataset.
""",
    "U209": """\
A name or a reason cannot be used.

Names of datasets, people and request ids have 1 to 200 characters, all of which can be seen, and do
not start or end with a space. The name of a new dataset, or of new people, must not mix Latin
letters with Greek or Cyrillic letters of the same shape in one word. To raise a budget, name the
people or a dataset of theirs. To raise it or to move a dataset needs a reason, in up to 2,000
characters. All arguments are text in UTF-8: a file whose name is in another encoding must be
renamed.
""",
    "U210": """\
A method of candling-paper needs a bound on the number of rows.

It puts noise of the size of the table on the measures, so it must know how large the table can be.
State a public bound (`max_rows`), or release `rows` too: the noisy number serves as a bound.
""",
    "U211": """\
The experiments cannot be run.

Either there is no experiment of that name (`candling reproduce --list` shows them), or the folder
of datasets does not exist or has none of them (name none to use look-alikes), or a file there lacks
columns that the rules read, or one of several processes was ended from outside, or matplotlib,
which draws the figures, is missing: pip install candling-paper
""",
    "U212": """\
There is no such method. This code is no longer used.

`candling release` draws all numbers at once, which is the most accurate. The published methods are
functions of the package candling-paper, to compare: pip install candling-paper
""",
    "U213": """\
A Python call has an argument that the function does not take, or lacks one.

The message names the function and the argument, and what it should be. `help(candling.release)`
and docs/reference/api.md list what each function takes; most arguments are given by their names.
""",
    "U214": """\
The rules of a Python call are neither rules nor a file with rules.

Give a rule as text ("Zip -> City"), a list of such texts, the path of a rules file, or what
`candling.load_constraints` and `candling.parse_constraints` give. A text is taken for a path if it
ends in .txt, .yaml, .yml or .rules, or if a file of that name exists. If it is also a rule, say
which is meant: pathlib.Path("...") is always a path, candling.parse_constraints("...") always
rules.
""",
    "U215": """\
No rules file was named.

`candling check rules.txt` checks the rules, `candling check visits.csv rules.txt` also whether a
table has the columns for them. `rules = "rules.txt"` in candling.toml is the default.
""",
    "U216": """\
The person of a release does not fit the table.

--person COLUMN (in Python: person="COLUMN") names the column whose values say whose row it is.
Several have commas between them, as in --person country,patient (in Python: a list), and each
stands there once; a name with a comma in it stands in double quotes: --person '"name, first"'. The
table must have the columns, and their values must be ids that can be told apart: no lists, structs
or points in time, and no integers of 128 bits. In CSV, Excel and SQLite files they are read as
text, unless --type states another type. Rows with
NULL in one of them belong to nobody and are left out. A public number of rows (--public-rows) does
not go with it: how many rows are kept depends on the persons. State a bound on them, --max-rows.
`candling exact` keeps --rows-per-person rows of each person only if it is told who that is.
""",
    "U217": """\
One row of each person is kept, and a rule compares the rows of one person.

`patient -> birthdate` says that the rows of a patient agree. With --person patient and one row of
each, no table breaks it, and the grade would say nothing of it. State two rows or more with
--rows-per-person 2 (in Python: rows_per_person=2), let the release choose (it then takes two at
least), or leave the rule out.
""",
    "U301": """\
candling.toml cannot be used.

It holds defaults for options that are the same in every call: ledger, dataset, rules, engine,
memory, format, person, rows_per_person, max_rows, and how a file is read: null, encoding,
delimiter, header and type (null = ["NA", "N/A"], type = { Zip = "text" }). The message names the
file, the line and the setting. candling searches the current directory and those above it, up to
the root of the git repository or your home; paths in the file are relative to it. It never holds an
epsilon. The address of a server (an engine or a ledger with ://) is taken only from a file in the
current directory, or from one that you name with `--config FILE` or CANDLING_CONFIG. The command
line overrides the file, and `candling --no-config ...` ignores it.
""",
    "U302": """\
The gate cannot be read.

A gate is the grade, a measure or a rule, perhaps divided by `rows`, a comparison (> >= < <=) and a
number, which may end in % where it is a share: --fail-if "grade < 95%", --fail-if "repair/rows >
2%", --fail-if "rows < 10,000". The measures are repair, rows, problematic, minimal_inconsistent,
drastic and maximal_consistent. A rule is named by its label, --fail-if "zip-city > 0", or by its
text in double quotes, --fail-if '"Zip -> City" > 0': then the fewest rows that must go for this
rule alone are compared. A gate fails (exit code 1) if its condition holds in all of the 95%
interval, passes if it holds in none of it, and cannot tell (exit code 4) if the interval contains
the limit.
""",
    "U303": """\
The gate needs a number that the release will not have.

A gate looks at released numbers and at nothing else, so its measure, and `rows` if it divides by
them, must be among --measures and must be allowed by the rules; the grade needs
`repair` and `rows`, a gate on one rule `by_rule`. Nothing was read or charged. The numbers
repair_exact, repair_linear, max_degree and maximal_consistent_log2 are known to `candling exact`
only.
""",
    "U304": """\
The owner's copy or page cannot be written there.

The cleaned copy is a new .csv, .tsv or .parquet file beside the table, never the table itself, and
replaces an existing file only with --force. The same holds for the page. Both hold rows
of the table as they are: keep them where the table may be kept.
""",
    "U305": """\
There is no such format.

A release is printed as a table for people, or as json, csv or markdown: --format json, or --json
for short. `junit` and `sarif` report gates, or what is wrong with rules, to pipelines. Not every
command has every format. The exit code is the same in every format.
""",
    "U306": """\
The key is not the public key of a ledger.

`candling verify card.json --key KEY` takes what `candling ledger key L` printed: `ed25519:` and 44
characters, or the path of a file with it. Use either --key or --ledger: a ledger has its own key.
""",
    "U307": """\
Somebody else could have written candling.toml.

Settings say where a charge goes and which server gets a password. So the file must belong to you or
to root, nobody else may write to it or to its directories, and the same holds for links to it; the
message says what is wrong, and the command that mends it. A directory that everybody may write to
is fine if it is sticky, as /tmp is. A group that only the owner is in does no harm.

If the file is as it should be, name it: `--config FILE`, or CANDLING_CONFIG in the environment.
Then its owner and group do not matter; a file that everybody may write to is never obeyed.
`--no-config` leaves it out. If somebody else put the file into a directory above that everybody may
write to, candling says so, ignores it and goes on.
""",
    "U308": """\
The format reports gates, and there is none.

`--format junit` and `--format sarif` say of each gate whether it passes, fails or cannot tell. Add
a gate with --fail-if. Nothing was read or charged. In JUnit a gate that cannot tell is an error, as
it stops the pipeline with exit code 4; in SARIF it is a result of the kind `open`.
""",
    "U309": """\
The request id cannot be made.

`--request-id auto` makes it from the commit, from --table-version and from what is asked (dataset,
rules, epsilon, measures), so that a pipeline which runs again gets the stored card and pays once.
The commit is in GITHUB_SHA, CI_COMMIT_SHA or a similar variable of the service, or is that of the
git repository. The version of the table is a public name that changes with every load: a date, a
number, a version of Delta or Iceberg. It is shown on the card, so it must not be a digest of the
rows, by which others could test a guess at them. To pay once for a table whatever the commit,
name the id yourself: --request-id visits-2026-11.
""",
    "U310": """\
An input of the GitHub Action cannot be used.

The action runs `exact` (the default), `release` or `check`. It needs `rules`, and `data` unless it
only checks rules. `epsilon`, `measures`, `ledger`, `dataset`, `request-id` and `table-version` are
for `release`, and `fail-if` is for `exact` and `release`. action.yml describes each input.
""",
    "U401": """\
The two cards cannot be compared.

They were made with different rules, or they are of different rows: one of persons and one of single
rows, or with another number of rows of each person. So their numbers do not mean the same. The
message says which. State --rows-per-person where releases of persons are to be compared: a number
that is chosen can change. `candling compare A B --anyway` compares them
anyway; read the verdict with that in mind.
""",
    "U402": """\
A frame needs pandas.

`card.to_frame()` gives a pandas DataFrame: pip install pandas. Without it, `card.to_dict()` has the
same numbers.
""",
    "U501": """\
The file cannot be imported.

`candling import` reads a dbt schema file (models, seeds, snapshots, sources), SQL with CREATE TABLE
and ALTER TABLE, a data contract of the Open Data Contract Standard, a Great Expectations suite in
JSON, or a pandera schema in YAML or JSON, of up to 4 MB. It looks at the content; `--format` says
what the file is meant to be, and `--dialect` which SQL it speaks.
""",
    "U502": """\
There is no such format or dialect to import.

Formats are dbt, sql, odcs, gx and pandera. Dialects are those of sqlglot: postgres, duckdb, mysql,
sqlite, snowflake, bigquery, spark and others that the message lists.
""",
    "U503": """\
The file describes several tables, or not the one that was asked for.

A rules file is for one table: choose it with `--table NAME` (or `--model NAME`), and import the
others into files of their own. The message lists the names. A table of a dbt source is
`source.table`, or `table` where that is enough.
""",
    "U504": """\
A public list is not named as it should be.

A foreign key can be said as a rule if the table that it refers to is public and is a CSV file:
`--public countries=countries.csv`. The name is that of the table in the imported file, the column
is the one that the foreign key names.
""",
    "U505": """\
`candling suggest` needs Desbordante.

It is the library that searches for dependencies and keys which nearly hold:
pip install 'candling[suggest]'
""",
}
