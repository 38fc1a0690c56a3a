"""R-26, R-27, R-61: whatever players do with one another, and whenever the process is killed, nothing is
doubled or lost.

Three players of a small world (`tests.kit.hamlet`) trade, hunt together, keep things in banks, send them to
one another, die, come and go, while what they do gets to disk late, or never. After every deed each thing is
in one place, and there is as much of each kind as was made and not used up; what gets to disk is who had what
at the end of one turn, thing by thing; and that is what there is after a kill. `make test` plays a few dozen
lives of it, `make soak` many more.
"""

from __future__ import annotations

import random
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from protocol.endings import Ending
from server.store.pending import Pending
from server.store.writer import Storage
from tests.kit.counting import counting
from tests.kit.hamlet import WOLF, Ground, Hamlet
from world import (
    duels,
    granting,
    guild_bank,
    guilds,
    hands,
    invites,
    life,
    looting,
    mail,
    party,
    stowing,
    trade,
    vaults,
)
from world.companions import LootRule
from world.containers import within
from world.guild import Rank
from world.mobile import Mobile
from world.newcomers import all_items
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.item import Item
    from world.world import World

NAMES: Final = ("Anna", "Bert", "Carl")
CARRIED: Final = {"gold": 45_000, "bread": 9, "apple": 5, "sack": 1, "dagger": 2}

WHO = st.integers(0, 2)
PICK = st.integers(0, 1 << 16)
AMOUNT = st.integers(1, 6) | st.integers(-1, 6) | st.integers(-1, 30_000)

DEEDS: Final = (
    *["trades: whole"] * 3,
    "trades: in part",
    *(f"bargains: {act}" for act in ("agree", "disagree", "withdraw", "close", "kind")),
    *(f"handles: {act}" for act in ("lift", "stow", "drop", "take", "give", "hand over", "bounce", "split")),
    *("handles: eat", "handles: bag"),
    *(f"gathers: {act}" for act in ("invite", "invite", "apply", "accept", "refuse", "leave", "rule")),
    "gathers: give over",
    *(*["kills: wolf"] * 3, "kills: player", "loots", "dies", "dies: not"),
    *(f"meets: {act}" for act in ("found", "invite", "accept", "promote", "leave", "disband", "hand over")),
    *(f"banks: {act}" for act in ("put gold", "take gold", "put", "take") for _ in range(3)),
    *["posts"] * 5,
    *(f"fetches: {act}" for act in ("take", "take", "take", "refuse", "discard")),
    *(f"goes: {act}" for act in ("out", "lost", "over")),
    *["waits"] * 6,
    *(f"stores: {act}" for act in ("whole", "whole", "whole", "whole", "begins", "begins", "later", "fails")),
    *("is_killed: offered", "is_killed: at once"),
)
"""What happens, and how; some of it oftener."""

SECONDS: Final = (0.0, 0.1, 0.1, 1.0, 12.0, 70.0, 200.0, 700.0, 15 * mail.DAY)
"""Among them: a line that went dead, the right to loot, corpses, what lies about, and letters are over."""


class Conservation(RuleBasedStateMachine):
    """What three players do, possible or not."""

    ground: Ground

    def __init__(self) -> None:
        super().__init__()
        self.hamlet = Hamlet(self.ground)
        self.stack = ExitStack()
        self.done = self.stack.enter_context(counting(self.hamlet.noted, self.broken))
        for name in NAMES:
            self.hamlet.comes(name)

    def broken(self, what: str) -> None:
        raise AssertionError(what)

    # Who and what

    def one(self, who: int) -> Mobile:
        """Somebody, who logs in if nobody plays it."""
        mobile = self.hamlet.mobile(NAMES[who])
        if mobile is None or not mobile.online:
            mobile = self.hamlet.comes(NAMES[who])
        return mobile

    def ready(self, who: int, far: int, pick: int) -> tuple[Mobile, Mobile]:
        """Somebody and another, mostly in peace, alive and beside the banker."""
        both = self.one(who), self.one((who + far) % 3)
        for number, mobile in enumerate(both if pick % 8 else ()):
            life.resurrect(mobile)
            mobile.hits, mobile.fighting_until = 50, 0.0
            if mobile.trade is None:
                self.hamlet.world.warp(mobile, self.hamlet.world.realms["plain"], 9 + 2 * number, 10)
        return both

    def some(self, pick: int, mobile: Mobile) -> Item:
        """Anything, of that one's pack more often than not."""
        dice, world = random.Random(pick), self.hamlet.world
        own = [*within(mobile.backpack)] if mobile.backpack is not None else []
        every = list(world.items.values())
        things = own if own and dice.random() < 0.8 else every
        return dice.choice(sorted(things, key=lambda item: item.serial))

    def tries(self, *deeds: Callable[[], object]) -> None:
        """One after the other, as far as they can be done; who may not has neither lost nor won."""
        for deed in deeds:
            try:
                deed()
            except Cannot:
                before = self.hamlet.faults()
                assert before == []

    # What they do

    @rule(
        deed=st.sampled_from(DEEDS),
        who=WHO,
        far=st.integers(1, 2),
        picks=st.lists(PICK, min_size=1, max_size=4),
        amount=AMOUNT,
    )
    def does(self, deed: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """One rule for everything: Hypothesis leaves many rules out of a life, and these belong together."""
        what, _, act = deed.partition(": ")
        method: Callable[[str, int, int, list[int], int], None] = getattr(self, what)
        method(act, who, far, picks, amount)

    def trades(self, act: str, who: int, far: int, picks: list[int], gold: int) -> None:
        """Step by step, mostly to the end; something else may come between any two of them."""
        if picks[0] % 2:
            self.hamlet.turn(6.5)  # nobody may ask others often in half a minute
        actor, other = self.ready(who, far, picks[0])
        steps: list[Callable[[], object]] = []
        if actor.trade is None:
            steps += [partial(trade.ask, actor, other), partial(trade.accept, other)]
        for pick in picks:
            giver = (actor, other)[pick % 5 % 2]
            item = self.some(pick, giver)
            steps.append(partial(trade.offer, giver, item, 1 + pick % item.amount if pick % 3 else None))
        steps += [partial(trade.set_gold, other, gold), partial(trade.agree, actor)]
        steps += [partial(trade.agree, other)]
        self.tries(*(steps if act == "whole" else steps[: picks[-1] % len(steps)]))

    def bargains(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        actor, pick = self.one(who), picks[0]
        item = self.some(pick, actor)
        acts: dict[str, Callable[[], object]] = {
            "agree": partial(trade.agree, actor),
            "disagree": partial(trade.disagree, actor),
            "withdraw": partial(trade.withdraw, actor, item),
            "close": partial(trade.close, actor),
            "kind": partial(trade.offer_kind, actor, item.template.key, amount),
        }
        self.tries(acts[act])

    def handles(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        pick = picks[0]
        actor, other = self.ready(who, far, pick) if pick % 2 else (self.one(who), self.one((who + far) % 3))
        item = self.some(pick, actor)
        pack = actor.backpack
        if pack is None:
            return  # it has lain that down, which one may
        bag = next((one for one in pack.contents.values() if one.template.container), pack)
        acts: dict[str, Callable[[], object]] = {
            "lift": lambda: hands.lift(actor, item, amount),
            "stow": lambda: hands.stow(actor, item if pick % 2 else pack),
            "split": lambda: (hands.lift(actor, item, amount), hands.stow(actor, bag, merge=False)),
            "drop": lambda: hands.drop(actor, item, min(amount, item.amount), actor.x, actor.y),
            "take": lambda: hands.take(actor, item),
            "give": lambda: hands.give(actor, item, min(amount, item.amount), other),
            "hand over": lambda: hands.hand_over(actor, other),
            "bounce": lambda: hands.bounce(actor),
            "bag": lambda: stowing.put(actor, bag, item, min(amount, item.amount)),
            "eat": lambda: hands.destroy(actor, item, 1),
        }
        self.tries(acts[act])

    def gathers(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        pick = picks[0]
        actor, other = self.ready(who, far, pick)
        acts: dict[str, tuple[Callable[[], object], ...]] = {
            "invite": (partial(party.invite, actor, other), partial(invites.accept, other, party.KIND)),
            "apply": (partial(party.apply, actor, other),),
            "accept": (partial(invites.accept, actor, party.KIND),),
            "refuse": (partial(invites.refuse, actor, party.KIND),),
            "leave": (partial(party.leave, actor),),
            "rule": (partial(party.set_loot, actor, list(LootRule)[pick % len(LootRule)]),),
            "give over": (partial(party.hand_over, actor, other.serial),),
        }
        self.tries(*acts[act])

    def kills(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """A wolf, or one another, in a duel perhaps; and somebody takes what is left."""
        pick, player = picks[0], act == "player"
        actor, other = self.ready(who, far, pick)
        world, prey = self.hamlet.world, other
        if not player:
            prey = Mobile(world.serials.mobile(), world, "a wolf", template=world.content.mobiles[WOLF])
            prey.hits = 20
            world.enter(prey, world.realms["plain"], 10, 11)
        elif pick % 3 == 0:
            self.tries(partial(duels.ask, actor, other), partial(invites.accept, other, duels.DUEL))
        for one in (actor, other) if not player else (actor,):
            life.hurt(prey, 1 + pick % 30, one)
        if not prey.dead and pick % 4:
            life.hurt(prey, 10_000, actor)
        if prey is not other and not prey.dead and prey.realm is not None:
            world.leave(prey)
        self.loots("", who, far, picks, amount)

    def loots(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """All of a corpse, or of one kind."""
        pick = picks[-1]
        actor, corpses = self.one(who), [one for one in self.hamlet.world.items.values() if one.remains]
        for corpse in corpses[pick % 3 :][:1]:
            take_all = partial(looting.take_all, actor, corpse)
            self.tries(take_all if pick % 4 else partial(looting.take_kind, actor, corpse, "gold"))

    def dies(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        mobile = self.one(who)
        if act == "not":
            life.resurrect(mobile)
        else:
            life.kill(mobile)

    def meets(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """In a guild."""
        self.bands(act, *self.ready(who, far, picks[0]))

    def bands(self, act: str, actor: Mobile, other: Mobile) -> None:
        """Do something about a guild; for that it is founded if there is none."""
        letters = "abc"[NAMES.index(actor.name)]
        acts: dict[str, tuple[Callable[[], object], ...]] = {
            "found": (partial(guilds.found, actor, f"Weavers {letters}", f"W{letters}"),),
            "invite": (partial(guilds.invite, actor, other), partial(invites.accept, other, guilds.GUILD)),
            "accept": (partial(invites.accept, actor, guilds.GUILD),),
            "promote": (partial(guilds.promote, actor, other.name),),
            "leave": (partial(guilds.leave, actor),),
            "disband": (partial(guilds.disband, actor),),
            "hand over": (partial(guilds.hand_over, actor, other.name),),
        }
        if act in ("invite", "promote") and actor.guild is None:
            self.tries(*acts["found"])
        self.tries(*acts[act])

    def banks(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        pick, guild = picks[0], len(picks) % 2 == 0
        actor, other = self.ready(who, far, pick)
        if guild and actor.guild is None:
            self.bands("invite", other, actor)
        if guild and actor.guild is not None and pick % 4:
            leader = next(one for one in actor.guild.members.values() if one.rank == Rank.LEADER)
            actor, _ = self.ready(NAMES.index(leader.name), far, pick)
        box = actor.vault if not guild else None
        if guild and actor.guild is not None:
            box = self.hamlet.world.items.get(actor.guild.box)
        item = self.some(pick, actor)
        inside = [*within(box)] if box is not None else []
        act = act if inside else act.replace("take", "put")
        kept = inside[pick % len(inside)] if inside else item
        bank, banker = guild_bank if guild else vaults, self.hamlet.banker
        acts: dict[str, Callable[[], object]] = {
            "put gold": lambda: bank.deposit_gold(actor, banker, amount),
            "take gold": lambda: bank.withdraw_gold(actor, banker, amount),
            "put": lambda: bank.deposit(actor, banker, item, min(amount, item.amount)),
            "take": lambda: bank.withdraw(actor, banker, kept, min(amount, kept.amount)),
        }
        self.tries(acts[act])

    def posts(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """To somebody, who may be away."""
        actor, _ = self.ready(who, far, picks[0] // 3)
        chosen = {
            item.serial: (item, 1 + pick % item.amount) for pick in picks if (item := self.some(pick, actor))
        }
        things = [one for one in chosen.values() if one[0].template.key != "gold" or picks[0] % 5 == 0]
        price, gold, words = 0 if picks[-1] % 2 else amount, min(amount, picks[-1] % 90), "x" * (picks[0] % 2)
        self.hamlet.turn(12.0)  # nobody may write many letters in a minute
        self.tries(
            lambda: mail.send(actor, NAMES[(who + far) % 3], words, things=things, gold=gold, price=price)
        )

    def fetches(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """One of those that wait, whoever it is for."""
        pick = picks[0]
        waiting = self.hamlet.world.letters.all()
        if waiting:
            letter = waiting[pick % len(waiting)]
            reader, _ = self.ready(NAMES.index(letter.receiver_name), far, pick // 3)
            deed = {"take": mail.take, "refuse": mail.refuse, "discard": mail.discard}[act]
            self.tries(lambda: deed(reader, letter))

    def goes(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """Log out, lose the line, or sit down at another client."""
        if act == "over":
            self.hamlet.comes(NAMES[who])
        else:
            self.hamlet.goes(NAMES[who], Ending.CLIENT_LEFT if act == "out" else Ending.CONNECTION_LOST)

    # The server

    def waits(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """For a moment, or for days."""
        self.hamlet.turn(SECONDS[picks[0] % len(SECONDS)])

    def stores(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """What was done goes to disk, or is on its way there."""
        if act != "later":
            self.hamlet.turn(0.1)
        if act != "begins":
            self.hamlet.writes(fails=act == "fails")

    def is_killed(self, act: str, who: int, far: int, picks: list[int], amount: int) -> None:
        """With what was done last on its way to disk, or not even that."""
        if act == "offered":
            self.hamlet.turn(0.0)
        self.hamlet.kill()

    @invariant()
    def nothing_is_doubled_or_lost(self) -> None:
        assert self.hamlet.faults() == []

    def teardown(self) -> None:
        self.stack.close()
        self.hamlet.end()


def play(lives: int, steps: int, *, shrinks: bool = False) -> None:
    """So many lives on one ground. To make the one that fails shorter may take minutes."""
    ground = Conservation.ground = Ground(NAMES, CARRIED)
    try:
        run_state_machine_as_test(
            Conservation,
            settings=settings(
                max_examples=lives,
                stateful_step_count=steps,
                deadline=None,
                phases=[Phase.generate, *([Phase.shrink] if shrinks else [])],
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        ground.close()


def test_r61_nothing_is_doubled_or_lost() -> None:
    play(30, 50)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_r61_nothing_is_doubled_or_lost_in_many_lives() -> None:
    play(3_000, 80, shrinks=True)


# Would it notice?


def one_less(rule: Callable[[Item, int], None], item: Item, amount: int) -> None:
    """Take out, and leave one coin there."""
    rule(item, max(1, amount - 1))


def gives_both(rule: Callable[[Item, Item], Item], item: Item, container: Item) -> Item:
    """Put it in, and one more of its kind."""
    granting.fill(container, item.template.key, 1)
    return rule(item, container)


def no_records(*_: object) -> None:
    """What changes of guilds and letters is not written."""


def forgets(
    rule: Callable[[Storage, World, Mobile], None], storage: Storage, world: World, mobile: Mobile
) -> None:
    """Who leaves is not written."""
    for thing in (mobile, *all_items(mobile)):
        world.dirty.pop(thing.serial, None)
    rule(storage, world, mobile)


@pytest.mark.parametrize(
    ("owner", "name", "bug"),
    [
        (hands, "consume", one_less),
        (hands, "put_in", gives_both),
        (Pending, "add_records", no_records),
        (Storage, "release", forgets),
    ],
)
def test_r61_it_would_notice(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, bug: object) -> None:
    rule = getattr(owner, name)
    assert callable(bug)
    monkeypatch.setattr(owner, name, lambda *given: bug(rule, *given))
    with pytest.raises(AssertionError):
        play(30, 50)
