"""Why a PostgreSQL server gives no connection, for tables and for ledgers alike.

The driver's own text may quote the address with its password, so only these words leave us.
"""

from __future__ import annotations

PASSWORDS = "A password comes from PGPASSWORD, ~/.pgpass or a service file."


def explain_refusal(shown: str, error: Exception) -> str:
    """Say why there is no connection to `shown`, by phrases that servers have used for decades."""
    text = str(error)
    if "authentication failed" in text or "no password supplied" in text:
        return f"The server of {shown} rejected the login: wrong user or password"
    if "does not exist" in text:
        return f"The server of {shown} has no such user or database"
    if "no pg_hba.conf entry" in text:
        return f"The server of {shown} does not allow this user to connect from here"
    if "onnection refused" in text:
        return f"No server responds at {shown}: the connection was refused"
    if "translate host name" in text or "resolve host" in text or "Name or service" in text:
        return f"No server responds at {shown}: the host name is unknown"
    return f"The server of {shown} cannot be reached, or the connection broke"
