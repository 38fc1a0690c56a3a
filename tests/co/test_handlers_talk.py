"""Conquer Online: talking on all channels, whispers, and orders to the server."""

from __future__ import annotations

import pytest

from protocol.co.handlers.talk import NO_COMPANY, TO_ALL
from protocol.co.packets import ALL_USERS, SYSTEM, Channel, Talk
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_desk import Desk, Player
from world import speech
from world.events import Speech
from world.mobile import Access
from world.reach import Refusal


async def three(desk: Desk) -> tuple[Player, Player, Player]:
    """Alric; Berta beside him; Clara far away, in sight of neither."""
    players = [
        await desk.enter(name, at)
        for name, at in (("alric", (20, 20)), ("berta", (24, 20)), ("clara", (55, 55)))
    ]
    for player in players:
        player.got.clear()
    return players[0], players[1], players[2]


def heard(player: Player) -> tuple[int, str, str, str]:
    """Channel, speaker, hearer, words of the one line that came."""
    talk = player.only(Talk)
    return talk.channel, talk.speaker, talk.hearer, talk.words


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (Channel.TALK, Channel.TALK),
        (Channel.GHOST, Channel.TALK),
        (Channel.YELL, Channel.YELL),
        (Channel.VENDOR, Channel.YELL),
        (Channel.ACTION, Channel.ACTION),
    ],
)
async def test_words_for_those_around(said: Channel, shown: Channel) -> None:
    alric, berta, clara = await three(Desk())
    await alric.talks("Hello", said)
    assert heard(berta) == (shown, "Alric", ALL_USERS, "Hello")
    assert alric.got == [], "its client shows by itself what it says"
    assert clara.got == []


async def test_a_line_byte_by_byte() -> None:
    alric, berta, _ = await three(Desk())
    berta.raw.clear()
    await alric.talks("Hi", Channel.TALK)
    (raw,) = berta.raw
    look = berta.screen.people[alric.number].look.to_bytes(4, "little")
    assert raw == (
        bytes.fromhex("2c00ec03 ffffff00 d007 0000 00000000 00000000")
        + look
        + bytes.fromhex("04 05 416c726963 08 414c4c5553455253 00 02 4869")
    )


@pytest.mark.parametrize("channel", sorted(TO_ALL))
async def test_words_for_everybody(channel: Channel) -> None:
    desk = Desk()
    players = await three(desk)
    await players[0].talks("Hello", channel)
    for player in players[1:]:
        assert heard(player) == (Channel.SYSTEM, SYSTEM, ALL_USERS, "Alric: Hello")
    assert players[0].got == []


async def test_nobody_floods_everybody() -> None:
    desk = Desk()
    alric, berta, _ = await three(desk)
    for number in range(20):
        await alric.talks(f"{number}", Channel.WORLD)
    assert berta.lines() == ["Alric: 0", "Alric: 1", "Alric: 2"]
    assert alric.lines() == ["Not so fast: let the others speak, too."]
    await desk.wait(9.5)
    await alric.talks("too early", Channel.WORLD)
    assert berta.lines() == alric.lines() == []
    await desk.wait(0.5)
    await alric.talks("again", Channel.WORLD)
    assert berta.lines() == ["Alric: again"]


@pytest.mark.parametrize("channel", sorted(NO_COMPANY))
async def test_there_is_no_company_to_talk_to(channel: Channel) -> None:
    players = await three(Desk())
    await players[0].talks("Hello", channel)
    assert players[0].lines() == [NO_COMPANY[channel]]
    assert players[1].got == players[2].got == []


async def test_words_of_companies(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    alric, berta, clara = await three(desk)
    monkeypatch.setattr(speech, "company", lambda mobile, kind: [alric.mobile, clara.mobile])
    for channel in (Channel.TEAM, Channel.GUILD):
        await alric.talks("psst", channel)
        assert heard(clara) == (channel, "Alric", ALL_USERS, "psst")
    speech.to_company(alric.mobile, Speech.ALLIANCE, "psst")
    desk.turn()
    assert heard(clara) == (Channel.SYSTEM, SYSTEM, ALL_USERS, "Alric: psst")
    assert alric.got == berta.got == []


@pytest.mark.parametrize("channel", [0, 1999, 2005, 2012, 2015, 2100, 2101, 2102, 2105, 2110, 2201, 65535])
async def test_nobody_listens_to_other_channels(channel: int) -> None:
    """Those of logins and of web pages among them: nobody makes other clients open one."""
    players = await three(Desk())
    await players[0].talks("http://example.org", channel)
    assert players[0].lines() == [(Wish.BOARD if channel == 2201 else Wish.UNKNOWN).value]
    assert [player.got for player in players[1:]] == [[], []]


async def test_announcements_are_for_staff() -> None:
    players = await three(Desk())
    await players[0].talks("Hear!", Channel.CENTRE)
    assert players[0].lines() == [Refusal.NO_STAFF.value]
    assert [player.got for player in players[1:]] == [[], []]
    players[0].mobile.access = Access.GAME_MASTER
    await players[0].talks("Hear!", Channel.CENTRE)
    for player in players[1:]:
        assert heard(player) == (Channel.CENTRE, SYSTEM, ALL_USERS, "Alric: Hear!")


@pytest.mark.parametrize("version", list(CoVersion))
@pytest.mark.parametrize("name", ["Clara", "clara", "CLARA"])
async def test_a_whisper_has_both_looks(version: CoVersion, name: str) -> None:
    desk = Desk(version=version)
    alric, berta, clara = await three(desk)
    await alric.talks("Psst", Channel.WHISPER, name)
    talk = clara.only(Talk)
    assert (talk.channel, talk.speaker, talk.hearer, talk.words) == (2001, "Alric", "Clara", "Psst")
    figures = desk.family.view.figures  # type: ignore[attr-defined] # this game's view
    assert talk.speaker_look == figures.look(alric.mobile) != 0
    assert talk.hearer_look == figures.look(clara.mobile) != 0
    assert alric.got == berta.got == []
    assert clara.screen.faults == []


@pytest.mark.parametrize("name", ["Nobody", "", "Al ric", "x" * 255, "a\x00b", "\x1b[31m"])
async def test_a_whisper_to_who_is_not_there(name: str) -> None:
    players = await three(Desk())
    await players[0].talks("Psst", Channel.WHISPER, name)
    (words,) = players[0].lines()
    assert words.endswith("is not online.")
    assert len(words) < 40
    assert words.isprintable()
    assert players[1].got == players[2].got == []


async def test_nobody_speaks_under_another_name() -> None:
    alric, berta, _ = await three(Desk())
    await alric.says(Talk(0xFF0000, 2000, 8, 0, 5, 6, ("SYSTEM", "Berta", "*", "Give me your gold")))
    talk = berta.only(Talk)
    assert (talk.speaker, talk.hearer, talk.style, talk.colour) == ("Alric", ALL_USERS, 0, 0xFFFFFF)


@pytest.mark.parametrize("words", ["/who", "/kick berta", "/Where is my cow"])
async def test_orders_go_to_the_server_and_to_nobody_else(words: str) -> None:
    desk = Desk()
    for channel in (Channel.TALK, Channel.WORLD, Channel.WHISPER, Channel.TEAM, 2201):
        players = await three(desk)
        desk.orders.clear()
        await players[0].talks(words, channel, "Berta")
        assert desk.orders == [words[1:]]
        assert {talk.speaker for talk in players[0].took(Talk)} == {"SYSTEM"}, "whoever asks is answered"
        assert [player.got for player in players] == [[], [], []]


@pytest.mark.parametrize("words", ["/", "/ who", "//who", "/1", "1/2", "w/o"])
async def test_what_is_no_order_is_said(words: str) -> None:
    desk = Desk()
    alric, berta, _ = await three(desk)
    await alric.talks(words, Channel.TALK)
    assert desk.orders == []
    assert berta.lines() == [words]


async def test_an_order_may_hold_a_password_and_is_written_nowhere() -> None:
    player = (await three(Desk()))[0]
    entry = player.table.entry(Talk.type)
    assert entry is not None
    order = Talk(0, 2000, 0, 0, 0, 0, ("Alric", "", "", "/password hunter22"))
    words = Talk(0, 2000, 0, 0, 0, 0, ("Alric", "", "", "Hello"))
    for contents in (order, order.encode(player.desk.version)):
        assert "hunter22" not in entry.shown(contents)
        assert b"hunter22".hex() not in entry.shown(contents)
    assert "Hello" in entry.shown(words)


@pytest.mark.parametrize("words", ["", " ", "\t\n\x07", "\x01\x02"])
async def test_words_that_are_none_are_not_said(words: str) -> None:
    for channel in (Channel.TALK, Channel.YELL, Channel.ACTION, Channel.WORLD, Channel.WHISPER):
        players = await three(Desk())
        await players[0].talks(words, channel, "Berta")
        assert players[1].got == players[2].got == []


async def test_control_characters_do_not_reach_anybody_and_letters_of_the_west_do() -> None:
    alric, berta, _ = await three(Desk())
    await alric.talks("a\x07b\x1b[0m\u20ac \xe9\xdf", Channel.TALK)
    assert berta.lines() == ["ab[0m\u20ac \xe9\xdf"]


async def test_the_longest_words() -> None:
    alric, berta, _ = await three(Desk())
    await alric.talks("x" * 255, Channel.TALK)
    (words,) = berta.lines()
    assert 100 < len(words) <= 255


@pytest.mark.parametrize("strings", [(), ("Alric",), ("Alric", "Berta", ""), ("a",) * 255])
async def test_fewer_or_more_strings_than_there_should_be(strings: tuple[str, ...]) -> None:
    players = await three(Desk())
    await players[0].says(Talk(0, 2000, 0, 0, 0, 0, strings))
    assert players[0].line.ending is None
    assert players[1].lines() == (["a"] if len(strings) > 3 else [])


@pytest.mark.parametrize(
    "pack", ["ff", "04", "0405", "04ff416c", "0401410142014301", "01ff" + "41" * 254], ids=str
)
async def test_string_packs_that_lie_end_the_client_that_sent_them(pack: str) -> None:
    players = await three(Desk())
    head = Talk(0, 2000, 0, 0, 0, 0, ()).encode(players[0].desk.version)[:-1]
    await players[0].sends(head + bytes.fromhex(pack))
    assert players[0].line.ending is not None
    assert players[1].line.ending is None
    assert players[1].got == []


async def test_whoever_loads_says_nothing() -> None:
    desk = Desk()
    players = await three(desk)
    players[0].session.loading = True
    await players[0].talks("Hello", Channel.TALK)
    await players[0].talks("/who", Channel.TALK)
    assert players[1].got == []
    assert desk.orders == []
