"""Every message of the web client as the line that its description says, written by hand, both ways; and
what no line may be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.denials import Denial
from protocol.endings import WireError
from protocol.session import Phase
from protocol.web.codec import WebCodec
from protocol.web.guilds import RANKS
from protocol.web.handlers import TABLE
from protocol.web.packets import CLIENT_PACKETS, SERVER_PACKETS
from protocol.web.packets.base import Message, name_of_line, opcode_of_name
from protocol.web.packets.dialogs import Ask
from protocol.web.packets.entering import Entered, Goodbye, Pong, Realm
from protocol.web.packets.fighting import (
    Engaged,
)
from protocol.web.packets.guilds import Guild, GuildMember
from protocol.web.packets.login import (
    Characters,
    Login,
    Register,
    Ticket,
)
from protocol.web.packets.motion import Moves, Walked
from protocol.web.packets.parties import Member, Party
from protocol.web.packets.people import Show
from protocol.web.packets.status import Counts, Event
from protocol.web.packets.talk import Say, Speak
from protocol.web.words import TEXTS
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.web_lines import DOG, GOLDEN
from tests.kit.web_screen import Screen
from tests.kit.web_strategies import record_of

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(("message", "line"), GOLDEN, ids=[line[:50] for _, line in GOLDEN])
def test_the_line_of_a_message(message: Message, line: str) -> None:
    assert message.encode() == line.encode()
    again = type(message).decode(line.encode())
    assert again.encode() == line.encode()
    assert name_of_line(line.encode()) == type(message).tag


def test_every_message_has_a_line_here() -> None:
    assert {type(message) for message, _ in GOLDEN} == {*CLIENT_PACKETS, *SERVER_PACKETS}


def test_every_message_of_a_client_has_a_row() -> None:
    rows = {entry.packet: entry for entry in TABLE}
    assert rows.keys() == {*CLIENT_PACKETS}
    assert len({opcode_of_name(cls.tag) for cls in (*CLIENT_PACKETS, *SERVER_PACKETS)}) == len(
        {cls.tag for cls in (*CLIENT_PACKETS, *SERVER_PACKETS)}
    )
    assert not TABLE.tolerant
    for cls in (Login, Register, Ticket):
        assert rows[cls].hides(b"anything")
        assert rows[cls].phases == {Phase.LOGIN}
    assert "secret1" not in rows[Login].shown(Login("anna", "secret1"))
    order, words = Speak("/password secret1"), Speak("/ is a slash")
    assert rows[Speak].hides(order)
    assert rows[Speak].hides(order.encode())
    assert not rows[Speak].hides(words)
    assert TABLE.unknown(b'{"t":"fl\\ud800y"}').startswith("unknown packet ")


def test_a_page_understands_every_line() -> None:
    """The screen of the tests reads each of the server's lines by the public description of it."""
    for message, line in GOLDEN:
        if type(message) in CLIENT_PACKETS or type(message) in (Moves, Counts, Event):
            continue
        screen = Screen()
        if not isinstance(message, Entered | Characters):
            for before in (
                Entered(1, "Anna", 18, 400, 200),
                Realm("r", "R"),
                Show(5, "mobile", "Rex", 10, 20, DOG),
            ):
                screen.show(json.loads(before.encode()))
            screen.show(json.loads(Engaged(5, 1).encode()))
            screen.show(json.loads(Ask(9, "", "", ()).encode()))
            screen.show(json.loads(Guild(1, members=(GuildMember(5, "Rex", 0, 1),), ranks=RANKS).encode()))
            screen.show(json.loads(Party((Member(5, "Rex"), Member(1, "Anna"))).encode()))
        if isinstance(message, Walked):
            screen.x, screen.y = 1, 1
        screen.show(json.loads(line))
        assert screen.faults == []


def test_every_denial_has_words() -> None:
    assert TEXTS.keys() == {*Denial}


@pytest.mark.parametrize("cls", CLIENT_PACKETS, ids=lambda cls: cls.tag)
def test_what_is_said_is_what_is_heard(cls: type[Message]) -> None:
    @settings(max_examples=30)
    @given(record_of(cls))
    def check(message: Message) -> None:
        line = message.encode()
        assert cls.decode(line) == message
        # As any other writer of JSON may put it: escaped, spaced, in another order.
        fields = json.loads(line)
        other = json.dumps(dict(reversed(list(fields.items()))), indent=None).encode()
        assert cls.decode(other) == message

    check()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=100)
@given(
    st.sampled_from(CLIENT_PACKETS),
    st.dictionaries(
        st.sampled_from(
            ["account", "password", "id", "sequence", "heading", "run", "words", "how", "to", "x"]
        ),
        JSON,
        max_size=4,
    ),
)
def test_random_fields_are_read_or_refused(cls: type[Message], fields: dict[str, object]) -> None:
    line = json.dumps({"t": cls.tag, **fields}).encode()
    try:
        message = cls.decode(line)
    except WireError:
        return
    assert cls.decode(message.encode()) == message


@settings(max_examples=300)
@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_r05_random_lines_are_refused(line: bytes) -> None:
    codec = server()
    codec.receive(line + b"\n", 0.0)
    try:
        frame = codec.next_frame()
    except WireError:
        assert name_of_line(codec.outgoing(0.0)[-1]) == "goodbye"
        return
    assert frame is None or TABLE.entry(TABLE.opcode_of_frame(frame)) is not None


def server() -> WebCodec:
    """The server's end."""
    return WebCodec(CodecArgs(Role.SERVER, lambda size: bytes(size), {}))


def frames_of(codec: WebCodec, pieces: Sequence[bytes]) -> list[bytes]:
    """What a codec hands out."""
    found: list[bytes] = []
    for piece in pieces:
        codec.receive(piece, 0.0)
        while (frame := codec.next_frame()) is not None:
            found.append(frame)
    return found


@settings(max_examples=60)
@given(st.data())
def test_where_the_pieces_are_cut_does_not_matter(data: st.DataObject) -> None:
    lines = [line.encode() for message, line in GOLDEN if type(message) in CLIENT_PACKETS]
    stream = b"\r\n".join(lines) + b"\n\n \n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert frames_of(server(), pieces) == lines


def test_byte_by_byte() -> None:
    lines = [line.encode() for message, line in GOLDEN if type(message) in CLIENT_PACKETS]
    stream = b"\n".join(lines) + b"\n"
    assert frames_of(server(), [stream[n : n + 1] for n in range(len(stream))]) == lines


def test_what_goes_out_are_lines_and_a_farewell_is_the_last() -> None:
    codec = server()
    codec.send(Body(Pong(1).encode()))
    codec.receive(b"{}\n", 0.0)
    with pytest.raises(WireError):
        codec.next_frame()
    codec.send_many([Body(Pong(2).encode())])
    codec.send_raw([Pong(3).encode()])
    assert codec.pending
    *pongs, farewell = codec.outgoing(0.0)
    assert [json.loads(pong)["number"] for pong in pongs] == [1, 2, 3]
    assert json.loads(farewell)["t"] == "goodbye"
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in (*pongs, farewell))
    assert not codec.pending


NESTED = b"[" * 2000 + b"]" * 2000


@pytest.mark.parametrize(
    "line",
    [
        NESTED,
        b'{"t":' * 700 + b"1" + b"}" * 700,
        b'{"t":"look","id":' + NESTED + b"}",
        b'{"t":"look","id":' + b'{"a":' * 480 + b"1" + b"}" * 480 + b"}",
        b'{"t":"speak","words":' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"t":"look","id":' + b"9" * 4000 + b"}",
        b'{"t":"look","id":-1}',
        b'{"t":"look","id":4294967296}',
        b'{"t":"look","id":1.0}',
        b'{"t":"look","id":1e3}',
        b'{"t":"look","id":1e999}',
        b'{"t":"look","id":NaN}',
        b'{"t":"look","id":-Infinity}',
        b'{"t":"look","id":"1"}',
        b'{"t":"look","id":true}',
        b'{"t":"look","id":null}',
        b'{"t":"look","id":{}}',
        b'{"t":"walk","sequence":1,"heading":1,"run":1}',
        b'{"t":"speak","words":"\xff"}',
        b'{"t":"speak","words":"\xed\xa0\x80"}',
        b'{"t":"speak","words":"\xc0\xaf"}',
        b'{"t":"speak","words":"a\tb"}',
        b'{"t":"speak","words":"\x00"}',
        b'\xef\xbb\xbf{"t":"list"}',
        '{"t":"list"}'.encode("utf-16-le"),
        b'{"t":"list","t":1}',
        b'{"t":["list"]}',
        b'{"t":"list"}{"t":"list"}',
        b'{"t":"LIST"}',
        b'{"T":"list"}',
        b'{"t":"li\\ud800st"}',
        b"null",
        b"7",
        b'"list"',
        b"{}",
    ],
    ids=lambda line: repr(line[:40]),
)
def test_bombs_and_oddities_are_no_more_than_errors(line: bytes) -> None:
    codec = server()
    codec.receive(line + b"\n", 0.0)
    with pytest.raises(WireError) as caught:
        codec.next_frame()
    assert len(str(caught.value)) < 200
    assert str(caught.value).isascii()
    (farewell,) = codec.outgoing(0.0)
    assert json.loads(farewell)["t"] == "goodbye"


def test_a_line_that_never_ends_is_not_kept() -> None:
    codec = server()
    codec.receive(b'{"t":"ping","x":"' + b"a" * 4000, 0.0)
    assert codec.next_frame() is None
    codec.receive(b"a" * 100, 0.0)
    with pytest.raises(WireError):
        codec.next_frame()
    longest = Login("\U0001f600" * 64, "\\" * 128).encode()
    assert len(longest) < 4096
    escaped = json.dumps({"t": "login", "account": "\U0001f600" * 64, "password": "\0" * 128}).encode()
    assert frames_of(server(), [longest + b"\n" + escaped + b"\n"]) == [longest, escaped]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\ud83d", "\ufffd"),
        (r"\ude00\ud83d", "\ufffd\ufffd"),
        (r"a\ud800b", "a\ufffdb"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\u0000", "\0"),
    ],
)
def test_half_of_a_pair_is_read_as_a_sign_of_it(typed: str, read: str) -> None:
    speak = Speak.decode(f'{{"t":"speak","words":"{typed}"}}'.encode())
    assert speak.words == read
    speak.words.encode()
    login = Login.decode(f'{{"t":"login","account":"{typed}","password":"{typed}"}}'.encode())
    assert (login.account, login.password) == (read, read)


def test_the_server_can_say_what_is_no_text() -> None:
    assert json.loads(Say(1, "\ud800", "say", "a\ud83d b").encode()) == {
        "t": "say",
        "id": 1,
        "name": "?",
        "how": "say",
        "words": "a? b",
    }
    assert cast("str", json.loads(Goodbye("a\nb\u2028").encode())["text"]) == "a\nb\u2028"
    assert b"\n" not in Goodbye("a\nb").encode()


@pytest.mark.parametrize(
    "line",
    [
        b'{"t":"login","account":"anna","password":["hunter2"]}',
        b'{"t":"login","account":"anna","password":12345678}',
        b'{"t":"login","account":"anna","password":"x","hunter2":1}',
        b'{"t":"login","account":"anna","password":"' + b"hunter2" * 30 + b'"}',
        b'{"t":"ticket","key":{"hunter2":1}}',
    ],
)
def test_what_is_wrong_is_told_without_what_was_said(line: bytes) -> None:
    codec = server()
    codec.receive(line + b"\n", 0.0)
    with pytest.raises(WireError) as caught:
        codec.next_frame()
    told = str(caught.value).encode() + b"".join(codec.outgoing(0.0))
    assert b"hunter2" not in told
    assert b"12345678" not in told
