"""Looking at things: what a client asks about, and is told."""

from __future__ import annotations

import struct

from protocol.eq2.packets import DisplayText, ExamineInfo, ExamineInfoRequest
from protocol.wishes import Wish
from tests.kit.eq2_desk import Desk, Player
from world import granting, hands, holding, safes
from world.reach import Refusal


def request(number: int, *, kind: int = 0, flags: bytes = b"\1\0") -> ExamineInfoRequest:
    return ExamineInfoRequest(kind, struct.pack("<I", number) + flags)


def lines(player: Player) -> list[str]:
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


async def test_ones_own_things_those_in_the_bank_and_kinds_on_offer_are_described() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    granting.make(player.mobile, "dagger", 1)
    dagger = next(hands.carried_items(player.mobile, "dagger"))
    await player.says(request(dagger.serial), request(dagger.serial, flags=b"\0\0"))
    first, second = player.took(ExamineInfo)
    weapon = dagger.template.weapon
    assert weapon is not None
    assert (first.window, second.window) == (1, 0)
    assert (first.thing.unique, first.thing.name) == (dagger.serial, dagger.label)
    assert first.thing.description.startswith(f"{weapon.least} to {weapon.most} damage")
    kept = holding.make(desk.world, "bread")
    desk.world.register(kept)
    holding.put(safes.box(player.mobile), kept)
    player.got.clear()
    await player.says(request(kept.serial), request(player.session.number_of_kind("candle")))
    assert [one.thing.name for one in player.took(ExamineInfo)] == [
        kept.label,
        desk.content.items["candle"].name,
    ]


async def test_others_things_and_all_else_are_not_told_of() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta")
    theirs = next(hands.carried_items(other.mobile))
    for message in (
        request(theirs.serial),
        request(999),
        request(0),
        request(1, kind=3),
        ExamineInfoRequest(0, b"\1\2"),
    ):
        await desk.wait(1.5)
        player.got.clear()
        await player.says(message)
        assert lines(player) == [Wish.EXAMINING.value]
        assert not player.took(ExamineInfo)


async def test_by_word_one_looks_at_what_lies_in_a_bag_or_is_worn() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    granting.make(player.mobile, "dagger", 1)
    dagger = next(hands.carried_items(player.mobile, "dagger"))
    await desk.wait(0.1)
    stowed = player.session.stowed
    row = next(row for row in range(len(stowed.sent)) if stowed.at(row) == dagger.serial)
    await player.types(f"info inventory {row ^ 0xFF}")
    hands.exchange(player.mobile, dagger)
    await player.types("info equipment 0")
    assert [one.thing.unique for one in player.took(ExamineInfo)] == [dagger.serial] * 2
    player.got.clear()
    await player.types("info equipment 21")
    assert lines(player) == [Refusal.GONE.value]
    for words in ("", "overflow 1", "inventory", "inventory -1", "inventory 9999999"):
        await desk.wait(1.5)
        await player.types(f"info {words}")
        assert lines(player) == [Wish.EXAMINING.value]
