"""What each code of a message about rules means, for `candling explain CODE`.

R1xx: a rule cannot be read. R2xx: it does not fit the table. R3xx: a warning; it is read and used.
A code never changes its meaning between releases.
"""

from __future__ import annotations

from collections.abc import Mapping

CODES: Mapping[str, str] = {
    "R101": """\
The rules file cannot be opened.

It does not exist, is a directory or a pipe, may not be read, or is larger than 4 MB. Check the
path, and from which directory you run the command.
""",
    "R102": """\
The rules file is not UTF-8 text.

Rules are plain text or YAML in UTF-8. A spreadsheet, a compressed file or text in an old encoding
must be converted first, for example with `iconv -f latin1 -t utf-8 old.txt > rules.txt`.
""",
    "R103": """\
There is no rule in the file.

It is empty, or everything in it is a comment. Write one rule per line:

    Zip -> City                        # rows that agree on Zip agree on City
    key(Ward, Bed)                     # no two rows agree on both
    not(t1.Discharged < t1.Admitted)   # no row is like this
""",
    "R104": """\
A table was given where rules are expected.

Commands take the table first and the rules second: candling exact visits.csv rules.txt. A file of
rules ends in .txt, .rules, .yaml or anything that no table ends in.
""",
    "R105": """\
There are too many rules, or one of them is too long.

A file has up to 2,000 rules and 4 MB, a rule up to 200,000 characters; `A -> B, C` counts as two.
Rules are compared with each other to find what can be computed exactly, which would take minutes
with more. Lists from a tool that discovers rules hold many that others imply: leave those out.
""",
    "R110": """\
The rule does not follow the grammar.

The message says what could stand at the caret. A rule is one of

    A, B -> C, D                       a functional dependency
    key(A, B)                          a key
    A -> B where C = 'x' and D > 5     either of them, among the rows that meet a condition
    not(t1.A = t2.A and t1.B > t2.B)   what no two rows may do
    not(t1.A < 0)                      what no row may do
    A >= 0                             what every row must be
    A is not null
    A between 0 and 120
    A in ('x', 'y')
    A matches '^[0-9]{5}$'
    length(A) = 5
    check (A + B = C or C is null)

and may start with a label, as in `zip-city: Zip -> City`. A column whose name has a space, a dot
or another symbol is written in double quotes: "date of birth" -> Age.
""",
    "R111": """\
A quote is never closed.

Strings stand in single quotes, names with spaces or symbols in double quotes. A quote inside is
written twice: 'O''Hara', "5"" disk".
""",
    "R112": """\
Parentheses do not match, or are missing.

Write what must not happen in parentheses after `not`: not(t1.A = t2.A and t1.B != t2.B).
""",
    "R113": """\
A column has no row name where others have one, or a rule compares with NULL.

A rule about two rows names the row of each of its columns: not(t1.Age = t2.Age and t1.Pay <
t2.Pay). A string takes single quotes, not(t1.Country = 'UK'); double quotes are for names. No
comparison with NULL is true: write `Age is null` or `Age is not null`.
""",
    "R114": """\
A row name, or a name with a dot, is where a plain column name must be.

Dependencies, keys and `where` name columns alone: write `Zip -> City`, not `t1.Zip -> t1.City`. If
the column's name has a dot, quote it: "address.zip" -> City. Inside not(...) a column is its row
and its name, t1.Zip, without the table's name between them.
""",
    "R115": """\
The rule names more than two rows.

A rule is about one row or about a pair of rows: not(t1.A = t2.A and t1.B > t2.B). The names are
free, but there may be only two, so look for a typing error such as t3 for t2.
""",
    "R116": """\
The rule compares two constants.

One side of each comparison must be a column, such as t1.Age in not(t1.Age < 0).
""",
    "R117": """\
The rule has a symbol or a word that rules do not have.

Rules have -> for dependencies, = != < <= > >= for comparisons, `and`, `or` and `not`, is null,
between, in, matches, like, the functions abs and length, and straight quotes. There is no `or`
across two rows: what not(t1.A = t2.A or t1.B = t2.B) means is written as two rules, each on its own
line. There is no current date: write the day.
""",
    "R118": """\
A constant is not a valid value.

Dates are written 2020-01-31 and timestamps 2020-01-31T12:00:00, without quotes and without a time
zone, and must exist (2021-02-29 does not). Numbers are 42, -1.5 or 2e6, with at most 400 digits.
Arithmetic needs a column: 01/02/2020 is a division, not a date.
In U&'...' and U&"..." a backslash starts a character's number: \\000A or \\+01F600.
""",
    "R119": """\
The file is not YAML.

A file that ends in .yaml or .yml, or that starts with `- `, is read as a YAML list. A rule that
starts with a quote, or holds a colon or a `#` in quotes, confuses YAML: put all of it in quotes, or
use a block:

    - >-
      "date of birth" -> Age

A list of rules has no aliases (*name) and no lists inside of lists.
""",
    "R120": """\
An item of a YAML list is not a rule.

Each item is a rule, or a mapping with `rule` and perhaps `label`:

    - Zip -> City
    - {label: zip-state, rule: Zip -> State}

A label may stand in the mapping or before the rule, not in both places.
""",
    "R121": """\
The pattern cannot be used.

A pattern after `matches` is a regular expression that means the same on every engine: characters,
`.`, [a-z], [^a-z], (...), (?:...), |, * + ? {2} {2,} {2,5}, ^ and $, \\d \\w \\s \\D \\W \\S (of
ASCII), and \\ before a sign. It is found anywhere in the text unless ^ and $ bind it to the ends.
Lookaround, references to groups, \\b, \\p{...} and flags such as (?i) differ between engines.
""",
    "R122": """\
A part of the rule makes no sense where it stands.

A condition stands where a value must be, or the other way round; `is null`, `in`, `matches` are
said of a column; arithmetic is for the columns of one row, and must not leave the range of numbers;
a rule about two rows is written in not(...). The message names the part.
""",
    "R123": """\
The list of values in a file cannot be used.

`Code in file('icd.csv', 'code')` takes the column `code` of a CSV file, and file('codes.txt') the
lines of a text. Paths are seen from the rules file. The list is public: it is part of the rule,
and a digest of it stands on the card ('sha256:...'). If the rule has a digest, the file must
still have it. A list has up to 100,000 values and 16 MB.
""",
    "R201": """\
The table has no such column.

Names must match exactly, also in upper and lower case. The message gives the most similar name.
A string takes single quotes: in `where Country = "UK"`, "UK" is a column.
""",
    "R202": """\
Two columns of different types are compared.

Numbers compare with numbers, strings with strings, booleans with booleans, times with times, bytes
with bytes, dates and timestamps with each other. A column of numbers that was read as strings is
better converted in the table than in the rule.
""",
    "R203": """\
A column is compared with a constant of another type.

Numbers, dates, timestamps and booleans take no quotes (42, 2020-01-31, 2020-01-31T12:00:00, true);
strings take single quotes. If the column holds codes that look like numbers but are strings, write
'42'.
""",
    "R204": """\
The column has a type that no rule can compare.

Lists, structs, maps and the like have no order that all engines agree on. Put the part that you
need into a separate column.
""",
    "R205": """\
None of the columns that the rules name is in the table.

Either the rules belong to another table, or the file has no line with the names of its columns at
its top, or table and rules were swapped. The message does not show the names in the file: without
such a line they are the values of the first row, and --no-header calls the columns column0,
column1, ... instead. `candling init` writes a rules file with the names that candling sees.
""",
    "R206": """\
A part of a condition does not fit the types of its columns.

Patterns and length() are for text. Arithmetic is for numbers; the difference of two dates or
timestamps is a number of days, and a date plus or minus a number of days is a date.
""",
    "R301": """\
The rule repeats an earlier one.

Both forbid the same rows, however they are written: not(t1.A = t2.A and t1.B != t2.B) is A -> B.
It counts once; you may delete it.
""",
    "R302": """\
The rule is the mirror image of an earlier one.

A rule about two rows holds in either order, so exchanging t1 and t2 changes nothing:
not(t1.Pay > t2.Pay and t1.Tax < t2.Tax) is not(t1.Pay < t2.Pay and t1.Tax > t2.Tax). It counts
once; you may delete it.
""",
    "R303": """\
The rule can never fire.

No rows can satisfy everything that it forbids, whatever the table holds, as in not(t1.A < 3 and
t1.A > 5) or A, B -> A. The message names the part that contradicts itself. The rule is left out;
look for a typing error.
""",
    "R304": """\
Two rules have the same label.

Both are used, but in a report that names rules by their labels they look the same. Rename one.
""",
    "R305": """\
The rule compares with the empty string, and does not match missing values.

A missing value (NULL) satisfies no comparison, not even = ''. In a CSV file an empty cell is a
missing value, unless it is written as "" in quotes. So not(t1.Score = '') counts cells that hold an
empty string, and no missing ones.
""",
    "R306": """\
A word without quotes is read as a string.

Desbordante writes not(s.State == Texas): beside a column with a row name, a word is a string. If a
column was meant, give it its row name; if not, single quotes make it clear: 'Texas'.
""",
}
