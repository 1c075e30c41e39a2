"""A table like the Adult table of the UCI repository: people of the 1994 census."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from candling_paper.lookalikes.pools import check_rows, drawn, picked

# Levels of education in order of their number, with rows of the real table.
_EDUCATION = {
    "Preschool": 51,
    "1st-4th": 168,
    "5th-6th": 333,
    "7th-8th": 646,
    "9th": 514,
    "10th": 933,
    "11th": 1175,
    "12th": 433,
    "HS-grad": 10501,
    "Some-college": 7291,
    "Assoc-voc": 1382,
    "Assoc-acdm": 1067,
    "Bachelors": 5355,
    "Masters": 1723,
    "Prof-school": 576,
    "Doctorate": 413,
}
# The columns that no rule reads, in thousandths.
_UNKNOWN = "noValueSetHere123156456"
_WORK = {
    "Private": 697,
    "Self-emp-not-inc": 78,
    "Local-gov": 64,
    _UNKNOWN: 57,
    "State-gov": 40,
    "Self-emp-inc": 34,
    "Federal-gov": 30,
}
_MARITAL = {
    "Married-civ-spouse": 460,
    "Never-married": 328,
    "Divorced": 137,
    "Separated": 32,
    "Widowed": 30,
    "Married-spouse-absent": 13,
}
_OCCUPATION = {
    "Prof-specialty": 127,
    "Craft-repair": 126,
    "Exec-managerial": 125,
    "Adm-clerical": 116,
    "Sales": 112,
    "Other-service": 101,
    "Machine-op-inspct": 62,
    _UNKNOWN: 57,
    "Transport-moving": 49,
    "Handlers-cleaners": 42,
    "Farming-fishing": 30,
    "Tech-support": 29,
    "Protective-serv": 20,
    "Priv-house-serv": 5,
}
_RELATIONSHIP = {
    "Husband": 405,
    "Not-in-family": 255,
    "Own-child": 156,
    "Unmarried": 106,
    "Wife": 48,
    "Other-relative": 30,
}
_RACE = {
    "White": 854,
    "Black": 96,
    "Asian-Pac-Islander": 32,
    "Amer-Indian-Eskimo": 10,
    "Other": 8,
}
_COUNTRY = {
    "United-States": 896,
    "Mexico": 20,
    _UNKNOWN: 18,
    "Philippines": 6,
    "Germany": 4,
    "Canada": 4,
    "India": 3,
    "Cuba": 3,
}

# Nine rows in ten have neither a gain nor a loss, and none has both.
_GAIN_SHARE, _LOSS_SHARE = 0.0833, 0.0467
_GAINS, _LOSSES = 118, 91  # distinct values
# Of those that are not 0, at the quantiles 0, 0.1, 0.25, 0.5, 0.75, 0.9 and 1 of the rows.
_QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
_GAIN_QUANTILES = (114, 2329, 3411, 7298, 14084, 15024, 99999)
_LOSS_QUANTILES = (155, 1504, 1672, 1887, 1977, 2339, 4356)


def adult(rows: int, seed: int) -> pa.Table:
    """`rows` people in 15 columns; the same seed gives the same table.

    The level of education and its number determine each other, and a person with a capital gain
    has no capital loss.
    """
    check_rows(rows)
    rng = np.random.default_rng([seed, 2])  # not the stream of RNoise with this seed
    education = drawn(list(_EDUCATION.values()), rows, rng)
    luck = rng.random(rows)
    gain, loss = luck < _GAIN_SHARE, luck >= 1 - _LOSS_SHARE
    return pa.table(
        {
            "Age": np.clip(17 + rng.gamma(2.4, 9.0, size=rows), 17, 90).astype(np.int64),
            "WorkClass": _any_of(_WORK, rows, rng),
            "Fnlwgt": np.exp(rng.normal(12.0, 0.55, size=rows)).astype(np.int64),
            "Education": picked(list(_EDUCATION), education),
            "EduNum": education + 1,
            "MaritalStatus": _any_of(_MARITAL, rows, rng),
            "Occupation": _any_of(_OCCUPATION, rows, rng),
            "Relationship": _any_of(_RELATIONSHIP, rows, rng),
            "Race": _any_of(_RACE, rows, rng),
            "Sex": _any_of({"Male": 669, "Female": 331}, rows, rng),
            "Gain": np.where(gain, _amounts(_GAIN_QUANTILES, _GAINS, rows, rng), 0),
            "Loss": np.where(loss, _amounts(_LOSS_QUANTILES, _LOSSES, rows, rng), 0),
            "Hours": np.clip(rng.normal(40, 12, size=rows), 1, 99).astype(np.int64),
            "Country": _any_of(_COUNTRY, rows, rng),
            "MoreLess": _any_of({"<=50K": 759, ">50K": 241}, rows, rng),
        }
    )


def _any_of(shares: dict[str, int], rows: int, rng: np.random.Generator) -> pa.Array:
    return picked(list(shares), drawn(list(shares.values()), rows, rng))


def _amounts(
    quantiles: tuple[int, ...], distinct: int, rows: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """For each row one of `distinct` amounts, distributed about as `quantiles` say."""
    known = np.interp(np.linspace(0, 1, distinct), _QUANTILES, quantiles).astype(np.int64)
    return known[rng.integers(distinct, size=rows)]
