"""The bank of a guild: whole before and after every deed, with a log, and the sums are the same."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.kit.audits import holder_faults
from tests.kit.guilds import RICH, member, town, weavers
from tests.world.test_shops import put
from world import guild_bank, guild_rolls, guilds, hands, holding, life, safes
from world.guild import Guild, Rank
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
def at_bank() -> tuple[World, Mobile, Mobile, Mobile]:
    """A world, its banker, who leads a guild, and a recruit."""
    world, banker = town()
    anna, berta = member(world, "Anna"), member(world, "Berta", 11)
    weavers(anna, berta)
    return world, banker, anna, berta


def refused(why: Refusal, actor: Mobile, deed: Callable[[], object]) -> None:
    guild = actor.guild
    assert guild is not None
    before = hands.carried(actor), guild_rolls.gold(actor.world, guild), len(guild.log)
    with pytest.raises(Cannot) as caught:
        deed()
    assert caught.value.why is why
    assert (hands.carried(actor), guild_rolls.gold(actor.world, guild), len(guild.log)) == before


def test_gold_goes_in_and_out_and_the_log_says_so(at_bank: tuple[World, Mobile, Mobile, Mobile]) -> None:
    world, banker, anna, berta = at_bank
    guild = anna.guild
    assert guild is not None
    guild_bank.deposit_gold(berta, banker, 70)
    guild_bank.deposit_gold(berta, banker, 30)
    guild_bank.withdraw_gold(anna, banker, 25)
    assert guild_rolls.gold(world, guild) == 75
    assert holding.gold(berta) == RICH - 100
    assert holding.gold(anna) == RICH - guilds.FEE + 25
    assert guild.members[berta.serial].given == 100
    shown = guild_rolls.sheet(world, guild)
    assert shown.gold == 75
    assert [f"{line.who} {line.deed}" for line in shown.log[:3]] == [
        "Anna took 25 gold coins out of the guild's bank",
        "Berta put 30 gold coins into the guild's bank",
        "Berta put 70 gold coins into the guild's bank",
    ]
    assert world.promises[-1] == (
        anna,
        "You took 25 gold coins out of the guild's bank; 75 gold coins lie there.",
    )
    assert holder_faults(world) == []


def test_things_go_in_and_out_too(at_bank: tuple[World, Mobile, Mobile, Mobile]) -> None:
    world, banker, anna, berta = at_bank
    bread, dagger = put(world, berta, "bread", 5), put(world, berta, "dagger")
    guild_bank.deposit(berta, banker, bread, 3)
    guild_bank.deposit(berta, banker, dagger, 1)
    assert [(item.template.key, item.amount) for item in guild_bank.things(anna)] == [
        ("bread", 3),
        ("dagger", 1),
    ]
    inside = guild_bank.things(anna)[0]
    refused(Refusal.NO_RIGHT, berta, lambda: guild_bank.withdraw(berta, banker, inside, 1))
    refused(Refusal.AMOUNT, anna, lambda: guild_bank.withdraw(anna, banker, inside, 4))
    refused(Refusal.NOT_YOURS, anna, lambda: guild_bank.withdraw(anna, banker, bread, 1))
    refused(Refusal.NOT_YOURS, anna, lambda: guild_bank.deposit(anna, banker, bread, 1))
    guild_bank.withdraw(anna, banker, inside, 3)
    assert [item.template.key for item in guild_bank.things(anna)] == ["dagger"]
    assert hands.carried(anna)["bread"] == 3
    assert holder_faults(world) == []


def test_what_is_refused_changes_nothing(at_bank: tuple[World, Mobile, Mobile, Mobile]) -> None:
    world, banker, anna, berta = at_bank
    guild = anna.guild
    assert guild is not None
    guild_bank.deposit_gold(berta, banker, 100)
    for amount in (0, -5):
        refused(Refusal.AMOUNT, berta, partial(guild_bank.deposit_gold, berta, banker, amount))
        refused(Refusal.AMOUNT, anna, partial(guild_bank.withdraw_gold, anna, banker, amount))
    refused(Refusal.POOR, berta, lambda: guild_bank.deposit_gold(berta, banker, RICH))
    refused(Refusal.POOR, anna, lambda: guild_bank.withdraw_gold(anna, banker, 101))
    refused(Refusal.NO_RIGHT, berta, lambda: guild_bank.withdraw_gold(berta, banker, 1))
    refused(Refusal.NO_BANK, anna, lambda: guild_bank.withdraw_gold(anna, berta, 1))
    refused(Refusal.BANK_LEFT, anna, lambda: guilds.disband(anna))
    box = guild_rolls.bank(world, guild)
    assert box is not None
    (stack,) = box.contents.values()
    stack.amount = safes.MOST_GOLD
    refused(Refusal.FULL, berta, lambda: guild_bank.deposit_gold(berta, banker, 1))
    stack.amount = 100
    world.warp(anna, next(iter(world.realms.values())), 60, 60)
    refused(Refusal.FAR, anna, lambda: guild_bank.withdraw_gold(anna, banker, 1))
    life.kill(berta)
    refused(Refusal.DEAD, berta, lambda: guild_bank.deposit_gold(berta, banker, 1))


def test_nobody_reaches_into_the_box(at_bank: tuple[World, Mobile, Mobile, Mobile]) -> None:
    world, banker, anna, _ = at_bank
    guild_bank.deposit(anna, banker, put(world, anna, "dagger"), 1)
    (dagger,) = guild_bank.things(anna)
    with pytest.raises(Cannot) as caught:
        hands.lift(anna, dagger, 1)
    assert caught.value.why is Refusal.NOT_YOURS


def test_who_is_in_no_guild_has_no_bank(at_bank: tuple[World, Mobile, Mobile, Mobile]) -> None:
    world, banker, _, _ = at_bank
    carl = member(world, "Carl", 12)
    for deed in (guild_bank.deposit_gold, guild_bank.withdraw_gold):
        with pytest.raises(Cannot) as caught:
            deed(carl, banker, 1)
        assert caught.value.why is Refusal.NO_GUILD


def test_a_guild_ends_when_its_bank_is_empty(at_bank: tuple[World, Mobile, Mobile, Mobile]) -> None:
    world, banker, anna, _ = at_bank
    guild_bank.deposit_gold(anna, banker, 10)
    guild_bank.withdraw_gold(anna, banker, 10)
    guilds.disband(anna)
    assert holder_faults(world) == []


class Bank(RuleBasedStateMachine):
    """Three players, two guilds and a banker: whatever they do, nothing comes from nowhere or goes there."""

    def __init__(self) -> None:
        super().__init__()
        self.world, self.banker = town()
        self.players = [
            member(self.world, name, 10 + at) for at, name in enumerate(("Anna", "Berta", "Carl"))
        ]
        for player in self.players:
            put(self.world, player, "bread", 5)
            put(self.world, player, "dagger")
        self.fees = 0

    def total(self, key: str) -> int:
        return sum(item.amount for item in self.world.items.values() if item.template.key == key)

    def does(self, deed: Callable[[], object]) -> None:
        try:
            deed()
        except Cannot:
            return

    who = st.integers(0, 2)
    amounts = st.integers(-1, 30_000)

    @rule(who=who)
    def found(self, who: int) -> None:
        actor = self.players[who]
        before = len(self.world.records.all(Guild))
        self.does(lambda: guilds.found(actor, f"Guild {'abc'[who] * 3}", f"G{'ABC'[who]}"))
        self.fees += guilds.FEE * (len(self.world.records.all(Guild)) - before)

    @rule(who=who, other=who)
    def join(self, who: int, other: int) -> None:
        actor, mobile = self.players[who], self.players[other]
        if actor is mobile or mobile.guild is not None or actor.guild is None:
            return
        guilds._enlist(mobile, actor.guild, Rank.RECRUIT)

    @rule(
        who=who,
        other=who,
        deed=st.sampled_from([guilds.promote, guilds.demote, guilds.expel, guilds.hand_over]),
    )
    def ranks(self, who: int, other: int, deed: Callable[[Mobile, str], None]) -> None:
        self.does(lambda: deed(self.players[who], self.players[other].name))

    @rule(who=who, deed=st.sampled_from([guilds.leave, guilds.disband]))
    def ends(self, who: int, deed: Callable[[Mobile], None]) -> None:
        self.does(lambda: deed(self.players[who]))

    @rule(who=who, amount=amounts, deed=st.sampled_from([guild_bank.deposit_gold, guild_bank.withdraw_gold]))
    def gold(self, who: int, amount: int, deed: Callable[[Mobile, Mobile, int], None]) -> None:
        self.does(lambda: deed(self.players[who], self.banker, amount))

    @rule(who=who, key=st.sampled_from(["bread", "dagger"]), amount=st.integers(0, 6))
    def put_in(self, who: int, key: str, amount: int) -> None:
        item = next(iter(hands.carried_items(self.players[who], key)), None)
        if item is not None:
            self.does(lambda: guild_bank.deposit(self.players[who], self.banker, item, amount))

    @rule(who=who, at=st.integers(0, 2), amount=st.integers(0, 6))
    def take_out(self, who: int, at: int, amount: int) -> None:
        actor = self.players[who]
        things = guild_bank.things(actor) if actor.guild is not None else []
        if at < len(things):
            self.does(lambda: guild_bank.withdraw(actor, self.banker, things[at], amount))

    @rule(who=who)
    def die(self, who: int) -> None:
        self.players[who].dead = not self.players[who].dead

    @invariant()
    def sums_are_the_same(self) -> None:
        assert self.total("gold") + self.fees == 3 * RICH
        assert self.total("bread") == 15
        assert self.total("dagger") == 3
        assert holder_faults(self.world) == []

    @invariant()
    def guilds_know_their_members(self) -> None:
        for guild in self.world.records.all(Guild).values():
            assert [one.rank for one in guild.members.values()].count(Rank.LEADER) == 1
        for player in self.players:
            assert (player.guild is not None) == any(
                player.serial in guild.members for guild in self.world.records.all(Guild).values()
            )


TestBank = Bank.TestCase
TestBank.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
