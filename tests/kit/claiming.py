"""One character claimed, as a login claims it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.store.records import Wish

if TYPE_CHECKING:
    from server.store.database import Database


def claim(
    database: Database,
    serial: int,
    *,
    account_id: int | None = None,
    session: int | None = None,
    anywhere: bool = False,
) -> bool:
    """Whether the character is that world's then. Raises what `Ownership.claim_all` has for it."""
    (outcome,) = database.claim_all([Wish(serial, account_id, session, anywhere)])
    if isinstance(outcome, bool):
        return outcome
    raise outcome
