"""Descriptions of a thing that a client asks about, or that is paid for a quest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.packets import MOST_COUNTED, MOST_WEIGHED, ItemDescription, RewardItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.eq2.figures import Figures
    from world.content import ItemTemplate

LONGEST: Final = 200
MOST_PAID: Final = 64
"""Things in one list of pay: the client takes no more (the notes)."""


def described(kind: ItemTemplate, figures: Figures, *, number: int, name: str) -> ItemDescription:
    """A thing of that kind, by whatever number and name."""
    return ItemDescription(
        unique=number,
        broker=number,
        name=name[:LONGEST],
        icon=figures.icon(kind),
        weight=min(kind.weight, MOST_WEIGHED),
        description=" ".join(uses(kind)),
    )


def paid(
    pay: Sequence[tuple[str, int]], kinds: Mapping[str, ItemTemplate], figures: Figures
) -> tuple[RewardItem, ...]:
    """So many of each kind, as pay."""
    rows: list[RewardItem] = []
    for key, amount in pay[:MOST_PAID]:
        kind, number = kinds[key], figures.number_of_kind(key)
        name = kind.name if amount <= MOST_COUNTED else kind.many(amount)
        thing = described(kind, figures, number=number, name=name)
        rows.append(RewardItem(number, min(amount, MOST_COUNTED), thing))
    return tuple(rows)


def uses(kind: ItemTemplate) -> Sequence[str]:
    """Uses of a kind, in sentences."""
    said: list[str] = []
    weapon, remedy = kind.weapon, kind.remedy
    if weapon is not None:
        said.append(f"{weapon.least} to {weapon.most} damage every {weapon.ms / 1000:g} seconds.")
    if kind.armour:
        said.append(f"Adds {kind.armour} to one's armour.")
    if remedy is not None:
        given = [f"{remedy.hits} hits"] if remedy.hits else []
        given += [f"{remedy.stamina} stamina"] if remedy.stamina else []
        said += [f"Gives back {' and '.join(given)}."] if given else []
        said += ["Cures poison."] if remedy.cures else []
        said += ["It is poison."] if remedy.venom else []
    if kind.container:
        said.append("Things can be put into it.")
    if kind.light:
        said.append("It gives light.")
    return said
