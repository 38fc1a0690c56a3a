"""Would the simulation notice a shop, a bank or an errand that gives twice or forgets to take?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs
import pytest

from server.commands import pace
from tests.kit import simulation
from tests.kit.habits import BUSINESS
from tests.kit.simulation import Plan, found_by, simulate
from world import boards, granting, hands, holding, locks, lodging, quests, shops, vaults
from world.errands import REWARD
from world.item import Item
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from world.errands import Quest
    from world.mobile import Mobile
    from world.offers import Shop
    from world.parts import Progress
    from world.thing import Thing

    Exchange: TypeAlias = Callable[[Mobile, Mapping[str, int], Mapping[str, int]], None]

BUSY: Final = Plan(seconds=12, people=4, faults=False, pace=(0.2, 0.6))


@pytest.fixture(autouse=True)
def _at_the_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody does anything but use services, as fast as one can type."""
    monkeypatch.setattr(simulation, "HABITS", BUSINESS)
    monkeypatch.setattr(pace, "SECONDS", 0.0)


def takes_no_gold(rule: Exchange, mobile: Mobile, taken: Mapping[str, int], given: Mapping[str, int]) -> None:
    rule(mobile, {kind: amount for kind, amount in taken.items() if kind != GOLD}, given)


def takes_gold_only(
    rule: Exchange, mobile: Mobile, taken: Mapping[str, int], given: Mapping[str, int]
) -> None:
    rule(mobile, {kind: amount for kind, amount in taken.items() if kind == GOLD}, given)


def leaves_the_wares(rule: Callable[[Item, int], None], item: Item, amount: int) -> None:
    if item.template.key == GOLD:
        rule(item, amount)


def leaves_the_gold(rule: Callable[[Item, int], None], item: Item, amount: int) -> None:
    if item.template.key != GOLD:
        rule(item, amount)


def sells_for_one(rule: Callable[[Mobile, Mobile], Shop], actor: Mobile, merchant: Mobile) -> Shop:
    shop = rule(actor, merchant)
    return attrs.evolve(shop, sells=[attrs.evolve(ware, price=1) for ware in shop.sells])


def pours_more(rule: Callable[[Mobile, int], None], mobile: Mobile, amount: int) -> None:
    rule(mobile, amount + 1)


def leaves_one_behind(
    rule: Callable[[Item, int, Item], Item], item: Item, amount: int, container: Item
) -> Item:
    vault = item.root
    moved = rule(item, amount, container)
    if isinstance(vault, Item):
        put(vault, moved.template.key)
    return moved


def is_full_again(rule: Callable[[Thing], None], root: Thing) -> None:
    rule(root)
    if isinstance(root, Item) and root.template.chest is not None:
        put(root, "candle")


def is_filled_again(rule: Callable[[Item], None], chest: Item) -> None:
    rule(chest)
    chest.contents, before = {}, chest.contents
    rule(chest)
    chest.contents |= before


def costs_nothing(rule: Callable[[Mobile, int], None], actor: Mobile, price: int) -> None:
    pass


def brings_nothing(
    rule: Callable[[Mobile, str, int], None], actor: Mobile, template: str, amount: int
) -> None:
    if template != "apple":
        rule(actor, template, amount)


def pays_twice(
    rule: Callable[[Mobile, Quest, Progress], bool], actor: Mobile, known: Quest, progress: Progress
) -> bool:
    rule(actor, known, progress)
    progress.step = REWARD
    return rule(actor, known, progress)


def gathers_twice(
    rule: Callable[[Mobile, str, int], None], mobile: Mobile, template: str, amount: int = 1
) -> None:
    rule(mobile, template, 2 * amount if template == "log" else amount)


def keeps_letters(rule: Callable[[Item], None], item: Item) -> None:
    if not item.template.letter:
        rule(item)


def keeps_notes(rule: Callable[[Item], None], item: Item) -> None:
    if item.note is None:
        rule(item)


def pins_twice(
    rule: Callable[[Mobile, Item, str, str], Item], actor: Mobile, board: Item, subject: str, text: str
) -> Item:
    rule(actor, board, subject, text)
    return rule(actor, board, subject, text)


def put(container: Item, template: str) -> None:
    thing = holding.make(container.world, template)
    container.world.register(thing)
    holding.put(container, thing)


FAULTS: Final[tuple[tuple[ModuleType, str, object, str], ...]] = (
    (granting, "exchange", takes_no_gold, " gold instead of "),
    (granting, "exchange", takes_gold_only, " apple instead of "),
    (hands, "consume", leaves_the_wares, " instead of "),
    (hands, "consume", leaves_the_gold, " gold instead of "),
    (shops, "_check_at", sells_for_one, " gold for what costs "),
    (vaults, "_pour", pours_more, " gold instead of "),
    (hands, "transfer", leaves_one_behind, " instead of "),
    (locks, "stir", is_full_again, " candle instead of "),
    (locks, "fill", is_filled_again, " was filled with "),
    (lodging, "pay", costs_nothing, " gold instead of "),
    (hands, "destroy_kind", brings_nothing, " apple instead of "),
    (quests, "_finish", pays_twice, " instead of "),
    (granting, "make", gathers_twice, " log instead of "),
    (hands, "remove", keeps_letters, " letter instead of "),
    (hands, "remove", keeps_notes, " note instead of "),
    (boards, "pin", pins_twice, " note instead of "),
)


@pytest.mark.parametrize(
    ("module", "name", "fault", "words"),
    FAULTS,
    ids=[getattr(row[2], "__name__", "") for row in FAULTS],
)
def test_a_service_that_gives_twice_or_does_not_take_is_found(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, fault: object, words: str
) -> None:
    assert callable(fault)
    monkeypatch.setattr(module, name, partial(fault, getattr(module, name)))
    _, report = found_by(BUSY)
    assert words in report.partition("\n")[0]


def test_without_a_fault_every_service_is_used_and_nothing_found() -> None:
    done = simulate(0, BUSY).done
    assert done.keys() >= {"buy", "sell", "bank", "pay", "deal", "gather", "fill", "pin", "unpin"}
    assert done.keys() >= {"begin", "bring", "lose letter", "reward"}
