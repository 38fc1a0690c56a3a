"""What the tests of storage put into a world and ask of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.store.records import Batch
from world.serials import BLOCK, FIRST_ITEM
from world.snapshot import ItemRow

if TYPE_CHECKING:
    from pathlib import Path


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def lying(serial: int, amount: int) -> ItemRow:
    return ItemRow(FIRST_ITEM + serial, "gold", None, 0, 0, 0, "field", 1, 2, 0, amount, 0, "")


def a_batch(tick: int, *rows: ItemRow) -> Batch:
    return Batch(tick, 2.0, (), rows, (), (100, BLOCK), ())
