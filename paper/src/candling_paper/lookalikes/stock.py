"""A table like the Stock table: daily prices, one row per trading day and share."""

from __future__ import annotations

from itertools import product
from string import ascii_uppercase

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from candling_paper.lookalikes.pools import check_rows, picked

_TICKERS = 478
_DAYS = 255  # of one year; more where the rows need them
_FIRST_DAY = "2018-01-02"


def stock(rows: int, seed: int) -> pa.Table:
    """`rows` of the prices of 478 shares in 7 columns, by share and day; the same by seed.

    The rows are drawn from a year of prices, so that a share misses on most days of a small table.
    """
    return _prices(rows, seed, _DAYS)


def thin_stock(rows: int, seed: int) -> pa.Table:
    """The same from two years of prices: noise makes half as many conflicts.

    A changed day or share makes a conflict if there is a row of that share and day, and with twice
    the days there is one half as often: about 14 pairs in 10,000 rows with 1% RNoise.
    """
    return _prices(rows, seed, 2 * _DAYS)


def _prices(rows: int, seed: int, least_days: int) -> pa.Table:
    check_rows(rows)
    rng = np.random.default_rng([seed, 2])  # not the stream of RNoise with this seed
    days = max(least_days, -(-rows // _TICKERS))
    cell = np.sort(rng.choice(_TICKERS * days, size=rows, replace=False))
    ticker, day = np.divmod(cell, days)
    level = np.exp(rng.normal(4.2, 0.8, size=_TICKERS))[ticker]
    opened, closed = level * np.exp(rng.normal(0, 0.1, size=(1, rows)) + _jitter(rows, rng))
    spread = np.exp(np.abs(_jitter(rows, rng)))
    return pa.table(
        {
            "Date": picked(_dates(days), day),
            "Ticker": picked(_tickers(), ticker),
            "Open": opened.round(4),
            "High": (np.maximum(opened, closed) * spread[0]).round(4),
            "Low": (np.minimum(opened, closed) / spread[1]).round(4),
            "Close": closed.round(4),
            "Volume": np.exp(rng.normal(14.6, 0.9, size=rows)).astype(np.int64),
        }
    )


def _jitter(rows: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Two relative moves within a day for each row."""
    return rng.normal(0, 0.01, size=(2, rows))


def _dates(size: int) -> pa.Array:
    days = np.busday_offset(np.array(_FIRST_DAY, "datetime64[D]"), np.arange(size))
    return pa.array(days).cast(pa.string()).cast(pa.large_string())


def _tickers() -> list[str]:
    """Symbols of three letters, spread over the alphabet."""
    known = ["".join(letters) for letters in product(ascii_uppercase, repeat=3)]
    return known[:: len(known) // _TICKERS][:_TICKERS]
