"""Numbers by which clients know kinds, written down for good (`Family.numbers`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from server.store.connections import Connections
from server.store.tables import kind_number

if TYPE_CHECKING:
    from collections.abc import Mapping


class Numbers(Connections):
    """Questions about numbers, and writing them."""

    def kind_numbers(self) -> dict[str, dict[str, dict[str, int]]]:
        """All that were ever given, by game, list and key."""
        found: dict[str, dict[str, dict[str, int]]] = {}
        with self.read() as connection:
            for row in connection.execute(select(kind_number).order_by(kind_number.c.number)):
                found.setdefault(row.game, {}).setdefault(row.list, {})[row.key] = row.number
        return found

    def keep_kind_numbers(self, given: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
        """Write down those that are not written yet, all or none. Raises sqlalchemy.exc.IntegrityError if one
        of them is another kind's."""
        known = self.kind_numbers()
        rows = [
            {"game": game, "list": name, "key": key, "number": number}
            for game, lists in given.items()
            for name, numbers in lists.items()
            for key, number in numbers.items()
            if known.get(game, {}).get(name, {}).get(key) != number
        ]
        if rows:
            with self.write() as connection:
                connection.execute(insert(kind_number), rows)
