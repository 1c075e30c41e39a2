"""The words on candling's screens, for `candling explain`: each in a few plain sentences.

Codes are explained in `codes.py` and measures in their own files. A word that only names a part of
another one (`low` of an interval) has its line in `MEANT_BY`. The test finds every word of the
outputs that is explained nowhere.
"""

from __future__ import annotations

WORDS: dict[str, str] = {
    "epsilon": """\
The price of a release in privacy: how much it may tell about any one person.

With epsilon 1, no outcome of a release becomes more than e = 2.7 times as likely because a
person's rows are in the table. Smaller is more private and noisier. Releases of the same table add
up: two with 0.5 tell as much as one with 1, and a ledger keeps count. Start with 1, and let
`candling plan rules.txt --epsilon 1` show how noisy that is.
""",
    "budget": """\
The most epsilon that all releases about the same people may spend together.

The owner states it with the first dataset of these people: `candling ledger add L --dataset visits
--people patients --budget 5`. Every other dataset about them draws on it, too.
`charged` is what one release took, `spent` what all took so far, `limit` the budget, and
`remaining` what is left of it. A release that needs more is refused before a row is read.
""",
    "privacy": """\
Differential privacy: a release looks almost the same with and without any one person.

Random noise on every number hides whether a person's rows are in the table. How well it hides
them is the epsilon. The guarantee holds whatever the reader knows already, and for everything
that is made from a card later. The proofs are in docs/privacy.md.
""",
    "not_private": """\
NOT PRIVATE: the output holds true values or rows of the table.

`candling exact`, `candling owner` and what they give in Python have no noise and spend no epsilon.
They are for those who may see the rows anyway. Do not publish them, and do not send them to
somebody who got a release of the same table: together they undo the noise.
""",
    "noise": """\
A random number that is added to a true number before anybody sees it.

Its size depends on the epsilon and on how far one person can move the number, never on the rows.
`candling plan rules.txt --epsilon 1` shows the mean error that it makes. The interval beside a
number says where the true number is all the same.
""",
    "interval": """\
Where the true number is, with a probability of 95% or more: from `low` to `high`.

A released value is off by its noise, so go by the interval: "repair 162, 145 to 358" means that
the smallest repair is very likely between 145 and 358 rows. `level` is that probability, which
is also called confidence. `high` is null where no honest upper bound exists, and the `reason`
says why; `--max-rows` often gives one. In Python, `card.repair.interval(0.99)` gives another level.
""",
    "value": """\
The released number: the true one with noise, or one that is made from such numbers.

It is the best guess, and every run gives another one. Use it in a picture, and the interval to
decide. A value that is null was not released, for the `reason` beside it.
""",
    "threshold": """\
In how many conflicts one row counts at most.

One row can be in conflict with all others, so counting all conflicts would need noise of the size
of the table. `problematic` and `minimal_inconsistent` are cut off at a threshold, which the release
chooses by itself, with noise. A small one adds little noise and misses conflicts of rows that have
more. A threshold of 16 counts at most 16 conflicts of each row.
""",
    "person": """\
Whose rows the guarantee hides: single rows, or all rows of a person.

Without `--person`, each row is taken for its own person. That is the owner's word, and nothing
checks it: for somebody with ten rows, epsilon counts ten times. `--person patient` names the column
that says whose row it is (`--person country,patient` where it takes two). Rows that agree on these
`columns` belong to one person, and those without a value there are left out. At most
`rows_per_person` rows of each person are kept, and all numbers are of the kept rows
(docs/persons.md). Where none is named, `unused` are columns whose names look like ids of persons.
""",
    "rows_per_person": """\
With `--person`, how many rows of each person are kept at most. Without, how many one may have.

Noise grows with this number, so state a small one: `--person patient --rows-per-person 8` keeps
eight rows of a patient who has more, always the same ones, and the numbers are of the kept rows
(`stated`). If you do not state it, a tenth of epsilon chooses it (`chosen`). Without `--person` it
is what the owner says of the table (`promised`), 1 unless stated: nothing checks it, and nothing
is left out.
""",
    "draw": """\
All numbers of a release get their noise at once, and share its epsilon.

That is more accurate than paying for each number by itself, so no number has an epsilon of its own.
`candling release --method` with the package candling-paper adds the published methods, which pay
measure by measure, to compare.
""",
    "card": """\
What one release gives: the grade, the measures with their intervals, and how it was made.

`candling release ... --json > card.json` stores it, `--report card.html` makes a page of it, and
`candling explain card.json` puts it into words. A card can be shown and compared for free: only
making a new one costs epsilon. `schema` is the version of its format, `about` says how and when it
was made, and with which version of candling.
""",
    "release": """\
To compute noisy numbers of a table and show them: the only thing that costs epsilon.

`candling release visits.csv rules.txt --epsilon 1` makes a card. The same command again draws new
noise and spends epsilon again, unless a ledger and a `--request-id` give the stored card.
""",
    "rule": """\
What should hold in the table: a functional dependency, a key, or what no row may be.

`Zip -> City` says that rows with the same zip code have the same city. A rules file has one rule a
line, perhaps with a label before it (`zip-city: Zip -> City`) by which reports and gates call it.
`candling check rules.txt` shows the `kind` of each rule and the line where it stands.
docs/rules.md has the language.
""",
    "kind": """\
Of a rule: what sort of rule it is. Of a repair number: what it says of the smallest repair.

Rules: `fd` is a functional dependency, `key` a key, `order` a comparison between two rows, `row` a
rule about single rows, `general` everything else; a `conditional` one holds for some rows only,
and `equal` are the columns on which two rows must agree to break it. Repair: `exact` is the
smallest repair, `lower_bound` at most that and at least half of it, `cover` at most twice it.
""",
    "key": """\
Of a table: columns that no two rows share. Of a ledger: what its cards are signed with.

The rule `key(Visit)` says that no two rows have the same visit number. The key of a ledger is
public: `candling ledger key L` prints it, and `candling verify card.json --key KEY` uses it.
""",
    "conflict": """\
A pair of rows that break a rule together, or one row that breaks a rule alone.

Two rows with the same zip code and different cities are in conflict under `Zip -> City`.
`minimal_inconsistent` counts conflicts, `problematic` the rows in one. `candling owner conflicts`
lists them for the owner: `row` is the number of a row, `with` the first row that it is in conflict
with, `in_conflict` how many rows are in one.
""",
    "gate": """\
A condition at which a pipeline stops: --fail-if "repair/rows > 2%".

On a release it is judged by the interval. It fails (exit code 1) if the condition holds everywhere
in it, passes if it holds nowhere, and cannot tell (exit code 4) if the limit is inside. On `exact`
it is judged by the true value and costs no epsilon. `zip-city > 0` is about the rule with that
label. `outcome` is what a gate says: pass, fail or cannot tell.
""",
    "cannot_tell": """\
The interval contains the limit of a gate, or a change of 0: noise hides the answer.

The pipeline stops with exit code 4, as nobody knows that the table is fine. A larger epsilon, a
stated number of rows (`--public-rows`) or a limit further away makes the interval decide. The owner
can also ask `candling exact`, which has no noise.
""",
    "verdict": """\
What `candling compare` says of two cards: better, worse, same or cannot tell.

A difference is called better or worse only if noise does not explain it. The grade decides where
both cards have it, otherwise the counts: `decided_by` names them. `neither` stands beside a number
of which more is not better or worse, such as the rows. `difference` is B minus A.
""",
    "error": """\
How far off a released number will be on average, because of noise.

`candling plan rules.txt --epsilon 1` shows it before anything is spent, at several thresholds where
a number has them (`error_by_threshold`). `candling plan rules.txt --error repair=5` finds the
smallest epsilon with which `repair` is off by 5 rows on average.
""",
    "method": """\
How noise is added.

The method `one draw` is the default and the most accurate. The package candling-paper adds the
published methods (`--method paper-...`), which pay for each measure by itself, to compare.
""",
    "public_rows": """\
The number of rows, if it is not a secret: `--public-rows 10000`.

Then nothing is spent on it, and the other numbers get tighter intervals. It must be true, and it
must really be public: it is on the card.
""",
    "max_rows": """\
A public bound on the number of rows: `--max-rows 1000000`.

It gives upper bounds where there would be none. It must not be made from the table, but from what
everybody may know, such as the number of people in a country.
""",
    "per_row": """\
A number divided by the number of rows, with an interval of its own.

Counts grow with the table, shares do not: gates and comparisons should go by shares. In a gate it
is written `problematic/rows > 5%`. `repair` per row is 1 minus the grade.
""",
    "ledger": """\
A file or a database that keeps the budgets of people, their datasets, and every release.

It charges a release before it is made, refuses what the budget does not allow, and signs cards.
`candling ledger init L` makes one, `candling ledger show L` lists what is left, `candling ledger
verify L` finds tampering. A ledger for `trial` may be in memory. docs/ledger.md says what it
guarantees.
""",
    "dataset": """\
The name in a ledger of one table, whatever its file is called.

It draws on the budget of the people whom it is about. `candling ledger add L --dataset visits
--people patients --budget 5` adds one. `charged` is what all its releases took.
""",
    "people": """\
The name in a ledger of those whom datasets are about, and whose budget these share.

What is known of a person adds up over all tables with rows of that person. So the budget belongs to
the people: a release of `visits` lowers what is left for `prescriptions` if both are about
`patients`. A dataset that is added without --people has people of its own. `candling ledger move`
moves it to others, who then carry what was spent on it, too.
""",
    "receipt": """\
The proof on a card that a ledger charged it: entry, hash, and what was left.

`sequence` is the number of the entry in the ledger, `head` the hash of the entry and of all before
it. `candling ledger verify L --receipt card.json` finds out whether the ledger still has that
entry, and so whether it was replaced by an older copy.
""",
    "request_id": """\
The name of one request: the same name again gives the stored card, for free.

A pipeline that runs again should not pay again: `--request-id visits-2026-11`, or `--request-id
auto` with `--table-version`, which makes it from the commit, the version of the table and what is
asked. `repeated` on a receipt says that the card was stored. Another request needs another id.
""",
    "signature": """\
What a ledger adds to a card so that nobody can change a number in it unnoticed.

It is made with a secret of the ledger by the `algorithm` Ed25519, over everything on the card.
`candling verify card.json --key KEY` checks it with the public key, and needs no ledger.
""",
    "repair_linear": """\
The repair number by a linear program. Not private, in `candling exact` only.

It is a multiple of 1/2, at most the smallest repair and at least half of it. It can be computed on
every table, where the smallest repair itself may take too long.
""",
    "repair_exact": """\
The smallest repair: the fewest rows without which every rule holds. In `candling exact` only.

It has no noise and is not private. It is null if the search did not end within its time; then
`repair` and `repair_linear` bound it. A gate on `exact` compares this number.
""",
    "max_degree": """\
The most conflicts that one row has with others. Not private, in `candling exact` only.

A number far above the others means that single rows are in conflict with many: a wrong zip code,
or a default value that many rows share.
""",
    "maximal_consistent_log2": """\
The log2 of the number of maximal consistent subsets. Not private, in `candling exact` only.

Such a subset breaks no rule, and no further row can join it. 10 stands for 2^10 = 1,024 of them. It
is null where the rules make counting too hard.
""",
    "drastic_test": """\
How sure `drastic` is: what it would have noticed, and how often it is wrong.

`detects_repair_of` is the number of rows to delete that it notices with probability 95%.
`false_alarm` is the probability that it says yes of a table in which every rule holds: 0.05 or
less.
""",
    "smallest": """\
Whether a set of rows to remove is proved to be the smallest.

`candling owner repair` searches for the fewest rows without which every rule holds. If the time
limit ends the search, the set is at most twice the smallest, and `smallest` is false. `removed` are
the rows, `kept` is the number of the others, and `breaks` names the rules that a row breaks.
""",
    "finding": """\
A doubt about a rule, or what is wrong with a card or a ledger.

`candling check` lists findings of rules with a code that starts with R3: such rules are used, and
are perhaps not what was meant. `problems` are mistakes, with which no rule is used.
""",
    "source": """\
The file that the rules come from, and the line in it.

Messages and reports (`--format sarif`) name the place of a rule as file:line.
""",
}

# Words that are a part of another one, or another word for it.
MEANT_BY: dict[str, str] = {
    **dict.fromkeys(("low", "high", "level", "confidence", "95% interval"), "interval"),
    **dict.fromkeys(("charged", "limit", "spent", "remaining", "left"), "budget"),
    **dict.fromkeys(("reason", "note"), "value"),
    **dict.fromkeys(("about", "schema", "time", "candling", "report", "scorecard"), "card"),
    **dict.fromkeys(("rules", "label", "line", "constraint", "constraints"), "rule"),
    **dict.fromkeys(
        ("fd", "order", "row", "general", "conditional", "equal", "exact", "lower_bound", "cover"),
        "kind",
    ),
    **dict.fromkeys(("conflicts", "with", "in_conflict", "values", "shown"), "conflict"),
    **dict.fromkeys(("gates", "outcome", "pass", "fail"), "gate"),
    **dict.fromkeys(
        ("better", "worse", "same", "neither", "decided_by", "difference", "change", "a", "b"),
        "verdict",
    ),
    **dict.fromkeys(("error_by_threshold", "errors"), "error"),
    **dict.fromkeys(("measures", "measure"), "release"),
    **dict.fromkeys(("one_draw", "split"), "draw"),
    **dict.fromkeys(("budgets",), "budget"),
    **dict.fromkeys(("datasets",), "dataset"),
    **dict.fromkeys(("created", "place", "results", "trial", "without_result", "entry"), "ledger"),
    **dict.fromkeys(("sequence", "head", "hash"), "receipt"),
    **dict.fromkeys(("repeated", "request", "table_version"), "request_id"),
    **dict.fromkeys(("algorithm", "file", "good", "message"), "signature"),
    **dict.fromkeys(("detects_repair_of", "false_alarm"), "drastic_test"),
    **dict.fromkeys(("removed", "kept", "breaks", "copy"), "smallest"),
    **dict.fromkeys(("findings", "problems", "warnings"), "finding"),
    **dict.fromkeys(("columns", "unused", "persons"), "person"),
    **dict.fromkeys(("promised", "stated", "chosen", "rows_planned"), "rows_per_person"),
    "private": "not_private",
    "differential_privacy": "privacy",
    "unit": "maximal_consistent_log2",
}
