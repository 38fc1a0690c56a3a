"""Services of residents, as a designer writes them: a table for each role, with its prices.

A role without numbers may also stand in the list `roles`. From both come the names in
`MobileTemplate.roles` and the record `world.offers.Offers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.tables import unknown
from world.content import Saying  # noqa: TC001 # a table is read by it
from world.offers import Lesson, Offers, Shop, Ware
from world.roles import ROLES
from world.skills import SKILLS, TENTHS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from world.content import ItemTemplate

MOST_PRICE: Final = 1_000_000
MOST_STOCK: Final = 60_000
MOST_SECONDS: Final = 86_400
MOST_WARES: Final = 200

WITH_NUMBERS: Final = ("merchant", "trainer")
"""Roles that are nothing without their table."""


@attrs.frozen
class _BoughtRow:
    item: str
    price: int


@attrs.frozen
class _MerchantRow:
    sells: tuple[Ware, ...] = ()
    buys: tuple[_BoughtRow, ...] = ()


@attrs.frozen
class _HealerRow:
    price: int = 0


@attrs.frozen
class _LessonRow:
    skill: str
    most: int
    price: int


@attrs.frozen
class _TrainerRow:
    teaches: tuple[_LessonRow, ...]


@attrs.frozen
class _TalkerRow:
    hears: tuple[Saying, ...]


@attrs.frozen
class _InnkeeperRow:
    price: int = 0
    home: bool = False


@attrs.frozen
class _PlainRow:
    pass


@attrs.frozen
class _QuestgiverRow:
    quests: tuple[str, ...] = ()


@attrs.frozen
class RoleRows:
    """The tables `[role.<name>]` of one being."""

    merchant: _MerchantRow | None = None
    banker: _PlainRow | None = None
    healer: _HealerRow | None = None
    trainer: _TrainerRow | None = None
    talker: _TalkerRow | None = None
    questgiver: _QuestgiverRow | None = None
    guard: _PlainRow | None = None
    innkeeper: _InnkeeperRow | None = None
    crier: _PlainRow | None = None
    registrar: _PlainRow | None = None

    def names(self) -> list[str]:
        """The roles of `world.roles` among them."""
        return [
            field.name
            for field in attrs.fields(RoleRows)
            if field.name in ROLES and getattr(self, field.name) is not None
        ]


def offers_of(
    rows: RoleRows, items: Mapping[str, ItemTemplate], unread: Collection[str], wrong: list[str]
) -> Offers:
    """Offers of somebody of these roles; what is wrong with it goes to `wrong`."""
    lessons: tuple[Lesson, ...] = ()
    if rows.trainer is not None:
        wrong += [f"role.trainer: {line}" for row in rows.trainer.teaches for line in _wrong_lesson(row)]
        lessons = tuple(Lesson(row.skill, row.most * TENTHS, row.price) for row in rows.trainer.teaches)
    for role, price in (
        ("healer", rows.healer.price if rows.healer else 0),
        ("innkeeper", rows.innkeeper.price if rows.innkeeper else 0),
    ):
        if not 0 <= price <= MOST_PRICE:
            wrong.append(f"role.{role}: price: must be 0 (nothing) to {MOST_PRICE}, is {price}")
    return Offers(
        shop=_shop(rows.merchant, items, unread, wrong) if rows.merchant is not None else None,
        lessons=lessons,
        healing=rows.healer.price if rows.healer is not None else 0,
        bed=rows.innkeeper.price if rows.innkeeper is not None else 0,
        home=rows.innkeeper is not None and rows.innkeeper.home,
        quests=rows.questgiver.quests if rows.questgiver is not None else (),
    )


def _shop(
    row: _MerchantRow, items: Mapping[str, ItemTemplate], unread: Collection[str], wrong: list[str]
) -> Shop:
    found: list[str] = []
    if not row.sells and not row.buys:
        found.append("sells nothing and buys nothing")
    if max(len(row.sells), len(row.buys)) > MOST_WARES:
        found.append(f"must have {MOST_WARES} wares at most")
    selling: dict[str, int] = {}
    for ware in row.sells:
        found += _wrong_goods("sells", ware.item, ware.price, items, unread)
        if ware.item in selling:
            found.append(f"sells: {ware.item}: stands there twice")
        if ware.stock is not None and not 1 <= ware.stock <= MOST_STOCK:
            found.append(f"sells: {ware.item}: stock: must be 1 to {MOST_STOCK}, is {ware.stock}")
        if not 1 <= ware.restock <= MOST_SECONDS:
            found.append(f"sells: {ware.item}: restock: must be 1 to {MOST_SECONDS}, is {ware.restock:g}")
        selling[ware.item] = ware.price
    buying = {item: max(1, price // 2) for item, price in selling.items()}
    seen: set[str] = set()
    for bought in row.buys:
        found += _wrong_goods("buys", bought.item, bought.price, items, unread)
        if bought.item in seen:
            found.append(f"buys: {bought.item}: stands there twice")
        if bought.price > selling.get(bought.item, bought.price):
            found.append(
                f"buys: {bought.item}: price: {bought.price} is more than the {selling[bought.item]} it is "
                "sold for: whoever buys and sells it there makes gold out of nothing"
            )
        seen.add(bought.item)
        buying[bought.item] = bought.price
    wrong += [f"role.merchant: {line}" for line in found]
    return Shop(row.sells, buying)


def pumps(shops: Mapping[str, Shop]) -> Iterator[tuple[str, str]]:
    """Find merchants who buy something for more than another sells it, so that gold comes out of nothing; for
    each its place, and a line about it. Shops are named by the file, with the key in it, where they stand."""
    cheapest: dict[str, tuple[int, str]] = {}
    for where, shop in shops.items():
        for ware in shop.sells:
            cheapest[ware.item] = min(cheapest.get(ware.item, (ware.price, where)), (ware.price, where))
    for where, shop in shops.items():
        asked = {ware.item: ware.price for ware in shop.sells}
        for item, paid in shop.buys.items():
            price, other = cheapest.get(item, (paid, where))
            if paid <= price or other == where:
                continue
            said = f"buys: {item}: price: {paid}"
            if paid == max(1, asked.get(item, 0) // 2):
                said = f"sells: {item}: price: {asked[item]}: half of it, {paid}, is paid for one, which"
            yield (
                where,
                f"role.merchant: {said} is more than the {price} it is sold for in {other}: whoever carries "
                "it from there to here makes gold out of nothing",
            )


def _wrong_goods(
    word: str, item: str, price: int, items: Mapping[str, ItemTemplate], unread: Collection[str]
) -> Iterator[str]:
    if item not in unread:
        yield from (f"{word}: {line}" for line in unknown("item", item, items))
    if item in items and (item == "gold" or not items[item].movable):
        yield f"{word}: {item}: that is nothing to trade in"
    if not 1 <= price <= MOST_PRICE:
        yield f"{word}: {item}: price: must be 1 to {MOST_PRICE}, is {price}"


def _wrong_lesson(row: _LessonRow) -> Iterator[str]:
    yield from unknown("teaches: skill", row.skill, SKILLS)
    if not 1 <= row.most <= 100:
        yield f"teaches: {row.skill}: most: must be 1 to 100 points, is {row.most}"
    if not 1 <= row.price <= MOST_PRICE:
        yield f"teaches: {row.skill}: price: must be 1 to {MOST_PRICE}, is {row.price}"
