"""Characters claimed, as logins claim them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING

from server.store.errors import Elsewhere, Outplayed
from server.store.records import Wish

if TYPE_CHECKING:
    from collections.abc import Callable

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


def at_once(*calls: Callable[[], object]) -> list[object]:
    """What each of the calls returns or raises, all begun at the same moment."""
    together = Barrier(len(calls))

    def run(call: Callable[[], object]) -> object:
        together.wait()
        try:
            return call()
        except (Elsewhere, Outplayed) as error:
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))
