"""Friends and those one hears nothing of, as this game's lists; letters, duels and calls for the staff by its
words. Letters in their window are in `test_mail.py`.

ChatRelationships (162) is as the notes on the client have it, kinds as in EQ2Emulator's Commands.cpp. Report
(313) and CreateTicket (206) have the fields of the notes.
"""

from __future__ import annotations

import attrs
import pytest

from protocol.eq2.handlers.acquaintances import NO_FOE
from protocol.eq2.handlers.letters import NOT_OPEN
from protocol.eq2.handlers.reports import PLEAD_WHAT, REPORT_WHOM
from protocol.eq2.packets import (
    ChatFriend,
    ChatRelationships,
    CreateTicket,
    DisplayText,
    Report,
    Target,
)
from tests.kit.eq2_desk import Desk, Player
from tests.kit.eq2_lists import Lists
from tests.kit.eq2_player import newest_version
from world import conduct, duels, friends, mail
from world.friends import NO_FRIEND, NO_FRIENDS
from world.ignoring import NOT_IGNORED
from world.reach import Refusal


async def several(*names: str) -> tuple[Desk, list[Player]]:
    """Players side by side."""
    desk = Desk()
    players = [await desk.enter(name, (20 + x, 20)) for x, name in enumerate(names)]
    await desk.wait(0.1)
    for player in players:
        player.got.clear()
    return desk, players


def lists(player: Player) -> Lists:
    """What the client has of its lists, from what it was sent."""
    found = Lists(newest_version(), player.mobile.serial)
    found.hear(player.got)
    return found


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


async def aim(player: Player, other: Player) -> None:
    ghost = player.session.ghosts.of(other.mobile.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    player.got.clear()


# The wire


def test_names_byte_by_byte() -> None:
    message = ChatRelationships(7, 2, (ChatFriend("Ab", "Z"), ChatFriend("C")))
    body = bytes.fromhex("a2 07000000 02 02000000 0200 4162 0100 5a 0100 43 0000")
    assert newest_version().encode(message) == body


def test_calls_for_the_staff_byte_by_byte() -> None:
    version = newest_version()
    assert version.decode_client(bytes.fromhex("ff3901 0100 41 0200 4243")) == Report("A", "BC")  # 313
    ticket = bytes.fromhex("ffce00 01000000 02000000 03000000 0100 41 0000 0100 42")
    assert version.decode_client(ticket[:1] + b"\xce\0" + ticket[3:]) == CreateTicket("A", "", "B")


# Friends


async def test_friends_come_and_go_in_the_list() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    await anna.types("friend_add bert")
    assert lists(anna).friends == {"Bert": "The Plain"}
    assert anna.only(ChatRelationships).account_id == anna.session.account.id  # type: ignore[union-attr] # it has one
    assert lines(anna) == ["Bert is a friend of yours now."]
    bert.mobile.online = False
    friends.stirred(bert.mobile)
    await desk.wait(0.1)
    assert lists(anna).friends == {"Bert": ""}
    assert lines(anna) == ["Your friend Bert has left."]
    bert.mobile.online = True
    friends.stirred(bert.mobile)
    await desk.wait(0.1)
    assert lists(anna).friends == {"Bert": "The Plain"}
    await anna.types("friends")
    assert lines(anna)[-1] == "Here: Bert."
    await anna.types("friend_remove Bert")
    assert [(one.kind, one.names) for one in anna.took(ChatRelationships)] == [(1, (ChatFriend("Bert", ""),))]
    assert lines(anna) == ["Bert is no friend of yours any more."]
    await anna.types("friends")
    assert lines(anna) == [NO_FRIENDS]


async def test_who_is_ignored_is_in_the_other_list() -> None:
    _, (anna, bert) = await several("anna", "bert")
    await aim(anna, bert)
    await anna.types("ignore_add")
    shown = lists(anna)
    assert (shown.friends, shown.ignored) == ({}, {"Bert"})
    await bert.types("tell anna are you there")
    assert lines(bert)[-1] == Refusal.IGNORED.value
    anna.got.clear()
    await anna.types("ignores")
    assert lines(anna) == ["You hear nothing of Bert."]
    await anna.types("ignore_remove bert")
    assert [one.kind for one in anna.took(ChatRelationships)] == [3]
    assert lines(anna) == ["You hear of Bert again."]


async def test_who_enters_is_given_both_lists() -> None:
    desk, (anna, bert, _) = await several("anna", "bert", "carl")
    await anna.types("friend_add bert")
    await anna.types("ignore_add carl")
    again = await desk.zoning("anna")
    shown = lists(again)
    assert (shown.friends, shown.ignored) == ({"Bert": "The Plain"}, {"Carl"})
    figures = desk.view.figures
    figures.rendering = attrs.evolve(figures.rendering, friends_window=False)
    last = await desk.zoning("anna")
    assert [one.names for one in last.took(ChatRelationships)] == [(), ()]
    await bert.types("friend_add anna")
    assert bert.took(ChatRelationships) == []
    assert lines(bert) == ["Anna is a friend of yours now."]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("friend_add", Refusal.NOBODY.value),
        ("friend_add nobody", friends.NOBODY),
        ("friend_add anna", Refusal.ONESELF.value),
        ("friend_remove bert", NO_FRIEND),
        ("ignore_add", Refusal.NOBODY.value),
        ("ignore_add anna", Refusal.ONESELF.value),
        ("ignore_remove bert", NOT_IGNORED),
        ("duel", NO_FOE),
        ("duel_accept", Refusal.NOT_ASKED.value),
        ("duel_decline", Refusal.NOT_ASKED.value),
        ("report", REPORT_WHOM),
        ("report bert", REPORT_WHOM),
        ("report nobody lies", Refusal.NOBODY.value),
        ("report anna lies", Refusal.ONESELF.value),
        ("petition", PLEAD_WHAT),
        ("start_mail", mail.NO_COUNTER),
        ("getmailmessage 1", Refusal.NO_LETTER.value),
        ("getmailmessage one", Refusal.AMOUNT.value),
        ("deletemailmessage 2", Refusal.NO_LETTER.value),
        ("takemailattachments 1", Refusal.NO_LETTER.value),
        ("add_mail_gold 5", NOT_OPEN),
    ],
)
async def test_what_cannot_be_is_refused_in_words(line: str, words: str) -> None:
    _, (anna, _) = await several("anna", "bert")
    await anna.types(line)
    assert lines(anna) == [words]


# Duels


async def test_a_duel_begins_and_ends_by_the_words_of_the_game() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    await anna.types("duel bert")
    await bert.types("duel_accept")
    await desk.wait(4)
    assert duels.opponent(anna.mobile) is bert.mobile
    await bert.types("surrender")
    assert duels.opponent(anna.mobile) is None


# Letters


async def test_letters_are_read_taken_and_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "check_counter", lambda actor: None)
    desk, (anna, bert) = await several("anna", "bert")
    parcel = [(bert.gives("dagger"), 1)]
    mail.send(bert.mobile, "anna", "it is sharp", subject="a dagger", things=parcel)
    await desk.wait(0.1)
    assert any("from Bert has come for you" in line for line in lines(anna))
    await anna.types("getmailmessage 1")
    _, text, brings = lines(anna)
    assert (text, brings.split(",")[0]) == ("it is sharp", "It brings 1 dagger")
    await anna.types("deletemailmessage 1")
    assert lines(anna) == [Refusal.OPEN_BAG.value]
    await anna.types("takemailattachments 1")
    assert parcel[0][0].root is anna.mobile
    await anna.types("deletemailmessage 1")
    assert mail.letters_of(anna.mobile) == []


# The staff


async def test_reports_reach_the_staff() -> None:
    desk, (anna, bert) = await several("anna", "bert")
    await anna.types("report bert he lies")
    await aim(anna, bert)
    await anna.types("report_abuse still lying")
    await anna.says(Report("Bert", "again"))
    await anna.says(Report("and again", "bert"))
    kept = [(one.about, one.text) for one in conduct.reports(desk.world).values()]
    assert kept == [("Bert", text) for text in ("he lies", "still lying", "again", "and again")]
    anna.mobile.spoken = None
    await anna.types("petition I am stuck")
    await anna.types("report_bug Quest\aThe baker\ais mute")
    await anna.says(Report("no name", "at all"))
    await anna.says(CreateTicket("Stuck", "", "in a wall"))
    assert [plea.text for plea in desk.world.pleas][-4:] == [
        *("I am stuck", "Quest The baker is mute", "no name at all", "Stuck in a wall")
    ]
    anna.got.clear()
    anna.mobile.spoken = None
    await anna.says(CreateTicket("", "", ""))
    assert lines(anna) == [PLEAD_WHAT]
