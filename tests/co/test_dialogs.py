"""A dialog as the packets of a window."""

from __future__ import annotations

from protocol.co.dialogs import MOST_PIECES, Question, window
from protocol.co.packets import LONGEST_TEXT, NO_ANSWER, DialogAction, TaskDialog
from protocol.co.session import split
from protocol.co.versions import CoVersion
from tests.kit.co_desk import Desk
from world.dialogs import Button, Dialog


def texts(packets: list[TaskDialog]) -> list[str]:
    return [packet.strings[0] for packet in packets if packet.action == DialogAction.TEXT]


def made(text: str, labels: list[str]) -> list[TaskDialog]:
    """The packets, as a client reads them."""
    return [
        TaskDialog.decode(packet.encode(CoVersion.V5017), CoVersion.V5017)
        for packet in window(text, labels, 47)
    ]


def test_the_packets_in_their_order() -> None:
    packets = made("Well?", ["Yes", "No"])
    assert [packet.action for packet in packets] == [1, 2, 2, 4, 100]
    assert [packet.option for packet in packets] == [NO_ANSWER, 1, 2, NO_ANSWER, NO_ANSWER]
    assert [packet.strings for packet in packets] == [("Well?",), ("Yes",), ("No",), (), ()]
    assert packets[3].value == 47


def test_the_first_of_them_byte_by_byte() -> None:
    packets = [packet.encode(CoVersion.V5017).hex() for packet in window("Hi", ["Bye"], 1)]
    assert packets == [
        "1000f007" + "00000000" + "0000" + "ff" + "01" + "01" + "024869",
        "1100f007" + "00000000" + "0000" + "01" + "02" + "01" + "03427965",
        "0d00f007" + "00000000" + "0100" + "ff" + "04" + "00",
        "0d00f007" + "00000000" + "0000" + "ff" + "64" + "00",
    ]


def test_long_texts_come_in_pieces_that_are_cut_at_blanks() -> None:
    text = "Once upon a time " * 60
    pieces = texts(made(text, []))
    assert len(pieces) > 4
    assert all(len(piece) <= LONGEST_TEXT for piece in pieces)
    assert all(piece.endswith(" ") for piece in pieces)
    assert "".join(pieces) == text


def test_words_without_blanks_are_cut_anywhere() -> None:
    assert [len(piece) for piece in texts(made("x" * 600, []))] == [250, 250, 100]


def test_what_is_too_much_is_left_out() -> None:
    assert len(texts(made("x" * 100_000, []))) == MOST_PIECES
    assert texts(made("", [])) == []


def test_letters_that_the_client_has_not_take_no_more_room() -> None:
    (first, second) = texts(made("\u65e5" * 300, []))
    assert (first, second) == ("?" * 250, "?" * 50)


def test_labels_are_cut() -> None:
    (label,) = [packet.strings[0] for packet in made("", ["y" * 400]) if packet.action == DialogAction.OPTION]
    assert label == "y" * LONGEST_TEXT


async def test_a_question_notes_what_its_player_may_answer() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    crier = desk.resident("crier", 22, 22)
    buttons = (Button(7, "Yes"), Button(3, "Maybe"), Button(0, "No"))
    question = Question(Dialog(99, "Trap", "T", "Well?", buttons, lambda *_: None, crier), CoVersion.V5017, 1)
    assert alric.session.question == 0, "not before it is sent"
    raw = question.bind(alric.session)
    assert (alric.session.question, alric.session.answers) == (99, (7, 3, 0))
    packets = [TaskDialog.decode(packet, CoVersion.V5017) for packet in split(raw)]
    assert texts(packets) == ["T: Well?"]
    assert len(packets) == 6
    assert not question.droppable
    nobodys = Question(Dialog(98, "Trap", "T", "Well?", buttons, lambda *_: None), CoVersion.V5017, 1)
    nobodys.bind(alric.session)
