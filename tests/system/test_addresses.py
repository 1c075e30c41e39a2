from __future__ import annotations

import pytest

from candling.system.files import hide_secrets


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("postgresql://ann:secret@db.example.org:5433/clinic?sslmode=require&password=secret",
         "postgresql://ann@db.example.org:5433/clinic"),
        ("postgres://ann:secret@/clinic?host=/run/pg", "postgres://ann@/clinic"),
        ("postgresql://ann:secret@one:1,two:2/clinic", "postgresql://..."),
        ("postgresql://ann:12/secret@db/clinic", "postgresql://..."),
        ("postgresql://ann:se[cret@db/clinic", "postgresql://..."),
        ("postgresql:///clinic", "postgresql:///clinic"),
        ("sc://db.example.org:15002/;token=secret;user_id=ann", "sc://db.example.org:15002"),
        ("sc://db.example.org;token=secret", "sc://db.example.org"),
        ("spark://one:7077,two:7077", "spark://..."),
        ("spark://one:7077", "spark://one:7077"),
        ("spark://hive.clinic.visits", "spark://hive.clinic.visits"),
        ("visits.csv", "visits.csv"),
        ("s3://clinic/visits.parquet", "s3://clinic/visits.parquet"),
    ],
)  # fmt: skip
def test_nothing_secret_is_shown(address: str, expected: str) -> None:
    assert hide_secrets(address) == expected
    assert "secret" not in hide_secrets(address)
