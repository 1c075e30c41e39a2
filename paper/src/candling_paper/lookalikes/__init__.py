"""Tables that look like the paper's, of any size, for machines that do not have the files.

Each function takes a number of rows and a seed and gives a table with the columns and types of
the real one, on which the rules of the real one (`rules`) hold exactly. What is built in are
summary statistics of the real tables: how many values a column has, how often the frequent ones
occur, which depends on which. No row is anybody's. With RNoise on top the conflict graphs are
about as dense as those of the real tables, which is all that the experiments need.
"""

from pathlib import Path

from candling_paper.lookalikes.adult import adult
from candling_paper.lookalikes.flight import flight
from candling_paper.lookalikes.hospital import hospital
from candling_paper.lookalikes.stock import stock, thin_stock
from candling_paper.lookalikes.tax import tax

__all__ = ["adult", "flight", "hospital", "rules", "stock", "tax", "thin_stock"]


def rules(name: str) -> Path:
    """The file of rules that hold on the look-alike `name`, "tax" for example."""
    return Path(__file__).with_name(f"{name}.constraints.txt")
