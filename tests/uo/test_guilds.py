"""Guilds at this game's clients: the button of the paperdoll, colours and tags of members, words to them, and
who may be asked into one by a menu. Layouts by facts/uo.md and facts/uo-play.md, section 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.uo.figures import ANY_TEXT, NAME_WITH_AFFIXES
from protocol.uo.handlers.menus import LINES
from protocol.uo.packets.dialogs import GuildRequest, MenuChoice, MenuRequest
from protocol.uo.packets.people import ProfileRequest
from protocol.uo.packets.talk import SpeechKind, UnicodeSpeech
from protocol.uo.packets.things import DoubleClick, PropertiesRequest, SingleClick
from protocol.uo.view import Viewer
from protocol.wishes import Wish
from tests.kit.guilds import joins, weavers
from tests.kit.town import Town
from tests.kit.uo_people import Person, act, clear, enters, far, gather
from tests.kit.uo_stage import Scene, happened, heard, player, pressed, written
from world import conduct, friends, granting, guild_hall, guild_ties, guilds, holding, invites, law
from world.events import Asked, Said
from world.reach import Refusal
from world.wording import GOLD

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.uo.packets.base import ClientPacket
    from protocol.uo.session import UoSession
    from tests.kit.uo_seen import Line, Window
    from world.mobile import Mobile

TRADE, INVITE, FRIEND = 8, 9, 10
"""Lines of the menu of another player."""

ALLY, ENEMY = 2, 5
"""Notorieties (facts/uo-play.md, section 10)."""

GREEN, ORANGE, BLUE = 0x3F, 0x90, 0x59
"""Hues of labels (facts/uo.md, section 8)."""


# Single packets


def people(count: int = 2) -> tuple[Scene, list[UoSession]]:
    """Clients side by side, who see one another and can pay for a guild."""
    scene = Scene()
    sessions = []
    for at, name in enumerate(("Alric", "Berta", "Carl")[:count]):
        mobile = scene.person(name, 10 + at, 10)
        mobile.short_name = name
        mobile.strength = 2_000
        assert mobile.backpack is not None
        holding.put(mobile.backpack, holding.make(scene.world, GOLD, amount=guilds.FEE, stored=False))
        sessions.append(scene.session(mobile))
    for session in sessions:
        session.known.update({player(one).serial: player(one) for one in sessions})
    scene.world.take_changes()
    return scene, sessions


def guild_of(scene: Scene, *sessions: UoSession) -> None:
    """A guild of these, led by the first."""
    first, *others = map(player, sessions)
    weavers(first)
    for other in others:
        joins(first, other)
    scene.world.take_changes()


@pytest.mark.parametrize("member", [False, True])
def test_the_button_of_the_paperdoll_shows_the_guild(member: bool) -> None:
    scene, [session] = people(1)
    if member:
        guild_of(scene, session)
    mobile = player(session)
    # facts/uo.md: player, 0x28, and a 0x0A.
    frame = b"\xd7\0\x0a" + mobile.serial.to_bytes(4, "big") + b"\0\x28\x0a"
    assert GuildRequest.decode(frame) == GuildRequest(mobile.serial, b"\x0a")
    assert GuildRequest(mobile.serial, b"\x0a").encode() == frame
    assert pressed(scene, session, frame) == []
    asked = happened(scene, Asked)
    assert isinstance(asked, Asked)
    assert asked.dialog.name == guild_hall.HALL
    assert asked.dialog.title == ("Weavers [WV]" if member else "Guild")


def test_the_tag_is_in_labels_and_tooltips() -> None:
    scene, [alric, berta] = people()
    guild_of(scene, alric)
    player(alric).title = "the Old"
    serial = player(alric).serial
    [label] = scene.send(berta, SingleClick(serial))
    # 0xC1: serial, body, kind 6, hue, font 3, text, name of 30, arguments little-endian, a NUL of 2 bytes.
    affixed = " \tAlric\t the Old [WV]".encode("utf-16-le")
    assert label == (
        b"\xc1"
        + (48 + len(affixed) + 2).to_bytes(2, "big")
        + serial.to_bytes(4, "big")
        + bytes.fromhex("0190 06 0059 0003")
        + NAME_WITH_AFFIXES.to_bytes(4, "big")
        + b"Alric".ljust(30, b"\0")
        + affixed
        + b"\0\0"
    )
    [tooltip] = scene.send(berta, PropertiesRequest((serial,)))
    guild = "Weavers".encode("utf-16-le")
    rows = b"".join(
        number.to_bytes(4, "big") + len(text).to_bytes(2, "big") + text
        for number, text in ((NAME_WITH_AFFIXES, affixed), (ANY_TEXT, guild))
    )
    assert tooltip[15:] == rows + bytes(4)
    before = tooltip[11:15]
    assert player(alric).guild is not None
    player(alric).guild.name = "Spinners"  # type: ignore[union-attr] # just asserted
    [tooltip] = scene.send(berta, PropertiesRequest((serial,)))
    assert tooltip[11:15] != before, "another revision, so that clients ask anew"
    player(alric).title = ""
    [label] = scene.send(berta, SingleClick(serial))
    assert label[48:-2].decode("utf-16-le") == " \tAlric\t [WV]"


def test_the_paperdoll_and_the_profile_tell_the_guild() -> None:
    scene, [alric, berta] = people()
    guild_of(scene, alric, berta)
    mobile = player(berta)

    def title() -> str:
        frames = scene.send(alric, DoubleClick(mobile.serial))
        return next(frame[5:65].rstrip(b"\0").decode() for frame in frames if frame[0] == 0x88)

    assert title() == "Berta, level 1, recruit [WV]"
    guilds.promote(player(alric), "Berta")
    assert title() == "Berta, level 1, member [WV]"
    mobile.title = "the very old one with a title that is too long"
    assert title() == "Berta, level 1, member [WV]", "no half of a title"
    [profile] = scene.send(alric, ProfileRequest(0, mobile.serial, b""))
    assert "Member of the guild Weavers [WV].".encode("utf-16-be") in profile


def test_words_to_the_guild_go_both_ways_in_the_speakers_colour() -> None:
    scene, [alric, berta] = people()
    guild_of(scene, alric, berta)
    scene.send(alric, UnicodeSpeech(SpeechKind.GUILD, 0x55, 3, "ENU", (), "to arms"))
    [said] = [event for event in scene.world.take_changes().events if isinstance(event, Said)]
    assert {viewport.mobile for viewport in said.viewers} == {player(alric), player(berta)}
    [line] = written(scene.view.event(said, Viewer.FELLOW, berta.dialect), berta)
    # 0xAE: serial, body, kind 0x0D, hue, font 3, language, name of 30, words.
    assert line == (
        b"\xae\0\x40"
        + player(alric).serial.to_bytes(4, "big")
        + bytes.fromhex("0190 0d 0055 0003")
        + b"ENU\0"
        + b"Alric".ljust(30, b"\0")
        + "to arms\0".encode("utf-16-be")
    )
    # From a game without colours.
    said.hue = 0
    [line] = written(scene.view.event(said, Viewer.FELLOW, berta.dialect), berta)
    assert line[10:12] == b"\0\x44"


@pytest.mark.parametrize(
    ("kind", "why"),
    [(SpeechKind.GUILD, Refusal.NO_GUILD), (SpeechKind.ALLIANCE, Refusal.NO_ALLIANCE)],
)
def test_who_has_no_guild_and_no_ally_is_told_so(kind: int, why: Refusal) -> None:
    scene, [alric, berta] = people()
    if kind == SpeechKind.ALLIANCE:
        guild_of(scene, alric, berta)
    scene.send(alric, UnicodeSpeech(kind, 0x55, 3, "ENU", (), "hello"))
    assert heard(scene) == [why.value]


def offered(scene: Scene, session: UoSession, other: Mobile) -> list[int]:
    """Lines of its menu."""
    [menu] = scene.send(session, MenuRequest(other.serial))
    assert menu[5:7] == b"\0\2"
    lines = [menu[at : at + 8] for at in range(12, len(menu), 8)]
    numbers = [int.from_bytes(line[4:6], "big") for line in lines]
    assert [int.from_bytes(line[:4], "big") for line in lines] == [LINES[one].text for one in numbers]
    return numbers


def test_the_menu_of_another_player_has_what_one_may_ask_it() -> None:
    scene, [alric, berta] = people()
    other = player(berta)
    assert offered(scene, alric, other) == [0, 7, TRADE, FRIEND], "in no guild"
    scene.send(alric, MenuChoice(other.serial, INVITE))
    assert heard(scene) == [Wish.UNASKED.value]
    guild_of(scene, alric)
    assert offered(scene, alric, other) == [0, 7, TRADE, INVITE, FRIEND]
    scene.send(alric, MenuChoice(other.serial, FRIEND))
    assert [*friends.friends_of(player(alric))] == [other.serial]
    assert offered(scene, alric, other) == [0, 7, TRADE, INVITE]
    heard(scene)
    scene.send(alric, MenuChoice(other.serial, INVITE))
    assert heard(scene) == ["You ask Berta to join Weavers."]
    scene.send(alric, MenuChoice(other.serial, TRADE))
    assert player(alric).trade is not None, "at once, as by a thing that is dropped on somebody"
    old = scene.session(scene.person("Dora", 12, 11), (5, 0, 9, 1))
    old.known[other.serial] = other
    [menu] = scene.send(old, MenuRequest(other.serial))
    assert menu[11] == 2, "clients before 6.0 know no such texts: the paperdoll and the party"


# Whole clients


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


def colours(person: Person) -> dict[str, int]:
    """The notorieties in which a client shows the others."""
    mobiles = person.town.app.world.mobiles
    return {mobiles[serial].name: seen.notoriety for serial, seen in person.client.mobiles.items()}


async def clicks(person: Person, label: str, *texts: str) -> None:
    """Fill in and press a button of the gump that its client was shown last."""
    await person.does(person.client.filled_bytes(gump(person), (), texts, label))


def gump(person: Person) -> Window:
    return next(reversed(person.client.gumps.values()))


async def sends(person: Person, *packets: ClientPacket) -> None:
    await person.does(person.client.pack_bytes(*packets))


async def label(person: Person, other: Person) -> Line:
    """The name of somebody, as its client shows it."""
    await sends(person, SingleClick(other.mobile.serial))
    return person.client.lines[-1]


async def four(town: Town) -> list[Person]:
    """Anna, Bert, Carl and Dora side by side; the first and the third can pay for a guild."""
    found = [await enters(town, name) for name in ("Anna", "Carl", "Dora")]
    found.insert(1, await enters(town, "Bert", (5, 0, 9, 1)))
    await act(town, clear)
    await act(town, lambda world: gather(*(person.mobile for person in found)))

    def pay(_: object) -> None:
        for person in (found[0], found[2]):
            person.mobile.strength = 2_000
            granting.make(person.mobile, GOLD, guilds.FEE)

    await act(town, pay)
    return found


async def test_a_guild_from_its_founding_to_war_and_peace(town: Town, autojump_clock: MockClock) -> None:
    """Anna founds one by the button of her paperdoll and asks Bert in by his menu; Carl has another one, and
    Dora none. What each client shows of the others follows each turn of it."""
    anna, bert, carl, dora = await four(town)
    await sends(anna, GuildRequest(anna.mobile.serial, b"\x0a"))
    await clicks(anna, "Found it.", "The", "1")
    assert anna.client.said()[-1] == "Up to 3 characters, please.", "a field that does not fit is asked anew"
    await clicks(anna, "Found it.", "Weavers", "WV")
    guild = anna.mobile.guild
    assert guild is not None
    await sends(anna, MenuChoice(bert.mobile.serial, INVITE))
    await clicks(bert, "Yes")
    assert bert.mobile.guild is guild
    assert colours(anna) == {"Bert": ALLY, "Carl": 1, "Dora": 1}
    assert colours(bert) == {"Anna": ALLY, "Carl": 1, "Dora": 1}
    assert colours(carl) == {"Anna": 1, "Bert": 1, "Dora": 1}
    # Anna declares war in her gump; both sides see it, and nobody else.
    await act(town, lambda _: guilds.found(carl.mobile, "Spinners", "SP"))
    await sends(anna, GuildRequest(anna.mobile.serial, b"\x0a"))
    await clicks(anna, "Declare war.")
    await clicks(anna, "So be it.", "SP")
    assert colours(anna) == {"Bert": ALLY, "Carl": ENEMY, "Dora": 1}
    assert colours(bert) == {"Anna": ALLY, "Carl": ENEMY, "Dora": 1}
    assert colours(carl) == {"Anna": ENEMY, "Bert": ENEMY, "Dora": 1}
    assert colours(dora) == {"Anna": 1, "Bert": 1, "Carl": 1}
    for reader, other, hue in (
        (anna, bert, GREEN),
        (anna, carl, ORANGE),
        (carl, anna, ORANGE),
        (dora, anna, BLUE),
    ):
        line = await label(reader, other)
        tag = other.mobile.guild.tag if other.mobile.guild is not None else ""
        assert (line.hue, line.text) == (hue, f" \t{other.name}\t [{tag}]")
    # Steps are in the same colours, and so is who comes into sight again.
    await bert.does(bert.client.walk_bytes(4), bert.client.walk_bytes(4))
    assert (colours(carl)["Bert"], colours(anna)["Bert"], colours(dora)["Bert"]) == (ENEMY, ALLY, 1)
    await act(town, lambda _: far(carl.mobile))
    assert "Carl" not in colours(anna)
    await act(town, lambda _: gather(*(one.mobile for one in (anna, bert, carl, dora))))
    assert (colours(anna)["Carl"], colours(carl)["Anna"]) == (ENEMY, ENEMY)
    # Peace, and an alliance, which Carl is asked for.
    await act(town, lambda _: guild_ties.end(anna.mobile, "SP"))
    assert colours(carl) == {"Anna": 1, "Bert": 1, "Dora": 1}
    await act(town, lambda _: guild_ties.ask_alliance(anna.mobile, "SP"))
    await clicks(carl, "Yes")
    assert colours(carl) == {"Anna": ALLY, "Bert": ALLY, "Dora": 1}
    assert (colours(anna)["Carl"], colours(bert)["Carl"]) == (ALLY, ALLY)
    # Bert leaves: he and they see it. A criminal is grey to him, and green to whom she leads.
    await act(town, lambda _: guilds.leave(bert.mobile))
    assert colours(bert) == {"Anna": 1, "Carl": 1, "Dora": 1}
    assert (colours(anna)["Bert"], colours(carl)["Bert"]) == (1, 1)
    await act(town, lambda _: law.commit_crime(anna.mobile))
    assert (colours(bert)["Anna"], colours(carl)["Anna"]) == (4, ALLY)


async def test_words_and_colours_of_who_comes_later(town: Town, autojump_clock: MockClock) -> None:
    """Words of kind 0x0D and 0x0E reach who belongs to the guild and its allies, wherever they are; and
    whoever comes in is in its colour at once."""
    anna, bert, carl, dora = await four(town)

    def found(_: object) -> None:
        guilds.found(anna.mobile, "Weavers", "WV")
        joins(anna.mobile, bert.mobile)
        guilds.found(carl.mobile, "Spinners", "SP")
        guild_ties.ask_alliance(anna.mobile, "SP")
        invites.accept(carl.mobile, guild_ties.ALLIANCE)

    await act(town, found)
    await act(town, lambda _: far(bert.mobile))
    for person in (anna, bert, carl, dora):
        person.client.lines.clear()
    await anna.does(anna.client.say_bytes("only us", SpeechKind.GUILD))
    await bert.does(bert.client.say_bytes("all of us", SpeechKind.ALLIANCE))
    ours = ("Anna", SpeechKind.GUILD, 0x34, "only us")
    allied = ("Bert", SpeechKind.ALLIANCE, 0x34, "all of us")
    for person, heard_there in ((anna, [ours, allied]), (bert, [ours, allied]), (carl, [allied]), (dora, [])):
        lines = [(line.name, line.kind, line.hue, line.text) for line in person.client.lines]
        assert lines == heard_there, person.name
    await act(town, lambda _: gather(anna.mobile, dora.mobile))
    await bert.player.does(bert.client.logout_bytes(), wait=1)
    bert.player.leaves()
    await trio.sleep(15)
    again = await enters(town, "Bert")
    await act(town, lambda _: gather(anna.mobile, again.mobile, dora.mobile))
    assert (colours(anna)["Bert"], colours(again)["Anna"], colours(dora)["Bert"]) == (ALLY, ALLY, 1)
    await sends(again, SingleClick(again.mobile.serial))
    assert again.client.lines[-1].text == " \tBert\t [WV]"


async def test_somebody_is_reported_and_a_friend_added_through_the_gump_of_help(
    town: Town, autojump_clock: MockClock
) -> None:
    anna, bert = await enters(town, "Anna"), await enters(town, "Bert")
    await bert.does(bert.client.say_bytes("give me your gold"))
    await anna.does(b"\x9b" + bytes(257))
    await anna.does(anna.client.filled_bytes(gump(anna), (), (), "I want to report somebody."))
    await clicks(anna, "Report it.", "Nobody", "He begs")
    assert Refusal.NOBODY.value in anna.client.said()
    await clicks(anna, "Report it.", "Bert", "He begs")
    [report] = conduct.reports(town.app.world).values()
    assert (report.who, report.about, report.text) == ("Anna", "Bert", "He begs")
    assert not anna.client.gumps
    await anna.does(b"\x9b" + bytes(257))
    for text in ("Friends, letters and my guild.", "My friends.", "Add a friend."):
        await clicks(anna, text)
    await clicks(anna, "So be it.", "Bert")
    assert "Bert (here)" in gump(anna).texts
    assert [*friends.friends_of(anna.mobile)] == [bert.mobile.serial]
