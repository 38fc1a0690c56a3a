"""Rehearsal: what a process that stands by does beforehand, so that players wait less when its time has come.

All that is kept for a process as a whole, and would be made while the world begins, is made while another
process still has it. Nothing is asked of the database.
"""

from __future__ import annotations

import gc

from server.people.passwords import Argon2Passwords
from server.store.batch import statements_of
from server.store.engine import writing_engine


def rehearse(url: str, world: int) -> None:
    """Make what the world of that database will need. It takes a moment, in any thread."""
    engine = writing_engine(url, world=None)
    try:
        statements_of(engine.dialect, world)
    finally:
        engine.dispose()
    Argon2Passwords()
    # What is there by now is there for good: a collection when the world begins need not look at it.
    gc.collect()
    gc.freeze()
