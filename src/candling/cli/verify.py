"""`candling verify`: is a card as its ledger gave it out?"""

from typing import Annotated

import typer

import candling
from candling.cli import NOT_GENUINE, options
from candling.errors import UsageError
from candling.render import terminal as output
from candling.render.html import check_target, render_page, write_page
from candling.render.views import view_card


def verify(
    card: Annotated[
        str,
        typer.Argument(
            metavar="CARD",
            help="The JSON of a release, or its page (--report).",
            show_default=False,
        ),
    ],
    key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="The public key of the ledger, as `candling ledger key` prints it, or a file that "
            "contains it.",
        ),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="L",
            help="The ledger itself: the card must be signed by its key and be what it stored.",
        ),
    ] = None,
    report: options.Report = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Check that a card is unchanged since its ledger signed it, to the last character.

    In JSON, spaces between the parts and the order of keys may change. A page must be, byte for
    byte, the page that this version of candling makes of its card.

    Without a key or a ledger, it only tells whether the card is unchanged since someone signed it,
    and prints the key: compare it with the key that the owner gave you.

    Exit codes: 0 genuine, or intact; 1 altered, not signed or signed with another key; 2 not a
    card.

    [bold]Examples[/bold]

    candling verify card.json --key ed25519:Bq4pTL7cuRD4YAnPSgiT0lcPBqVzDvvPtBpGA7tZPhI=

    candling verify card.html --key owner.key

    candling verify card.json --ledger budget.ledger

    candling verify old-card.html --key owner.key --report new-card.html
    """
    from candling.verify_card import Finding, public_key, verify_file

    if key is not None and ledger is not None:
        raise UsageError("Give --key or --ledger, not both: a ledger knows its key.", code="U306")
    if report is not None:
        check_target(report, overwrite=force)
    verification = verify_file(
        card,
        key=None if key is None else public_key(key),
        ledger=None if ledger is None else candling.open_ledger(ledger),
    )
    if as_json:
        output.print_json({"file": card} | verification.to_dict())
    else:
        output.line(f"{card}: {str(verification.finding).replace('_', ' ')}", style="bold")
        output.line(verification.message)
        if verification.finding in (Finding.INTACT, Finding.OTHER_KEY):
            output.raw(f"Key: {verification.key}\n")
    if report is not None and verification.card is not None:
        write_page(report, render_page(view_card(verification.card)), overwrite=force)
        output.remark(f"Wrote {report}, from the card that was signed.")
    if not verification.good:
        raise typer.Exit(NOT_GENUINE)
