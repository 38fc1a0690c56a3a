"""The game in the browser as harnesses see it (`tests.kit.game`)."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast
from zlib import crc32

import attrs

from protocol.session import Phase
from protocol.web.codec import LONGEST_FROM_CLIENT
from protocol.web.packets import CLIENT_PACKETS
from protocol.web.packets.talk import MakeGesture, Speak
from protocol.wire.args import CodecArgs, Role
from tests.kit import web_strategies
from tests.kit.game import MARK, Game, Heard, Pair, Sight, Step, who_is
from tests.kit.players import PASSWORD
from tests.kit.web_player import WebPlayer
from tests.kit.web_strategies import PLACEHOLDERS
from world.newcomers import all_items
from world.speech import EMOTES

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hypothesis import strategies as st

    from protocol.family import Family
    from protocol.session import Session
    from protocol.web.packets.base import Message
    from tests.kit.players import Player
    from tests.kit.web_client import WebClient
    from world.mobile import Mobile


def _client(player: Player) -> WebClient:
    assert isinstance(player, WebPlayer)
    return player.client


def _connect(player: Player) -> bytes:
    """To the door, which speaks first."""
    player.leaves()
    assert player.end
    return b""


def _login(player: Player) -> bytes:
    return _client(player).login_bytes(who_is(player).account, PASSWORD)


def _create(player: Player) -> bytes:
    """The form; a player who has a character looks at the list again instead."""
    client = _client(player)
    return client.list_bytes() if client.screen.characters else client.create_bytes(who_is(player).character)


def _enter(player: Player) -> bytes:
    client = _client(player)
    return client.enter_bytes(_first(client))


def _delete(player: Player) -> bytes:
    client = _client(player)
    return client.delete_bytes(_first(client))


def _first(client: WebClient) -> int:
    """The first character of the list."""
    return next(iter(client.screen.characters), 0)


class Browser(Game):
    """Lines of JSON, one after the other. A frame is a line without its newline."""

    name = "web"
    doors = ("http",)
    variants: ClassVar = {"page": WebPlayer}
    steps = (
        Step("connect", _connect, redials=True),
        Step("login", _login, Phase.LOGIN),
        Step("create", _create, Phase.MENU),
        Step("enter", _enter, Phase.MENU),
        Step("walk", lambda p: _client(p).walk_bytes(2), Phase.IN_WORLD),
        Step("turn", lambda p: _client(p).turn_bytes(0), Phase.IN_WORLD),
        Step("say", lambda p: _client(p).say_bytes("Hail!"), Phase.IN_WORLD),
        Step("gesture", lambda p: _client(p).gesture_bytes("bow"), Phase.IN_WORLD),
        Step("sit", lambda p: _client(p).sit_bytes(), Phase.IN_WORLD),
        Step("ping", lambda p: _client(p).ping_bytes(7), Phase.IN_WORLD),
        Step("leave", lambda p: _client(p).leave_bytes(), Phase.IN_WORLD),
    )
    deleting = "enter", (Step("delete", _delete, Phase.MENU),)
    stride = 5
    kinds = 40
    unknown: ClassVar = [
        json.dumps({"t": name}).encode()
        for name in ("", "x", "walk ", "Walk", "walked", "show", "moves", "constructor", "\u0431", "y" * 99)
    ]
    lengths: ClassVar = [
        (b"{" * size, size <= LONGEST_FROM_CLIENT)
        for size in (1, LONGEST_FROM_CLIENT, LONGEST_FROM_CLIENT + 1, LONGEST_FROM_CLIENT * 3)
    ]

    async def first_words(self, player: Player, door: str) -> bytes:
        """See Game."""
        return _client(player).login_bytes("nobody", PASSWORD)

    def wire(self, player: Player, frame: bytes) -> bytes:
        """See Game."""
        return frame + b"\n"

    def wire_to(self, session: Session, frame: bytes) -> bytes:
        """See Game. What stands for a thing becomes one that the client knows."""
        known = [*session.known]
        if session.mobile is not None:
            known += [session.mobile.serial, *(item.serial for item in all_items(session.mobile))]
        if known:
            frame = _PLACEHOLDER.sub(lambda found: b"%d" % known[int(found[1]) % len(known)], frame)
        return frame + b"\n"

    def pair(self, door: str, family: Family, entropy: Callable[[int], bytes]) -> Pair:
        """See Game."""
        server, client = (
            family.doors[door].codec(CodecArgs(role, entropy)) for role in (Role.SERVER, Role.CLIENT)
        )
        return Pair(server, client, lambda frame: None)

    def legal(self, number: int) -> Sequence[bytes]:
        """See Game: with as little in it as possible, and with nothing but its name."""
        cls = _KNOWN.get(number)
        if cls is None:
            return ()
        return [_plainest(cls).encode(), json.dumps({"t": cls.tag}).encode()]

    def random_frame(self, chance: random.Random, family: Family) -> bytes:
        """See Game."""
        entries = [entry.opcode for entry in family.doors["http"].table]
        cls = _KNOWN[chance.choice(entries)]
        fields: dict[str, object] = {field.name: _noise(chance) for field in _fields(cls)}
        if chance.random() < 0.2:
            fields[chance.choice(("x", "id", "t"))] = _noise(chance)
        return json.dumps({"t": cls.tag, **fields}, ensure_ascii=chance.random() < 0.5).encode(
            errors="replace"
        )

    def spices(self, session: Session) -> Sequence[bytes]:
        """See Game."""
        numbers = [0, 1, 2, 7, 8, 65_535, 65_536, 2**31, 2**32 - 1, 2**32, -1, *session.known]
        if session.mobile is not None:
            numbers += [session.mobile.serial, *(item.serial for item in all_items(session.mobile))]
        words = (b"true", b"null", b"[]", b"{}", b'"', b"\\u0000", b'","to":"', b"1e9", b"0.5", b"NaN", b"\n")
        return [*(b"%d" % number for number in numbers), *words]

    def spelled(self, number: int) -> Sequence[bytes]:
        """See Game."""
        return [b"%d" % number]

    def mended(self, frame: bytes) -> bytes:
        """See Game: a line that says again what is left of the one that it was."""
        line = frame.replace(b"\n", b" ")
        try:
            json.loads(line)
        except (ValueError, RecursionError):
            pass
        else:
            return line
        text, dice = line.decode(errors="replace"), crc32(line)
        tags = [cls for cls in CLIENT_PACKETS if f'"{cls.tag}"' in text] or [*CLIENT_PACKETS]
        cls = tags[dice % len(tags)]
        return json.dumps({"t": cls.tag, **_gathered(cls, text, dice)}).encode()

    def forgets(self, player: Player) -> None:
        """See Game."""
        client = _client(player)
        client.received.clear()
        client.screen.forgets()
        player.raw.clear()

    def valid(self) -> Mapping[str, st.SearchStrategy[bytes]]:
        """See Game."""
        found: dict[str, st.SearchStrategy[Message]] = {
            cls.__name__: web_strategies.record_of(cls) for cls in CLIENT_PACKETS
        }
        return {name: some.map(_encoded) for name, some in (found | dict(web_strategies.played())).items()}

    def kind_of(self, name: str, packet: object) -> str:
        """See Game: the ways to speak, gestures and orders are told apart."""
        match packet:
            case Speak(words=words) if re.match(r"[./][a-z]", words):
                return f"order {words[1:].split()[0][:6]}"
            case Speak(how=how):
                return f"speak {how}"
            case MakeGesture(gesture=gesture) if gesture in EMOTES:
                return f"gesture {gesture}"
        return name

    def with_text(self, number: int) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
        """See Game."""
        cls = _KNOWN.get(number)
        if cls is None:
            return
        for field in _fields(cls):
            if "form" in field.metadata and not field.metadata["form"][0].isdigit():
                fields = {**json.loads(_plainest(cls).encode()), field.name: MARK}
                yield field.name, partial(_with_text, json.dumps(fields).encode())

    def texts(self, text: str) -> Sequence[bytes]:
        """See Game."""
        return [json.dumps(text)[1:-1].encode(), text.encode("utf-8", "surrogatepass")]

    def says(self, player: Player, text: str) -> bytes:
        """See Game. The page sends no more than may be said."""
        return _client(player).say_bytes(text[:128])

    def heard(self, player: Player) -> list[str]:
        """See Game."""
        return _client(player).screen.lines()

    def spoken_to(self, player: Player) -> list[Heard]:
        """See Game."""
        said = _client(player).screen.said
        return [Heard(how, who, words) for speaker, who, how, words in said if speaker]

    echoes = frozenset({"say", "yell"})

    def gestures_of(self, player: Player, mobile: Mobile) -> list[object]:
        """See Game."""
        return [gesture for who, gesture in _client(player).screen.gestured if who == mobile.serial]

    def sees(self, player: Player, mobile: Mobile) -> Sight | None:
        """See Game."""
        screen = _client(player).screen
        seen = screen.things.get(mobile.serial)
        if seen is None:
            return None
        x, y = (screen.x, screen.y) if seen.id == screen.me else (seen.x, seen.y)
        return Sight(seen.name, x, y, seen.heading, seen.hits, seen.dead, seen.sitting)

    def own_hits(self, player: Player) -> tuple[int, int]:
        """See Game."""
        sheet = _client(player).screen.sheet
        return sheet["hits"], sheet["hits_max"]

    def faults(self, player: Player) -> list[object]:
        """See Game."""
        client = _client(player)
        return [*client.screen.faults, *([client.why] if client.why else [])]

    def corrections(self, player: Player) -> int:
        """See Game."""
        screen = _client(player).screen
        return screen.put + len(screen.refused)

    def steps_to(self, player: Player, heading: int) -> bytes:
        """See Game."""
        client = _client(player)
        return client.walk_bytes(heading) if client.in_world else b""

    def logs_out(self, player: Player) -> bytes:
        """See Game."""
        return _client(player).leave_bytes()

    def keeps_alive(self, player: Player) -> bytes:
        """See Game: the ping, every twenty seconds."""
        return _client(player).ping_bytes() if _client(player).in_world else b""

    def believes(self, player: Player) -> set[object]:
        """See Game."""
        screen = _client(player).screen
        return {number for number in screen.things if number != screen.me}

    def should_believe(self, session: Session) -> set[object]:
        """See Game."""
        return {*session.known}


_KNOWN: Final[dict[int, type[Message]]] = {cls.opcode: cls for cls in CLIENT_PACKETS}

_PLACEHOLDER: Final = re.compile(rb"%d(\d\d)" % (PLACEHOLDERS.start // 100))


def _fields(cls: type[Message]) -> Sequence[attrs.Attribute[object]]:
    fields: Sequence[attrs.Attribute[object]] = attrs.fields(cast("type[attrs.AttrsInstance]", cls))
    return fields


def _encoded(message: Message) -> bytes:
    return message.encode()


def _plainest(cls: type[Message]) -> Message:
    """Zeros, empty texts and empty lists where something has to be said."""
    fields = {field.name: _plain(field) for field in _fields(cls) if field.default is attrs.NOTHING}
    return cls(**fields)


def _plain(field: attrs.Attribute[object]) -> object:
    form = str(field.metadata.get("form", ""))
    if not form:
        return ()
    return int(form.partition(" ")[0]) if form[0].isdigit() else ""


def _gathered(cls: type[Message], text: str, dice: int) -> dict[str, object]:
    """What is left of a message's fields, and something for those that must be there. Every second number
    that is out of its range is brought back into it."""
    fields: dict[str, object] = {}
    for field in _fields(cls):
        found = re.search(rf'"{field.name}":("[^"]*|[^,}}]*)', text)
        form = field.metadata.get("form", "")
        if found is None and field.default is not attrs.NOTHING:
            continue
        raw = found[1] if found is not None else text[-12:]
        number = re.search(r"-?\d{1,30}", raw)
        if raw.startswith('"'):
            fields[field.name] = raw[1:]
        elif form[:1].isdigit():
            low, _, high = form.partition(" to ")
            value = int(number[0]) if number is not None else dice
            fits = int(low) + value % (int(high) - int(low) + 1)
            fields[field.name] = fits if dice % 2 else value
        else:
            fields[field.name] = raw if form else raw.startswith("t")
    return fields


def _noise(chance: random.Random) -> object:
    numbers = (0, 1, 3, 7, 8, 1110, 65_535, 2**31, 2**40, -1, chance.randrange(2**32))
    texts = ("", "say", "bow", "Anna", "x" * chance.randrange(140), chr(chance.randrange(0xD7FF)) * 3)
    others: Sequence[object] = (True, False, None, 0.5, [], {}, [[1]])
    kind = chance.random()
    return chance.choice(numbers if kind < 0.6 else texts if kind < 0.9 else others)


def _with_text(line: bytes, raw: bytes) -> bytes:
    return line.replace(MARK.encode(), raw)
