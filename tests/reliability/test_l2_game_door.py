"""What somebody in the world of Lineage II may send who does not mean well: texts without an end, links that
were never offered, everything too often; and pages that would end the reader's client. R-07, R-08, and the
flood protectors; what is the same for every game is in test_wire_contents.py."""

from __future__ import annotations

import itertools
import logging
import struct
from collections import Counter
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.dispatch import Interval, Where
from protocol.endings import Ending
from protocol.l2.packets import HTML_LIMIT
from protocol.session import Phase
from tests.kit.game import MARK
from tests.kit.games import GAMES, Person, Witnesses
from tests.kit.l2_player import L2Player
from tests.kit.wire_faults import harmless, loud, newest
from world import dialogs
from world.dialogs import Button

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from trio.testing import MockClock

    from protocol.dispatch import Entry
    from protocol.session import Session
    from tests.kit.town import Town
    from world.item import Item
    from world.mobile import Mobile

pytestmark = pytest.mark.timeout(60)

RECORD = GAMES["l2"]
WHO = Person(1)
LEAVING = ("Logout", "RequestRestart")


async def inside(town: Town, who: Person = WHO) -> L2Player:
    """Somebody in the world."""
    player = RECORD.player(town)
    assert isinstance(player, L2Player)
    await RECORD.enters(player, who)
    return player


#


async def test_r08_texts_without_an_end_and_with_half_of_one(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """The last bytes of a packet are the text's; so are half a letter, half an end, and half of a pair."""
    town = easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    table, tried = town.families["l2"].doors["game"].table, 0
    raw = MARK.encode("utf-16-le")
    tails = (
        raw,
        raw + b"\0",
        raw[:-1],
        b"",
        b"\0",
        b"\x3d\xd8",
        b"\0\xdc" * 9,
        b"\xd8" * 4001,
    )
    player, connection, before = RECORD.player(town), None, None
    for entry in table:
        for name, make in RECORD.with_text(entry.opcode):
            frame = make(raw)
            at = frame.index(raw)
            phase = min(entry.phases & {step.phase for step in RECORD.steps}, default=Phase.IN_WORLD)
            if phase is not before:
                player.leaves()
                await trio.sleep(11)
                connection, before = None, phase
            for tail in tails:
                if connection is None or connection.ending is not None:
                    player = RECORD.player(town)
                    await RECORD.plays(player, WHO, upto=RECORD.first(phase))
                    assert player.end
                    await trio.sleep(0.01)
                    connection = newest(town)
                await player.sends(RECORD.wire(player, frame[:at] + tail), wait=0.05)
                assert connection.ending is not Ending.OUR_BUG, (entry.name, name, tail)
                if phase is Phase.IN_WORLD:
                    assert connection.ending is None, (entry.name, name, tail, connection.detail)
                tried += 1
    assert tried > 50
    assert loud(caplog.records, logging.ERROR) == []
    await witnesses.are_well()
    for other, player, _ in witnesses.players:
        assert all(harmless(line) for line in other.heard(player))


async def test_r07_amounts_and_numbers_beyond_all_bounds_change_nothing(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Every number of every packet negative, huge and one beside the largest; what somebody has stays."""
    town = easy_town
    player, witness = await inside(town), await inside(town, Person(2))
    mobile = town.mobile(WHO.character)
    owned = Counter((item.template.key, item.amount) for item in _all_of(mobile))
    numbers = [struct.pack("<i", number) for number in (-1, -(1 << 31), (1 << 31) - 1, -57)]
    place, sent = (mobile.x, mobile.y), 0
    entries = [entry for entry in town.families["l2"].doors["game"].table if entry.name not in LEAVING]
    for number, entry in itertools.product(numbers, entries):
        if player.gone:
            player = await inside(town)
        frame = RECORD.legal(entry.opcode)[0]
        head = frame[: 3 if frame[0] == 0xD0 else 1]
        await player.sends(RECORD.wire(player, head + number * (len(frame) // 4 + 1)), wait=0.06)
        sent += 1
    await trio.sleep(12)
    assert sent > 100
    assert loud(caplog.records, logging.ERROR) == []
    mobile = town.mobile(WHO.character) if town.here(WHO.character) else mobile
    assert Counter((item.template.key, item.amount) for item in _all_of(mobile)) == owned
    assert abs(mobile.x - place[0]) + abs(mobile.y - place[1]) < 100
    assert not witness.gone


def _all_of(mobile: Mobile) -> list[Item]:
    found: list[Item] = []
    waiting = [*mobile.worn.values()]
    while waiting:
        item = waiting.pop()
        found.append(item)
        waiting += item.contents.values()
    return found


# Links


async def test_a_forged_link_is_no_answer(easy_town: Town, autojump_clock: MockClock) -> None:
    """Neither words that mean something elsewhere, nor another's link, nor one a button further; then the
    honest one, once."""
    town = easy_town
    anna, bert = await inside(town), await inside(town, Person(2))
    answers: list[tuple[str, int]] = []

    def asked(mobile: Mobile) -> dialogs.Dialog:
        return dialogs.ask(
            mobile,
            "Test",
            title="Gold",
            text="Give all of it away?",
            buttons=(Button(1, "Yes"), Button(2, "No")),
            answered=lambda who, reply: answers.append((who.name, reply.button)),
        )

    hers = await town.app.in_world(None, lambda _: asked(town.mobile(WHO.character)))
    his = await town.app.in_world(None, lambda _: asked(town.mobile(Person(2).character)))
    await trio.sleep(1)
    honest = f"answer {hers.serial} {hers.type_id} 1"
    forged = [
        f"answer {his.serial} {his.type_id} 1",
        f"answer {hers.serial} {hers.type_id} 3",
        f"answer {hers.serial} {hers.type_id} 0",
        f"answer {hers.serial + 1} {hers.type_id} 1",
        f"answer {hers.serial} {hers.type_id ^ 1} 1",
        f"answer {hers.serial} {hers.type_id} \u0661",
        f" {honest}",
        f"{honest} ",
        honest.upper(),
        "",
        "admin_shutdown 1",
        "npc_1_Chat 0",
        "_bbshome",
        "x" * 4000,
    ]
    for link in forged:
        await anna.sends(anna.client.bypass_bytes(link), wait=0.6)
        assert answers == [], link
    assert not anna.gone
    assert town.exit_code is None
    await bert.sends(bert.client.bypass_bytes(honest), wait=0.6)
    assert answers == [], "somebody else's"
    await anna.sends(anna.client.bypass_bytes(honest), wait=0.6)
    assert answers == [(WHO.character, 1)]
    await anna.sends(anna.client.bypass_bytes(honest), wait=0.6)
    assert answers == [(WHO.character, 1)], "once"
    await bert.sends(bert.client.bypass_bytes(f"answer {his.serial} {his.type_id} 2"), wait=0.6)
    assert answers[1:] == [(Person(2).character, 2)]


@pytest.mark.parametrize(
    ("letter", "buttons"),
    [("x", 2), ("&", 2), ("&", 12), ("&", 16), ("\U0001f600", 40), ("<", 400)],
)
async def test_no_page_is_longer_than_clients_can_bear(
    easy_town: Town, autojump_clock: MockClock, letter: str, buttons: int
) -> None:
    """8,192 characters as the client counts them, whatever a script asks, on the wire."""
    player = await inside(easy_town)
    mobile = easy_town.mobile(WHO.character)
    await easy_town.app.in_world(
        None,
        lambda _: dialogs.ask(
            mobile,
            "Test",
            title=letter * 300,
            text=letter * 20_000,
            buttons=[Button(number + 1, letter * 300) for number in range(buttons)],
            answered=lambda who, button: None,
        ),
    )
    await trio.sleep(1)
    assert HTML_LIMIT == 8192
    html = player.client.screen.html
    if html is None:
        assert buttons > 12, "a question with so many answers may be none, but not a page too long"
    else:
        assert len(html.text.encode("utf-16-le")) <= 2 * HTML_LIMIT
        assert html.text.endswith("</body></html>")
        assert "answer " in html.text
    assert player.client.why == ""
    await player.sends(player.client.say_bytes("still here"))
    assert "still here" in player.client.screen.lines()


# Floods


async def test_nobody_does_anything_more_often_than_it_may(
    easy_town: Town,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Everything that has an interval, twenty times at once, on the wire: how often it is handled, that no
    act is lost, and that an honest word behind them is heard once they are done."""
    town = easy_town
    listener = await inside(town, Person(2))
    table = town.families["l2"].doors["game"].table
    limited = [entry for entry in table if isinstance(entry.interval, Interval)]
    assert len(limited) >= 15
    before, player = None, RECORD.player(town)
    for entry in limited:
        interval = entry.interval
        assert isinstance(interval, Interval)
        upto = RECORD.first(max(entry.phases & {step.phase for step in RECORD.steps}))
        if upto != before or upto < RECORD.entering:
            player.leaves()
            await trio.sleep(11)
            await RECORD.plays(player, WHO, upto=upto)
            before = upto
        assert player.end
        frame, handled = RECORD.legal(entry.opcode)[0], list[float]()
        with monkeypatch.context() as counting:
            counting.setitem(table._entries, entry.opcode, _counted(entry, handled))
            await player.sends(b"".join(RECORD.wire(player, frame) for _ in range(20)), wait=0)
            if upto >= RECORD.entering:
                await player.sends(RECORD.says(player, f"word of {entry.name}"), wait=0)
            await trio.sleep(20 * entry.every + 1)
        most = interval.burst + 1 + int(1 / entry.every)
        assert 1 <= len([at for at in handled if at <= handled[0] + 1]) <= most, entry.name
        assert len(handled) == (interval.burst + 1 if interval.coalesced else 20), entry.name
        assert not player.gone, entry.name
        if upto >= RECORD.entering:
            assert f"word of {entry.name}" in RECORD.heard(listener), entry.name
    assert loud(caplog.records) == []


def _counted(entry: Entry[Session], handled: list[float]) -> Entry[Session]:
    """The same, which does nothing but note when."""

    def note(session: Session, packet: object) -> None:
        handled.append(trio.current_time())

    async def note_here(session: Session, packet: object) -> None:
        await trio.lowlevel.checkpoint()
        handled.append(trio.current_time())

    handler: Callable[[Session, object], Awaitable[None] | None] = (
        note_here if entry.where is Where.HERE else note
    )
    return attrs.evolve(entry, handler=handler)
