"""Counting what there is, so that operators and tests can see that nothing appears or vanishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from server.store.tables import item

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.store.database import Database


def stored_amounts(database: Database) -> Mapping[str, int]:
    """The sum of amounts of each kind (template) of item in the database, wherever they are."""
    query = select(item.c.template, func.sum(item.c.amount)).group_by(item.c.template)
    with database.read() as connection:
        return {kind: int(amount) for kind, amount in connection.execute(query)}
