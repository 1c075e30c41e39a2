"""What people see of a result: `views/` turns it into a view, and a renderer writes any view.

The words, the tables and the order of a card, exact numbers, a plan or a comparison are in `views/`
only. `text`, `terminal`, `markdown` and `html` write them; `csv` and `ci` write numbers and
verdicts for other programs. Nothing here computes a number of a release.
"""
