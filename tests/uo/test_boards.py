"""Boards as windows: the bytes, what clients may say to them, and what they are refused.

Layouts of 0x71: ServUO, Scripts/Items/- Misc/BulletinBoards.cs; what clients send: ClassicUO,
Network/OutgoingPackets.cs, Send_BulletinBoard...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.endings import WireError
from protocol.uo.packets.boards import (
    BoardRequest,
    BoardShown,
    BoardWish,
    NoteBody,
    NoteHeader,
    ShownLine,
    WrittenLine,
    WrittenNote,
)
from protocol.uo.packets.things import DoubleClick
from protocol.uo.view import Viewer
from protocol.wishes import Wish
from tests.kit.uo_stage import Scene, heard, numbers, uo_content, written
from world import boards, holding
from world.content import ItemTemplate
from world.events import BoardOpened
from world.reach import Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.item import Item
    from world.mobile import Mobile


@attrs.frozen
class Before:
    """A player before a board."""

    scene: Scene
    session: UoSession
    mobile: Mobile
    board: Item

    def wish(self, kind: int, note: int, rest: bytes = b"") -> list[bytes]:
        """What its client reads at once when it asks for something."""
        return self.scene.send(self.session, BoardRequest(kind, self.board.serial, note, rest))

    def refused(self, why: Refusal, *packets: BoardRequest) -> None:
        """That is refused in words."""
        for packet in packets:
            self.scene.pass_time(1.5)  # within a second the same line does not come again
            heard(self.scene)
            self.scene.send(self.session, packet)
            assert heard(self.scene) == [why.value]

    def asks(self, kind: int, note: int) -> BoardRequest:
        """A wish of its client."""
        return BoardRequest(kind, self.board.serial, note, b"")

    def pins(self, subject: str = "Wanted", *text: str) -> Item:
        """Pin a note, by the client's packet."""
        self.mobile.spoken = None
        note = WrittenNote(subject, tuple(WrittenLine(line) for line in text or ("Ten hides.", "Gold.")))
        raw = bytearray()
        note.write(raw)
        self.wish(BoardWish.POST, 0, bytes(raw))
        return boards.notes(self.board)[0]


@pytest.fixture
def before() -> Before:
    content = uo_content()
    kinds = {
        "board": ItemTemplate(
            "board", "notice board", movable=False, board=True, look={"uo": {"item": 0x1E5E}}
        ),
        "note": ItemTemplate("note", "note", movable=False, look={"uo": {"item": 0x0EB0}}),
    }
    scene = Scene(attrs.evolve(content, items={**content.items, **kinds}))
    scene.world.epoch = 1_800_000_000.0
    mobile = scene.person()
    assert mobile.realm is not None
    board = holding.make(scene.world, "board")
    scene.world.enter(board, mobile.realm, mobile.x + 1, mobile.y)
    session = scene.session(mobile)
    session.known[board.serial] = board
    scene.world.take_changes()
    return Before(scene, session, mobile, board)


def test_the_bytes_of_a_board_and_its_notes() -> None:
    shown = bytes.fromhex("71 0026 00 40000001") + b"notice board".ljust(30, b"\0")
    assert BoardShown(0x40000001, "notice board").encode() == shown
    head = bytes.fromhex("71 0024 01 40000001 40000002 00000000") + b"\x05Anna\0\x07Wanted\0\x05Noon\0"
    assert NoteHeader(0x40000001, 0x40000002, 0, "Anna", "Wanted", "Noon").encode() == head
    body = bytes.fromhex("71 0031 02 40000001 40000002") + b"\x05Anna\0\x07Wanted\0\x05Noon\0"
    body += bytes.fromhex("0190 83ea 00 01") + b"\x0aTen hid.\0\0"
    made = NoteBody(
        0x40000001, 0x40000002, "Anna", "Wanted", "Noon", 0x190, 0x83EA, (), (ShownLine("Ten hid."),)
    )
    assert made.encode() == body


def test_the_bytes_of_what_a_client_writes() -> None:
    raw = bytes.fromhex("71 001d 05 40000001 00000000") + b"\x03Hi\0\x02\x04T\xc3\xa4\0\x06Gold.\0"
    packet = BoardRequest.decode(raw)
    assert (packet.kind, packet.board, packet.note) == (BoardWish.POST, 0x40000001, 0)
    note, _ = WrittenNote.read(packet.rest, 0)
    assert (note.subject, [line.text for line in note.lines]) == ("Hi", ["Tä", "Gold."])


def test_a_text_longer_than_its_packet_is_an_offence(before: Before) -> None:
    with pytest.raises(WireError):
        before.wish(BoardWish.POST, 0, b"\x09Hi\0")
    with pytest.raises(WireError):
        before.wish(BoardWish.POST, 0, b"")


def test_a_double_click_opens_it_with_its_notes(before: Before) -> None:
    note = before.pins()
    before.scene.world.take_changes()
    before.scene.send(before.session, DoubleClick(before.board.serial))
    (event,) = [e for e in before.scene.world.take_changes().events if isinstance(e, BoardOpened)]
    frames = written(before.scene.view.event(event, Viewer.SELF, before.session.dialect), before.session)
    assert numbers(frames)[:2] == [0x71, 0x3C]
    assert note.serial.to_bytes(4, "big") in frames[1]
    assert before.board.serial in before.session.opened, "what is pinned from now on is shown"
    assert not before.mobile.dialogs


def test_its_notes_are_read(before: Before) -> None:
    note = before.pins("Wanted", "Ten hides.", "I pay in gold.")
    serials = before.board.serial.to_bytes(4, "big") + note.serial.to_bytes(4, "big")
    (head,) = before.wish(BoardWish.HEADER, note.serial)
    texts = b"\x06Alric\0\x07Wanted\0\x0b2027-01-15\0"
    assert head[3:] == b"\x01" + serials + bytes(4) + texts
    (body,) = before.wish(BoardWish.BODY, note.serial)
    assert body[3:] == (
        b"\x02" + serials + texts + bytes(5) + b"\x02\x0cTen hides.\0\0\x10I pay in gold.\0\0"
    )


def test_a_note_is_taken_down_by_who_pinned_it(before: Before) -> None:
    note = before.pins()
    before.wish(BoardWish.REMOVE, note.serial)
    assert not boards.notes(before.board)


@pytest.mark.parametrize("kind", [BoardWish.BODY, BoardWish.HEADER, BoardWish.REMOVE])
def test_what_is_not_pinned_there_is_refused(before: Before, kind: int) -> None:
    before.refused(Refusal.NO_NOTE, before.asks(kind, before.mobile.serial))


def test_who_is_too_far_away_is_refused(before: Before) -> None:
    note = before.pins()
    before.scene.world.warp(before.mobile, before.scene.world.realms["plain"], 17, 10)
    before.session.known[before.board.serial] = before.board
    wishes = (BoardWish.BODY, BoardWish.HEADER, BoardWish.REMOVE)
    before.refused(Refusal.FAR, *(before.asks(kind, note.serial) for kind in wishes))
    assert boards.notes(before.board) == [note]


def test_others_may_not_take_it_down(before: Before) -> None:
    note = before.pins()
    assert note.note is not None
    note.note = attrs.evolve(note.note, author=999)
    before.refused(Refusal.NOT_YOUR_NOTE, before.asks(BoardWish.REMOVE, note.serial))
    assert boards.notes(before.board) == [note]


def test_what_is_no_board_or_no_wish_is_refused(before: Before) -> None:
    before.refused(Refusal.NO_BOARD, BoardRequest(BoardWish.BODY, before.mobile.serial, 1, b""))
    heard(before.scene)
    before.wish(9, 0)
    assert heard(before.scene) == [Wish.UNKNOWN.value]
