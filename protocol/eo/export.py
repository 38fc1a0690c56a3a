"""Writes a realm as files of Endless Online's client: its map, and the lists that clients would download."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eo import files
from protocol.eo.looks import compile_looks
from protocol.export import ExportError, write

if TYPE_CHECKING:
    from pathlib import Path

    from protocol.export import Order
    from world.content import Content

LISTS: Final = {"EIF": "dat001.eif", "ENF": "dtn001.enf", "ESF": "dsl001.esf", "ECF": "dat001.ecf"}
"""Names of Endless Online's lists in its client's folder `pub`, by their kind."""


def export(content: Content, order: Order, _: Path) -> list[str]:
    """Write the map and the lists that clients would download. Raises ExportError, LookError and OSError."""
    looks = compile_looks(content)
    made = files.build(content, looks)
    number = looks.maps.get(order.realm)
    if number is None:
        raise ExportError(f"data/realms/{order.realm}.toml has no eo = {{ map = ... }} in its atlas")
    if number not in made.maps:
        raise ExportError("\n".join(made.problems))
    lines = [write(order.to / "maps" / f"{number:05}.emf", made.maps[number].data)]
    lines += [
        write(order.to / "pub" / LISTS[pub.kind], pub.data)
        for pub in (made.items, made.npcs, made.spells, made.classes)
    ]
    return [*lines, "Clients download these by themselves; copied over their folder they need not."]
