"""What begins and ceases to exist on an evening, noted beside the rules that let it.

    with counting(note, broken) as done:
        ...                     # `note` is told of everything that may be more or less now

Each of these rules is watched. What it may make or use up is worked out from what data/ says and from what it
was asked for, not from what it did, so that one that gives twice or forgets to take is found by whoever
compares the notes with what there is. `broken` is told of what is wrong whatever there is: a price that is
another, a reward for who had it already. `done` says how often each has happened.

Moving a thing is no matter for this: whatever is only in another place is still there once.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from world import (
    barter,
    boards,
    conversations,
    corpses,
    decay,
    fixtures,
    gathering,
    guilds,
    hands,
    journals,
    letters,
    locks,
    lodging,
    mail,
    party,
    quests,
    shops,
    vaults,
)
from world.clauses import Deal
from world.containers import within
from world.errands import Kind
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType

    from world.bargain import Offered, Trade
    from world.clauses import Effect
    from world.companions import Party
    from world.errands import Quest
    from world.guild import Guild
    from world.harvests import Harvest
    from world.item import Item
    from world.letter import Letter
    from world.mobile import Mobile
    from world.parts import Progress
    from world.realm import Realm
    from world.thing import Surroundings
    from world.world import World


class Watch:
    """Stands beside the rules. Each method is called in place of one and given it first."""

    def __init__(self, note: Callable[[Surroundings, str, int], None], broken: Callable[[str], None]) -> None:
        self.note = note
        self.broken = broken
        self.done: Counter[str] = Counter()

    def noted(self, what: str, world: Surroundings, amounts: Mapping[str, int], sign: int = 1) -> None:
        """That was done, and this came of it; `sign` -1: went."""
        self.done[what] += 1
        for kind, amount in amounts.items():
            if amount:
                self.note(world, kind, sign * amount)

    # Things

    def destroyed(
        self, rule: Callable[[Mobile, Item, int], None], actor: Mobile, item: Item, amount: int
    ) -> None:
        """Eaten, drunk, shot, used to dress wounds."""
        rule(actor, item, amount)
        self.noted("use up", actor.world, {item.template.key: amount}, -1)

    def left(self, rule: Callable[[Mobile], list[Item]], dead: Mobile) -> list[Item]:
        """What creatures leave."""
        loot = rule(dead)
        self.noted("leave", dead.world, _amounts(loot))
        return loot

    def vanished(self, rule: Callable[[Item], None], item: Item) -> None:
        """What lay too long."""
        lay, gone = item.realm is not None, _amounts([item, *within(item)])
        rule(item)
        if lay:
            self.noted("decay", item.world, gone, -1)

    def settled(self, rule: Callable[[World], int], world: World) -> int:
        """Chests and boards that come to stand somewhere; what is in them is noted as it is filled in."""
        before = {serial for serial, item in world.items.items() if fixtures.is_fixture(item.template)}
        number = rule(world)
        came = [item for item in world.items.values() if fixtures.is_fixture(item.template)]
        self.noted("settle", world, _amounts([item for item in came if item.serial not in before]))
        return number

    def filled(self, rule: Callable[[Item], None], container: Item) -> None:
        """A chest, with no more of anything than its stock says."""
        before, chest = _amounts(container.contents.values()), container.template.chest
        rule(container)
        after = _amounts(container.contents.values())
        self.noted("fill", container.world, after - before)
        for row in chest.stock if chest is not None else ():
            if after[row.item] > max(before[row.item], row.most):
                self.broken(f"{container.label} was filled with {after[row.item]} {row.item}")

    # Services

    def traded(
        self,
        rule: Callable[[Mobile, Mobile, Mapping[str, int], Mapping[str, int], int], None],
        actor: Mobile,
        merchant: Mobile,
        bought: Mapping[str, int],
        sold: Mapping[str, int],
        paid: int,
    ) -> None:
        """Bought or sold, at the merchant's prices."""
        rule(actor, merchant, bought, sold, paid)
        shop = merchant.template.offers.shop
        assert shop is not None
        asks = {ware.item: ware.price for ware in shop.sells}
        worth = sum(asks[kind] * amount for kind, amount in bought.items())
        worth -= sum(shop.buys[kind] * amount for kind, amount in sold.items())
        if paid != worth:
            self.broken(f"{actor.name} paid {paid} gold for what costs {worth}")
        amounts = Counter(bought)
        amounts.subtract({**sold, GOLD: worth})
        self.noted("buy" if bought else "sell", actor.world, amounts)

    def banked(self, rule: Callable[[Mobile, str], None], actor: Mobile, done: str) -> None:
        """Put into the bank or taken out of it: that makes nothing."""
        rule(actor, done)
        self.done["bank"] += 1

    def paid(self, rule: Callable[[Mobile, int], None], actor: Mobile, price: int) -> None:
        """For a bed, a lesson, a healer."""
        rule(actor, price)
        self.noted("pay", actor.world, {GOLD: price}, -1)

    def dealt(
        self,
        rule: Callable[[Sequence[Effect], Mobile, Mobile], None],
        effects: Sequence[Effect],
        player: Mobile,
        speaker: Mobile,
    ) -> None:
        """An answer of a dialog."""
        deal = Deal()
        for effect in effects:
            effect.prepare(player, speaker, deal)
        rule(effects, player, speaker)
        if deal.taken or deal.given:
            deal.given.subtract(deal.taken)
            self.noted("deal", player.world, deal.given)

    def gathered(
        self,
        rule: Callable[[Mobile, Harvest, tuple[Realm, int, int], tuple[int, int]], None],
        actor: Mobile,
        harvest: Harvest,
        tile: tuple[Realm, int, int],
        stood: tuple[int, int],
    ) -> None:
        """A piece for each that a tile has less, and no more than it had."""
        realm, x, y = tile
        before = realm.gathered.get((x, y), (0, 0.0))
        rule(actor, harvest, tile, stood)
        after = realm.gathered.get((x, y), (0, 0.0))
        if after != before:
            self.noted("gather", actor.world, {harvest.item: 1})
        if after[0] > harvest.store:
            self.broken(f"{after[0]} pieces were gathered from a tile of {harvest.store}")

    # Guilds and letters

    def founded(self, rule: Callable[[Mobile, str, str], Guild], actor: Mobile, name: str, tag: str) -> Guild:
        """A guild, for its fee."""
        guild = rule(actor, name, tag)
        self.noted("found", actor.world, {GOLD: guilds.FEE}, -1)
        return guild

    def dissolved(
        self, rule: Callable[[Surroundings, Guild], None], world: Surroundings, guild: Guild
    ) -> None:
        """A guild, with what nobody is left to take out of its bank."""
        box = world.items.get(guild.box)
        lost = _amounts(within(box)) if box is not None else {}
        rule(world, guild)
        self.noted("dissolve", world, lost, -1)

    def sent_back(
        self, rule: Callable[[Surroundings, Letter], None], world: Surroundings, letter: Letter
    ) -> None:
        """A parcel, unless nobody is left to have it."""
        box = mail.box_of(world, letter)
        nobody = letter.returned or world.directory.of(letter.sender) is None
        lost = _amounts(within(box)) if box is not None and nobody else {}
        rule(world, letter)
        self.noted("send back", world, lost, -1)

    # Quests

    def began(
        self,
        rule: Callable[[Mobile, str, Mobile | None], None],
        actor: Mobile,
        key: str,
        giver: Mobile | None = None,
    ) -> None:
        """With the letter, if there is one."""
        rule(actor, key, giver)
        letter = actor.world.content.quests[key].letter
        self.noted("begin", actor.world, {letter: 1} if letter else {})

    def lost_letter(
        self, rule: Callable[[Mobile, Progress], None], actor: Mobile, progress: Progress
    ) -> None:
        """The letter of a quest that is over, if its owner has it."""
        letter = letters.letter_of(actor.world, progress)
        had = letter is not None and letter.root is actor
        rule(actor, progress)
        if letter is not None and had:
            self.noted("lose letter", actor.world, {letter.template.key: 1}, -1)

    def delivered(self, rule: Callable[[Mobile, Mobile], bool], actor: Mobile, resident: Mobile) -> bool:
        """What was to be brought, if that step is over."""
        before = [(progress, step) for _, progress, step in journals.ongoing(actor)]
        done = rule(actor, resident)
        for progress, step in before:
            if step.kind is Kind.BRING and progress.step != step.key:
                self.noted("bring", actor.world, {step.item: step.amount}, -1)
        return done

    def finished(
        self, rule: Callable[[Mobile, Quest, Progress], bool], actor: Mobile, known: Quest, progress: Progress
    ) -> bool:
        """The reward, to who has an open quest, and a second time only if it can be done again."""
        was_open, times = progress.step, progress.times
        paid = rule(actor, known, progress)
        if paid and was_open:
            self.noted(
                "reward", actor.world, Counter({GOLD: known.reward.gold}) + Counter(dict(known.reward.items))
            )
        if paid and times and known.again is None:
            self.broken(f"{actor.name} was paid for {known.key} once more")
        return paid

    # Between players

    def exchanged(self, rule: Callable[[Trade[Mobile]], None], trade: Trade[Mobile]) -> None:
        """Each has then what the other offered, and no more what it offered itself: nothing comes of it, and
        nothing goes."""
        sides = [trade.first, trade.second]
        before = [Counter(hands.carried(side.mobile)) for side in sides]
        own = [_offered(side.offers.values()) + Counter({GOLD: side.gold}) for side in sides]
        rule(trade)
        for side, had, given, taken in zip(sides, before, own, own[::-1], strict=True):
            has = Counter(hands.carried(side.mobile))
            if +(had + taken) != +(has + given):
                self.broken(f"{side.mobile.name} gave {given} for {taken}, and has {has} after {had}")
        self.done["exchange"] += 1

    def enlisted(self, rule: Callable[[Party, Mobile], None], party: Party, mobile: Mobile) -> None:
        """It is in one party."""
        rule(party, mobile)
        self.done["enlist"] += 1

    # Boards

    def pinned(
        self,
        rule: Callable[[Mobile, Item, str, str], Item],
        actor: Mobile,
        board: Item,
        subject: str,
        text: str,
    ) -> Item:
        """One note more, and those fewer that are too many."""
        before = len(boards.notes(board))
        note = rule(actor, board, subject, text)
        self.noted("pin", actor.world, {boards.NOTE: min(1, boards.MOST_NOTES - before)})
        return note

    def unpinned(
        self, rule: Callable[[Mobile, Item, Item], None], actor: Mobile, board: Item, note: Item
    ) -> None:
        """One fewer."""
        rule(actor, board, note)
        self.noted("unpin", actor.world, {boards.NOTE: 1}, -1)


def _offered(things: Iterable[Offered]) -> Counter[str]:
    """Amounts by kind, with what is in bags."""
    total: Counter[str] = Counter()
    for one in things:
        total[one.template.key] += one.amount
        total += _offered(one.inside)
    return total


def _amounts(items: Iterable[Item]) -> Counter[str]:
    total: Counter[str] = Counter()
    for item in items:
        total[item.template.key] += item.amount
    return total


WATCHED: Final[tuple[tuple[ModuleType, str, object], ...]] = (
    (hands, "destroy", Watch.destroyed),
    (corpses, "_loot", Watch.left),
    (decay, "_vanish", Watch.vanished),
    (fixtures, "settle", Watch.settled),
    (locks, "fill", Watch.filled),
    (shops, "_tell", Watch.traded),
    (vaults, "_tell", Watch.banked),
    (lodging, "pay", Watch.paid),
    (conversations, "carry_out", Watch.dealt),
    (gathering, "_done", Watch.gathered),
    (guilds, "found", Watch.founded),
    (guilds, "dissolve", Watch.dissolved),
    (mail, "give_back", Watch.sent_back),
    (quests, "begin", Watch.began),
    (quests, "_lose_letter", Watch.lost_letter),
    (quests, "deliver", Watch.delivered),
    (quests, "_finish", Watch.finished),
    (barter, "swap", Watch.exchanged),
    (party, "_enlist", Watch.enlisted),
    (boards, "pin", Watch.pinned),
    (boards, "unpin", Watch.unpinned),
)
"""Rules by module and name, and what stands beside each."""


@contextmanager
def counting(
    note: Callable[[Surroundings, str, int], None], broken: Callable[[str], None]
) -> Iterator[Counter[str]]:
    """Watch all of them."""
    watch = Watch(note, broken)
    before = [getattr(module, name) for module, name, _ in WATCHED]
    for (module, name, method), rule in zip(WATCHED, before, strict=True):
        assert callable(method)
        setattr(module, name, partial(method, watch, rule))
    try:
        yield watch.done
    finally:
        for (module, name, _), rule in zip(WATCHED, before, strict=True):
            setattr(module, name, rule)
