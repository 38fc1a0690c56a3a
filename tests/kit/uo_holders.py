"""Who holds which item, as one Ultima Online client believes: on somebody, in a container.

An item is in one place. Both ways are kept, from the item to its holder and back, so that neither to move
something nor to forget somebody means to look through all there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.kit.uo_seen import Seen


class Holders:
    """What a client knows of items that do not lie on the ground."""

    def __init__(self) -> None:
        self.contained: dict[int, tuple[int, int, int]] = {}
        """(item id, amount, container) by serial."""
        self.opened: set[int] = set()
        """Containers whose windows are open."""
        self._inside: dict[int, dict[int, None]] = {}
        """Serials by container."""
        self._worn: dict[int, tuple[Seen, int]] = {}
        """Wearer and layer by serial."""

    def clear(self) -> None:
        """Know nothing."""
        self.contained.clear()
        self.opened.clear()
        self._inside.clear()
        self._worn.clear()

    def __contains__(self, serial: object) -> bool:
        return serial in self.contained or serial in self._worn

    def inside(self, container: int) -> list[int]:
        """What is right in it."""
        return list(self._inside.get(container, ()))

    def wearer(self, serial: int) -> tuple[Seen, int] | None:
        """Who wears an item, and where."""
        return self._worn.get(serial)

    def put_in(self, serial: int, item: int, amount: int, container: int) -> None:
        """Into a container, from nowhere."""
        self.contained[serial] = (item, amount, container)
        self._inside.setdefault(container, {})[serial] = None

    def put_on(self, seen: Seen, layer: int, worn: tuple[int, int, int]) -> None:
        """Onto somebody, from nowhere. `worn` is (serial, item id, hue)."""
        assert layer not in seen.worn, f"two items on layer {layer}"
        seen.worn[layer] = worn
        self._worn[worn[0]] = seen, layer

    def take(self, serial: int) -> None:
        """From where it is to nowhere. What is in it stays in it."""
        entry = self.contained.pop(serial, None)
        if entry is not None:
            del self._inside[entry[2]][serial]
        wearer = self._worn.pop(serial, None)
        if wearer is not None:
            del wearer[0].worn[wearer[1]]

    def lose(self, serial: int) -> None:
        """Forget what is in it."""
        self.opened.discard(serial)
        for inner in self._inside.pop(serial, ()):
            del self.contained[inner]
            self.lose(inner)

    def undress(self, seen: Seen) -> None:
        """Forget all that somebody wears, and what is in that."""
        for serial, _, _ in list(seen.worn.values()):
            self.take(serial)
            self.lose(serial)
