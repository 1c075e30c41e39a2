"""Addresses of servers, and what of them may be shown."""

from __future__ import annotations

from urllib.parse import urlsplit

ENGINES = (  # how they are named
    "duckdb",
    "spark",
    "spark://HOST:PORT",
    "sc://HOST:PORT",
    "postgresql",
    "postgresql://HOST/DATABASE",
)
POSTGRESQL = ("postgresql", "postgres")


def scheme(text: str) -> str | None:
    """What stands before `://`, in small letters; None if nothing does."""
    before, found, _ = text.partition("://")
    return before.lower() if found else None


def shown(text: str) -> str:
    """An address without what may be secret: the password, tokens and other parameters.

    What is no address, such as a path, stays as it is.
    """
    kind = scheme(text)
    if kind not in (*POSTGRESQL, "sc", "spark"):
        return text
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{kind}://..."
    if kind not in POSTGRESQL:
        return f"{kind}://{parts.netloc.rpartition('@')[2].partition(';')[0]}"
    if "@" in parts.path:  # a slash in a password that was not escaped
        return f"{kind}://..."
    user = f"{parts.username}@" if parts.username else ""
    return f"{kind}://{user}{parts.hostname or ''}{port}{parts.path}"
