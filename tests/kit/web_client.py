"""A client of the web page's game without I/O: what it says, and what it shows (`tests.kit.web_screen`).

    client = WebClient()
    client.feed(data)                        # the messages that are complete now
    client.login_bytes("anna", "secret1")    # what to send; so is what every verb gives

Everything it says is written down here by the public description of the messages, not by the server's
declarations. It numbers its steps as the page does: from 0 again when one is refused or it is put elsewhere.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.kit.web_screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.kit.web_fields import Shown

OFFSETS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))


class WebClient:
    """See the module."""

    def __init__(self) -> None:
        self.why = ""
        """What was wrong with what came."""
        self.received: list[dict[str, object]] = []
        """Messages."""
        self.open()

    def open(self) -> None:
        """A new connection."""
        self.screen = Screen()
        self.sequence = -1
        """Of the last step."""
        self.under_way = 0
        """Steps that it was not answered yet."""
        self._rest = b""

    @property
    def in_world(self) -> bool:
        """Whether it was shown its character."""
        return self.screen.me in self.screen.things

    @property
    def me(self) -> Shown:
        """Its own character."""
        return self.screen.things[self.screen.me]

    def feed(self, data: bytes) -> list[dict[str, object]]:
        """Bytes that came; the messages that are complete now."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        found = []
        for line in lines:
            try:
                message = json.loads(line.decode())
            except ValueError as error:
                self.why = f"{line[:100]!r}: {error}"
                continue
            found.append(message)
            self.received.append(message)
            self._take(message)
        return found

    def _take(self, message: Mapping[str, object]) -> None:
        screen = self.screen
        if message.get("crossed") and self.under_way:
            return  # it has gone on since
        put, refused, answered = screen.put, len(screen.refused), len(screen.answered)
        screen.show(message)
        if message["t"] == "entered" or screen.put != put or len(screen.refused) > refused:
            self.sequence, self.under_way = -1, 0
        elif len(screen.answered) > answered:
            self.under_way = max(0, self.under_way - 1)

    # What it says

    def raw_bytes(self, *lines: bytes) -> bytes:
        """Whole lines."""
        return b"".join(line + b"\n" for line in lines)

    def say_bytes_of(self, t: str, **fields: object) -> bytes:
        """A message of that name."""
        return self.raw_bytes(json.dumps({"t": t, **fields}, separators=(",", ":")).encode())

    def login_bytes(self, account: str, password: str) -> bytes:
        """login."""
        return self.say_bytes_of("login", account=account, password=password)

    def register_bytes(self, account: str, password: str) -> bytes:
        """register."""
        return self.say_bytes_of("register", account=account, password=password)

    def ticket_bytes(self, key: bytes) -> bytes:
        """ticket."""
        return self.say_bytes_of("ticket", key=key.hex())

    def list_bytes(self) -> bytes:
        """list."""
        return self.say_bytes_of("list")

    def create_bytes(self, name: str, **looks: object) -> bytes:
        """create."""
        return self.say_bytes_of("create", character=name, **looks)

    def delete_bytes(self, number: int) -> bytes:
        """delete."""
        return self.say_bytes_of("delete", id=number)

    def enter_bytes(self, number: int) -> bytes:
        """enter."""
        return self.say_bytes_of("enter", id=number)

    def leave_bytes(self) -> bytes:
        """leave."""
        return self.say_bytes_of("leave")

    def walk_bytes(self, heading: int, *, run: bool = False) -> bytes:
        """walk: the next step."""
        if self.sequence < 0:
            self.screen.turned_after = None
        self.sequence = 0 if self.sequence < 0 else self.sequence % 0xFFFF + 1
        self.under_way += 1
        fields: dict[str, object] = {"sequence": self.sequence, "heading": heading}
        return self.say_bytes_of("walk", **fields, **({"run": True} if run else {}))

    def way_bytes(self, x: int, y: int, within: int = 0) -> bytes:
        """way: from where it believes to be."""
        more = {"within": within} if within else {}
        return self.say_bytes_of("way", x=self.screen.x, y=self.screen.y, to_x=x, to_y=y, **more)

    def turn_bytes(self, heading: int) -> bytes:
        """turn: it faces that way at once."""
        if self.in_world:
            self.me.heading = self.screen.heading = heading
            self.screen.turned_after = self.sequence if self.under_way else None
        return self.say_bytes_of("turn", heading=heading)

    def sit_bytes(self) -> bytes:
        """sit."""
        return self.say_bytes_of("sit")

    def say_bytes(self, words: str, how: str = "say", to: str = "") -> bytes:
        """speak."""
        return self.say_bytes_of("speak", words=words, how=how, **({"to": to} if to else {}))

    def gesture_bytes(self, gesture: str) -> bytes:
        """gesture."""
        return self.say_bytes_of("gesture", gesture=gesture)

    def look_bytes(self, number: int) -> bytes:
        """look."""
        return self.say_bytes_of("look", id=number)

    def use_bytes(self, number: int, on: int = 0) -> bytes:
        """use."""
        return self.say_bytes_of("use", id=number, **({"on": on} if on else {}))

    def attack_bytes(self, number: int) -> bytes:
        """attack."""
        return self.say_bytes_of("attack", id=number)

    def stop_bytes(self) -> bytes:
        """stop."""
        return self.say_bytes_of("stop")

    def spend_bytes(self, attribute: str, points: int = 1) -> bytes:
        """spend."""
        return self.say_bytes_of("spend", attribute=attribute, points=points)

    def lock_bytes(self, skill: str, way: int) -> bytes:
        """lock."""
        return self.say_bytes_of("lock", skill=skill, way=way)

    def town_bytes(self) -> bytes:
        """town."""
        return self.say_bytes_of("town")

    def answer_bytes(self, serial: int, button: int, filled: Sequence[Mapping[str, object]] = ()) -> bytes:
        """answer: the dialog is closed here."""
        self.screen.questions.pop(serial, None)
        more = {"filled": filled} if filled else {}
        return self.say_bytes_of("answer", serial=serial, button=button, **more)

    def take_bytes(self, number: int, amount: int = 0) -> bytes:
        """take."""
        return self.say_bytes_of("take", id=number, amount=amount)

    def drop_bytes(self, number: int, amount: int = 0) -> bytes:
        """drop."""
        return self.say_bytes_of("drop", id=number, amount=amount)

    def wear_bytes(self, number: int) -> bytes:
        """wear."""
        return self.say_bytes_of("wear", id=number)

    def unwear_bytes(self, number: int) -> bytes:
        """unwear."""
        return self.say_bytes_of("unwear", id=number)

    def ping_bytes(self, number: int = 0) -> bytes:
        """ping."""
        return self.say_bytes_of("ping", number=number)

    def owned(self, name: str) -> int:
        """The id of something it has, by name."""
        return next(thing.id for thing in self.screen.owned.values() if thing.name == name)

    def ahead(self, heading: int) -> tuple[int, int]:
        """The tile before its character."""
        dx, dy = OFFSETS[heading]
        return self.screen.x + dx, self.screen.y + dy
