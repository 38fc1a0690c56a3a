"""Numbers by which clients know kinds, written down for good (`Family.numbers`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import func, insert, select

from server.store.connections import Connections
from server.store.tables import kind_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

NUMBERS_KEY: Final = 0x_CA05_E3AA
"""Advisory lock of who writes numbers down: any number, the same for all servers of one database."""


class Numbers(Connections):
    """Questions about numbers, and writing them."""

    def kind_numbers(self) -> dict[str, dict[str, dict[str, int]]]:
        """All that were ever given, by game, list and key."""
        with self.read() as connection:
            return _known(connection)

    def keep_kind_numbers(self, given: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
        """Write down those that are not written yet, all or none. Raises sqlalchemy.exc.IntegrityError if one
        of them is another kind's."""
        with self.read() as connection:
            if not _missing(given, _known(connection)):
                return
        with self.write() as connection:
            if self.epoch is not None:
                # Worlds that start together give the same numbers: the first writes them.
                connection.execute(select(func.pg_advisory_xact_lock(NUMBERS_KEY)))
            rows = _missing(given, _known(connection))
            if rows:
                connection.execute(insert(kind_number), rows)


def _known(connection: Connection) -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, dict[str, int]]] = {}
    for row in connection.execute(select(kind_number).order_by(kind_number.c.number)):
        found.setdefault(row.game, {}).setdefault(row.list, {})[row.key] = row.number
    return found


def _missing(
    given: Mapping[str, Mapping[str, Mapping[str, int]]], known: Mapping[str, Mapping[str, Mapping[str, int]]]
) -> list[dict[str, object]]:
    """Rows of the numbers that are not written as they are given."""
    return [
        {"game": game, "list": name, "key": key, "number": number}
        for game, lists in given.items()
        for name, numbers in lists.items()
        for key, number in numbers.items()
        if known.get(game, {}).get(name, {}).get(key) != number
    ]
