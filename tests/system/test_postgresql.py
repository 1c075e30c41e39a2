"""A wrong password, a wrong name and a dead server are told from each other, in our own words."""

from __future__ import annotations

import pytest

from candling.system.postgresql import explain_refusal

SHOWN = "postgresql://ann@db/clinic"
AT = 'connection to server at "db" (10.0.0.1), port 5432 failed:'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f'{AT} FATAL:  password authentication failed for user "ann"', "rejected the login"),
        (f"{AT} fe_sendauth: no password supplied", "rejected the login"),
        (f'{AT} FATAL:  database "clinc" does not exist', "no such user or database"),
        (f'{AT} FATAL:  role "an" does not exist', "no such user or database"),
        (f'{AT} FATAL:  no pg_hba.conf entry for host "10.0.0.9"', "does not allow this user"),
        (f"{AT} Connection refused\n\tIs the server running?", "connection was refused"),
        ("connection is bad: connection refused", "connection was refused"),
        ("failed to resolve host 'db': [Errno -2]", "host name is unknown"),
        ('could not translate host name "db" to address', "host name is unknown"),
        ("server closed the connection unexpectedly", "cannot be reached"),
    ],
)
def test_every_reason_has_its_words(text: str, words: str) -> None:
    said = explain_refusal(SHOWN, RuntimeError(f"{text} secret"))
    assert words in said
    assert SHOWN in said
    assert "secret" not in said
