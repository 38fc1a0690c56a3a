"""Parties in the client's own window: 0xBF 0x06 each way, the members' bars, and where they are on its map.
Layouts by facts/uo-play.md, section 10, and facts/uo.md; 0xF0 by ClassicUO (PacketHandlers.cs,
KrriosClientSpecial)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.others import ToOthers
from protocol.uo.packets.dialogs import MenuChoice
from protocol.uo.packets.misc import TargetAnswer
from protocol.uo.packets.parties import MapRequest, PartyDeed, PartyRequest
from protocol.uo.packets.status import StatusRequest
from protocol.uo.parties import HOW_TO_ANSWER
from protocol.wire.body import Body
from tests.kit.uo_stage import PLAIN, Scene, lines, numbers, written
from world import invites, party
from world.events import PartyStirred
from world.reach import Refusal

if TYPE_CHECKING:
    from protocol.uo.packets.base import ClientPacket
    from protocol.uo.session import UoSession
    from world.mobile import Mobile

INVITE_LINE = 7
"""Of the context menu."""


@attrs.define
class Company:
    """People who stand together, each at a client."""

    scene: Scene
    sessions: list[UoSession]

    def mobile(self, who: int) -> Mobile:
        found = self.sessions[who].mobile
        assert found is not None
        return found

    def serial(self, who: int) -> int:
        return self.mobile(who).serial

    def told(self) -> list[list[bytes]]:
        """What each client is told of what happened."""
        found: list[list[bytes]] = [[] for _ in self.sessions]
        for event in self.scene.world.take_changes().events:
            for session, frames in zip(self.sessions, found, strict=True):
                if session.viewport in event.viewers:
                    audience = self.scene.view.audience(session, event.thing)
                    frames += written(self.scene.view.event(event, audience, session.dialect), session)
        return found

    def does(self, who: int, *packets: ClientPacket) -> list[list[bytes]]:
        """One sends; what each is told, the sender's answers first."""
        answered = self.scene.send(self.sessions[who], *packets)
        found = self.told()
        found[who] = answered + found[who]
        return found

    def asks(self, who: int, kind: int, serial: int = 0, rest: bytes = b"") -> list[list[bytes]]:
        """0xBF 0x06."""
        return self.does(who, PartyRequest(kind, serial.to_bytes(4, "big") + rest))

    def joins(self, who: int) -> list[list[bytes]]:
        """Asked by the first, who accepts."""
        self.asks(0, PartyDeed.INVITE, self.serial(who))
        return self.asks(who, PartyDeed.ACCEPT, self.serial(0))


def company(count: int = 3) -> Company:
    scene = Scene()
    sessions = []
    for at, name in enumerate(("Alric", "Berta", "Carl", "Dora", "Emil")[:count]):
        sessions.append(scene.session(scene.person(name, 10 + at, 10)))
    for session in sessions:
        session.known.update({one.mobile.serial: one.mobile for one in sessions if one.mobile is not None})
    scene.world.take_changes()
    return Company(scene, sessions)


def parties(frames: list[bytes]) -> list[str]:
    """What is behind the head of each 0xBF 0x06."""
    return [frame[5:].hex() for frame in frames if frame[0] == 0xBF and frame[4] == 6]


def listed(*serials: int) -> str:
    return "".join(f"{serial:08x}" for serial in serials)


def test_one_points_at_whom_one_wants_to_have_in_the_party() -> None:
    people = company()
    frames = people.asks(0, PartyDeed.INVITE)[0]
    [cursor] = [frame for frame in frames if frame[0] == 0x6C]
    assert cursor.hex() == "6c0000000001" + bytes(13).hex(), "facts/uo.md: type, cursor, flags, 12 zeros"
    berta = people.serial(1)
    told = people.does(0, TargetAnswer(0, 1, 0, berta, 0, 0, 0, 0))
    assert lines(told[0]) == ["You ask Berta into your party."]
    assert parties(told[1]) == [f"07{people.serial(0):08x}"]
    question = invites.pending(people.mobile(1), party.KIND)
    assert question is not None
    assert lines(told[1]) == [HOW_TO_ANSWER.format(question.text)]
    assert 0xDD not in numbers(told[1]), "the client's own question is enough"
    # By the same cursor nobody points twice, and a cursor that is put away asks nobody.
    assert lines(people.does(0, TargetAnswer(0, 1, 0, berta, 0, 0, 0, 0))[0]) == [
        "Nobody asked you for that."
    ]
    people.asks(0, PartyDeed.INVITE)
    assert people.does(0, TargetAnswer(0, 2, 3, 0, 0xFFFF, 0xFFFF, 0, 0)) == [[], [], []]
    # At nobody.
    people.asks(0, PartyDeed.INVITE)
    assert lines(people.does(0, TargetAnswer(0, 3, 0, 0x3FFFFFFF, 0, 0, 0, 0))[0]) == [Refusal.UNSEEN.value]


def test_who_accepts_is_in_the_list_behind_the_leader() -> None:
    people = company()
    alric, berta, carl = (people.serial(who) for who in range(3))
    told = people.joins(1)
    both = f"0102{listed(alric, berta)}"
    assert [parties(frames)[-1:] for frames in told] == [[both], [both], []]
    assert "You join the party of Alric." in lines(told[1])
    assert "Berta joins the party." in lines(told[0])
    [bar] = [frame for frame in told[0] if frame[0] == 0x2D]
    assert bar.hex().startswith(f"2d{berta:08x}00640064"), "in hundredths"
    assert [frame[1:5] for frame in told[1] if frame[0] == 0x2D] == [alric.to_bytes(4, "big")]
    told = people.joins(2)
    assert [parties(frames)[-1] for frames in told] == [f"0103{listed(alric, berta, carl)}"] * 3
    assert len([frame for frame in told[2] if frame[0] == 0x2D]) == 2, "the bars of all that were there"
    assert len([frame for frame in told[1] if frame[0] == 0x2D]) == 1


def test_who_declines_or_is_not_asked_is_in_no_party() -> None:
    people = company()
    assert lines(people.asks(1, PartyDeed.ACCEPT, people.serial(0))[1]) == [Refusal.NOT_ASKED.value]
    assert lines(people.asks(1, PartyDeed.ACCEPT, 0x3FFFFFFF)[1]) == [Refusal.NOT_ASKED.value]
    people.asks(0, PartyDeed.INVITE, people.serial(1))
    assert lines(people.asks(1, PartyDeed.DECLINE, people.serial(2))[1]) == [Refusal.NOT_ASKED.value]
    told = people.asks(1, PartyDeed.DECLINE, people.serial(0))
    assert lines(told[0]) == ["Berta does not want to."]
    assert parties(told[1]) == [f"0200{people.serial(1):08x}"], "its client knows of no invite any more"
    assert people.mobile(1).party is None
    assert lines(people.asks(0, PartyDeed.INVITE, people.serial(0))[0]) == [Refusal.ONESELF.value]


def test_an_invite_that_lapses_is_taken_back() -> None:
    people = company()
    people.asks(0, PartyDeed.INVITE, people.serial(1))
    people.scene.pass_time(invites.ANSWER_SECONDS + 1)
    assert parties(people.told()[1]) == [f"0200{people.serial(1):08x}"]


def test_who_asks_to_be_let_in_is_asked_about_as_of_anything() -> None:
    people = company()
    party.apply(people.mobile(1), people.mobile(0))
    told = people.told()
    assert 0xDD in numbers(told[0])
    assert parties(told[0]) == []


def test_members_leave_and_are_sent_out() -> None:
    people = company(4)
    for who in (1, 2, 3):
        people.joins(who)
    alric, berta, carl, dora = (people.serial(who) for who in range(4))
    assert lines(people.asks(1, PartyDeed.REMOVE, carl)[1]) == [Refusal.NO_LEADER.value]
    told = people.asks(0, PartyDeed.REMOVE, carl)
    assert parties(told[2]) == [f"0200{carl:08x}"]
    rest = f"0203{listed(carl, alric, berta, dora)}"
    assert [parties(told[who]) for who in (0, 1, 3)] == [[rest]] * 3
    told = people.asks(0, PartyDeed.REMOVE, alric)
    assert parties(told[0]) == [f"0200{alric:08x}"]
    assert parties(told[1])[-1] == f"0102{listed(berta, dora)}", "another leads"
    assert "You lead the party now." in lines(told[1])
    told = people.asks(3, PartyDeed.REMOVE)
    assert [parties(told[who])[-1] for who in (1, 3)] == [f"0200{berta:08x}", f"0200{dora:08x}"]


def test_words_to_one_member_and_to_all() -> None:
    people = company()
    words = "psst".encode("utf-16-be") + b"\0\0"
    people.joins(1)
    told = people.asks(0, PartyDeed.TELL, people.serial(1), words)
    assert lines(told[0]) == ["You tell Berta: psst"]
    assert lines(told[1]) == ["Alric tells you: psst"]
    assert lines(people.asks(0, PartyDeed.TELL, people.serial(2), words)[0]) == [Refusal.NO_FELLOW.value]
    told = people.does(1, PartyRequest(PartyDeed.SAY, words))
    assert [lines(frames) for frames in told] == [["[party][Berta] psst"], ["[party][Berta] psst"], []]


@pytest.mark.parametrize("kind", [PartyDeed.REMOVE, PartyDeed.TELL, PartyDeed.SAY, PartyDeed.LOOT])
def test_who_is_in_no_party_is_told_so(kind: int) -> None:
    people = company()
    assert lines(people.asks(0, kind, 0, b"\0a\0\0")[0]) == [Refusal.NO_PARTY.value]


def test_the_others_bars_follow_wherever_they_are() -> None:
    """0xA1 to 0xA3, facts/uo-play.md, section 10: normalised, also out of sight."""
    people = company()
    people.joins(1)
    berta = people.mobile(1)
    del people.sessions[0].known[berta.serial]
    berta.hits = berta.hits_max // 2
    people.scene.pass_time(1.1)
    bar = people.does(0, StatusRequest(0xEDEDEDED, 4, berta.serial))[0][0]
    assert bar[:7] == bytes.fromhex(f"11002b{berta.serial:08x}"), "its client may ask"
    assert bar[7:12] == b"Berta"
    berta.hits -= 1
    people.scene.pass_time(1.1)
    [stirred] = [one for one in people.scene.world.take_changes().events if isinstance(one, PartyStirred)]
    for session, shown in ((people.sessions[0], 1), (people.sessions[1], 0)):
        assert len(written(people.scene.view.event(stirred, None, session.dialect), session)) == shown
    [one] = stirred.stirred
    whole = attrs.evolve(stirred, stirred=[attrs.evolve(one, what=0x3F)])
    session = people.sessions[0]
    frames = written(people.scene.view.event(whole, None, session.dialect), session)
    assert numbers(frames) == [0xA1, 0xA2, 0xA3]
    half = berta.hits * 100 // berta.hits_max
    assert frames[0].hex() == f"a1{berta.serial:08x}0064{half:04x}"


def test_bars_are_compressed_once_for_all_who_are_told() -> None:
    people = company()
    people.joins(1)
    people.joins(2)
    people.mobile(1).hits -= 1
    people.scene.pass_time(1.1)
    [stirred] = [one for one in people.scene.world.take_changes().events if isinstance(one, PartyStirred)]
    [bar] = people.scene.view.event(stirred, None, people.sessions[0].dialect)
    assert isinstance(bar, ToOthers)
    first, own, other = (bar.bind(session) for session in people.sessions)
    assert own == b""
    assert isinstance(first, Body)
    assert first is other


def test_the_map_is_told_where_the_others_are() -> None:
    people = company()
    people.joins(1)
    berta = people.mobile(1)
    x, y = PLAIN["x"] + berta.x, PLAIN["y"] + berta.y
    first = people.does(0, MapRequest(0, b""))[0]
    assert [frame.hex() for frame in first] == [
        "f0000400",
        f"f0001101{berta.serial:08x}{x:04x}{y:04x}{PLAIN['map']:02x}00000000",
    ]
    assert len(people.does(0, MapRequest(0, b""))[0]) == 1, "it may ask again and again"
    assert people.does(0, MapRequest(1, b"\1"))[0] == [], "not where a guild is"
    assert [frame.hex() for frame in people.does(2, MapRequest(0, b""))[2]] == [
        "f0000400",
        "f000080100000000",
    ]


def test_loot_and_the_menu() -> None:
    people = company()
    people.joins(1)
    assert "party loot" in lines(people.asks(0, PartyDeed.LOOT, 0)[0])[0]
    told = people.does(0, MenuChoice(people.serial(2), INVITE_LINE))
    assert parties(told[2]) == [f"07{people.serial(0):08x}"]
