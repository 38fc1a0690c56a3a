"""Rows for the tests of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.store.records import Batch
from world.serials import BLOCK, FIRST_ITEM
from world.snapshot import CharacterRow, ItemRow

if TYPE_CHECKING:
    from pathlib import Path


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def batch(
    *items: ItemRow, tick: int = 1, characters: tuple[CharacterRow, ...] = (), deleted: tuple[int, ...] = ()
) -> Batch:
    return Batch(tick, 2.0, characters, items, deleted, (100, BLOCK), ())


def lying(serial: int, template: str = "dagger", amount: int = 1, name: str = "") -> ItemRow:
    return ItemRow(FIRST_ITEM + serial, template, None, 0, 0, 0, "field", 1, 2, 0, amount, 0, name)
