"""What is done and said in one burst happens in its order, from every game: nothing is lost, and nothing is
overtaken. Requests whose newest replaces the older are answered at their pace."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
import trio
from eolib import Direction

from protocol.co.handlers.table import ACTIONS
from protocol.co.packets import Action, ActionType, to_world
from protocol.dispatch import Interval
from protocol.games import GAMES, make_families
from tests.kit.actors import ACTORS, make_actor
from tests.kit.co_player import CoPlayer
from tests.kit.l2_actor import SKILL_LIST
from tests.kit.l2_player import L2Player
from tests.kit.players import EoPlayer
from tests.kit.town import shipped_content
from world import fighting, hands, holding, motion, speech
from world.item import Item

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from trio.testing import MockClock

    from protocol.session import Session
    from tests.kit.actor import Actor
    from tests.kit.town import Town
    from world.mobile import Mobile

DOCS = Path(__file__).parents[2] / "docs" / "network.md"

WORDS = "that was all of it"


@pytest.fixture
def happened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is laid on the ground and what is said aloud, in the order in which the world does it."""
    story: list[str] = []
    lay, say = hands.lay, speech.say

    def lays(actor: Mobile, x: int, y: int) -> Item:
        item = lay(actor, x, y)
        story.append(item.template.key)
        return item

    def says(speaker: Mobile, text: str, *rest: object, **more: object) -> object:
        story.append(text)
        return say(speaker, text, *rest, **more)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(hands, "lay", lays)
    monkeypatch.setattr(speech, "say", says)
    return story


async def in_one_burst(actor: Actor, *deeds: Callable[[], Awaitable[None]]) -> None:
    """Send what these do as one chunk."""
    chunk = bytearray()

    async def collects(data: bytes) -> None:
        chunk.extend(data)
        await trio.lowlevel.checkpoint()

    sends, actor.sends = actor.sends, collects  # type: ignore[method-assign] # until all is said
    for deed in deeds:
        await deed()
    await sends(bytes(chunk))
    actor.sends = sends  # type: ignore[method-assign] # as before


@pytest.mark.parametrize(
    "burst", [("bread", "apple", "candle"), ("bread", "apple", *["dagger"] * 5, "candle")]
)
@pytest.mark.parametrize("game", ACTORS)
async def test_what_is_dropped_and_said_in_one_burst_falls_and_is_heard_in_that_order(
    town: Town, autojump_clock: MockClock, happened: list[str], game: str, burst: Sequence[str]
) -> None:
    actor = make_actor(game, town)
    await actor.enters("alric", "Alric")
    mobile = town.mobile("Alric")
    realm, pack = mobile.realm, mobile.backpack
    assert realm is not None
    assert pack is not None
    for _ in range(burst.count("dagger") - 1):
        dagger = holding.make(mobile.world, "dagger")
        mobile.world.register(dagger)
        holding.put(pack, dagger)
    town.app.loop.wake()
    await actor.echo()
    view, things = town.families[game].view, list(pack.contents.values())

    def dropping(kind: str) -> Callable[[], Awaitable[None]]:
        item = next(thing for thing in things if thing.template.key == kind)
        things.remove(item)
        handle = actor.own_handle_of(item, view)
        assert handle is not None
        return lambda: actor.drop(handle, 1)

    deeds = [dropping(kind) for kind in burst]
    await in_one_burst(actor, *deeds, lambda: actor.say(WORDS))
    await trio.sleep(0.2)
    if len(burst) == 3:
        assert happened == [*burst, WORDS], "that few wait for nothing"
    await trio.sleep(10)
    assert happened == [*burst, WORDS]
    spot = realm.space.at(mobile.x, mobile.y).things.values()
    here = [thing for thing in spot if (thing.x, thing.y) == (mobile.x, mobile.y)]
    assert Counter(thing.template.key for thing in here if isinstance(thing, Item)) == Counter(burst)
    assert len(actor.lying()) >= len(burst), "and its client shows them"


# Single games


async def test_a_flood_of_turns_in_conquer_is_turned_one_after_the_other(
    town: Town, autojump_clock: MockClock, happened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alric = CoPlayer(town)
    await alric.enters("alric", "Alric")
    monkeypatch.setattr(motion, "face", lambda mobile, heading: happened.append(f"turn {heading}"))
    turns = [alric.client.action_bytes(ActionType.TURN, direction=number % 8) for number in range(50)]
    await alric.sends(b"".join(turns) + alric.client.say_bytes(WORDS), wait=0.2)
    assert 3 <= len(happened) <= 5
    await trio.sleep(10)
    assert happened == [f"turn {to_world(number % 8)}" for number in range(50)] + [WORDS]


async def test_a_flood_of_requests_in_conquer_is_answered_at_their_pace(
    town: Town, autojump_clock: MockClock, happened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alric = CoPlayer(town)
    await alric.enters("alric", "Alric")
    client, chunk, expected = alric.client, b"", list[str]()
    for kind, row in list(ACTIONS.items()):
        name_of_kind = ActionType(kind).name
        if row.interval is None or not row.interval.coalesced:
            continue

        def note(session: Session, mobile: Mobile, packet: Action, name: str = name_of_kind) -> None:
            happened.append(name)

        monkeypatch.setitem(ACTIONS, kind, attrs.evolve(row, handler=note))
        chunk += b"".join(client.action_bytes(kind) for _ in range(10))
        expected += [name_of_kind] * (row.interval.burst + 1)
    assert len(expected) >= 16
    await trio.sleep(1.0)  # since it entered
    await alric.sends(chunk + client.say_bytes(WORDS), wait=15)
    assert happened == [*expected, WORDS]


async def test_who_asks_conquer_about_many_is_answered_about_each(
    town: Town, autojump_clock: MockClock, happened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alric = CoPlayer(town)
    await alric.enters("alric", "Alric")

    def note(session: Session, mobile: Mobile, packet: Action) -> None:
        happened.append(str(packet.data))

    asked = attrs.evolve(ACTIONS[ActionType.QUERY_PLAYER], handler=note)
    monkeypatch.setitem(ACTIONS, ActionType.QUERY_PLAYER, asked)
    own = town.families["co"].view.figures.ids.of(town.mobile("Alric"))  # type: ignore[attr-defined]
    numbers = [str(own + number) for number in range(30)]
    chunk = b"".join(
        alric.client.action_bytes(ActionType.QUERY_PLAYER, data=int(number)) for number in numbers
    )
    await alric.sends(chunk + alric.client.say_bytes(WORDS), wait=0.5)
    assert 10 <= len(happened) < 30
    await trio.sleep(5)
    assert happened == [*numbers, WORDS]


async def test_blows_in_endless_online_that_come_in_one_go_are_struck_one_after_the_other(
    town: Town, autojump_clock: MockClock, happened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alric = EoPlayer(town)
    await alric.enters("alric", "alric")
    monkeypatch.setattr(fighting, "strike", lambda mobile, heading: happened.append("blow"))
    alric.client.clock = 5
    blows = []
    for _ in range(6):
        alric.client.clock = 5  # by its own clock they come all at once
        blows.append(alric.client.attack(Direction.Up))
    await alric.sends(b"".join(blows) + alric.client.say(WORDS), wait=0.2)
    assert happened == ["blow"] * 2
    await trio.sleep(5)
    assert happened == ["blow"] * 6 + [WORDS]


async def test_links_in_lineage_are_followed_one_after_the_other_and_lists_only_once(
    town: Town, autojump_clock: MockClock, happened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alric = L2Player(town)
    await alric.enters("alric", "Alric")
    client = alric.client
    monkeypatch.setattr(
        "protocol.l2.handlers.dialogs._choose", lambda session, mobile, link: happened.append(link)
    )
    listed = client.screen.counts[SKILL_LIST]
    links = [client.bypass_bytes(f"link {number}") for number in range(8)]
    lists = client.raw_bytes(*[b"\x3f"] * 40)
    await alric.sends(b"".join(links) + lists + client.say_bytes(WORDS), wait=0.2)
    assert happened == ["link 0", "link 1", "link 2"]
    await trio.sleep(10)
    assert happened == [*(f"link {number}" for number in range(8)), WORDS]
    assert client.screen.counts[SKILL_LIST] == listed + 4, "three at once, and the last"


# All rows

LISTS = "a list of what is so now"
PLACES = "all around it anew, as it is now"
BELIEFS = "where the client believes to be; the newest is where"
ECHO = "the client waits for its own words to come back"

COALESCED = {
    "uo ResyncRequest": PLACES,
    "uo ViewRangeRequest": "so far it wants to see from now on; the newest says how far",
    "eo RefreshRequestClientPacket": PLACES,
    "eo PlayersRequestClientPacket": LISTS,
    "eo PlayersListClientPacket": LISTS,
    "eo PartyTakeClientPacket": LISTS,
    "co ENTER_MAP": "where it is now",
    "co SURROUNDINGS": PLACES,
    "co ITEMS": LISTS,
    "co FRIENDS": LISTS,
    "co WEAPON_SKILLS": ECHO,
    "co MAGIC": ECHO,
    "co GUILD": LISTS,
    "co LOGIN_COMPLETE": ECHO,
    "co PK_MODE": "which button is down; the client follows the newest",
    "co GHOST": "what it looks like now, as often as it asks",
    "eq2 RequestGuildMembership": LISTS,
    "eq2 MailGetHeaders": LISTS,
    "l2 MoveBackwardToLocation": "where to; a goal replaces the one before it, as in motion.travel",
    "l2 ValidatePosition": BELIEFS,
    "web FindWay": "where to; a client goes to one place at a time, and asks anew if it goes elsewhere",
    "l2 RequestItemList": LISTS,
    "l2 RequestSkillList": LISTS,
    "l2 RequestQuestList": LISTS,
    "l2 RequestGmList": LISTS,
    "l2 RequestPledgeMemberList": LISTS,
    "l2 RequestPledgePowerGradeList": LISTS,
    "l2 RequestPledgeWarList": "which half of a list; the window shows one of both",
    "l2 RequestAllyInfo": LISTS,
    "l2 RequestShowMiniMap": "the map is open, once is enough",
}
"""Rows of which the newest replaces the older, and why nothing is lost with these. All others with an
interval are acts."""


def intervals() -> Iterator[tuple[str, Interval]]:
    """Everything that may not come too often, by game and name."""
    seen: set[int] = set()
    for game, family in make_families(shipped_content(), GAMES)[0].items():
        for door in family.doors.values():
            for entry in door.table:
                if isinstance(entry.interval, Interval) and id(entry) not in seen:
                    seen.add(id(entry))
                    yield f"{game} {entry.name}", entry.interval
                elif entry.interval is not None and id(entry) not in seen:
                    assert (game, entry.name) == ("co", "Action"), "its kinds are not listed here"
    yield from (
        (f"co {ActionType(kind).name}", row.interval) for kind, row in ACTIONS.items() if row.interval
    )


def test_every_row_that_loses_something_says_why_nothing_is_lost() -> None:
    rows = list(intervals())
    assert len(rows) > 50
    assert {name for name, interval in rows if interval.coalesced} == set(COALESCED)


def test_the_documentation_names_every_interval() -> None:
    text = DOCS.read_text(encoding="utf-8").split("## What comes too soon\n")[1].split("\n## ")[0]
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    documented = {
        (f"{game.strip()} {name.strip()}", float(seconds), int(burst), "newest" in how)
        for game, names, seconds, burst, how in lines[2:]
        for name in names.split(",")
    }
    assert documented == {
        (name, round(interval.seconds, 2), interval.burst, interval.coalesced)
        for name, interval in intervals()
    }


def test_no_two_rows_share_an_interval_by_mistake() -> None:
    counts = Counter(id(interval) for _, interval in intervals())
    assert set(counts.values()) == {1}
