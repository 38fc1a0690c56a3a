"""What a Lineage II client shows, read from the server's messages by their public notes
(`tests.kit.l2_reader`).

It is strict where the original is: a message about somebody it was not shown, a message before its own
character is there, or one that ends too early is a fault (`faults`).
"""

from __future__ import annotations

from collections import Counter
from math import atan2, hypot, tau
from typing import TYPE_CHECKING, Final

import attrs

from protocol.wishes import Wish
from tests.kit.l2_reader import Reader, TooShort
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TURN: Final = 65536
"""Headings go around clockwise; 0 is east."""

ALL, SHOUT, TELL, TRADE, ANNOUNCEMENT = 0, 1, 2, 8, 10
"""Kinds of what is said."""

WELCOME: Final = 34
"""The SystemMessage with which the world begins."""

CUR_HP, MAX_HP, CUR_MP, MAX_MP = 0x09, 0x0A, 0x0B, 0x0C
"""Attributes of StatusUpdate."""

OWN_TEXTS: Final[Mapping[int, Refusal | Wish]] = {
    22: Refusal.FAR,  # Your target is out of range.
    24: Refusal.DRAINED,  # Not enough MP.
    31: Refusal.SITTING,  # You cannot move while sitting.
    51: Refusal.ONESELF,  # You cannot use this on yourself.
    97: Refusal.FIXED,  # This item cannot be moved.
    129: Refusal.FULL,  # Your inventory is full.
    147: Refusal.GAGGED,  # Chatting is currently prohibited.
    151: Refusal.FAR,  # You cannot discard something that far away from you.
    179: Refusal.BLOCKED,  # You cannot discard those items here.
    181: Refusal.UNSEEN,  # Cannot see target.
    212: Refusal.NO_GUILD,  # You are not a clan member and cannot perform this action.
    422: Refusal.HEAVY,  # You have exceeded the weight limit.
    465: Refusal.NO_ALLIANCE,  # You are not currently allied with any clans.
    574: Wish.ANIMALS,  # Pets and Servitors are not available at this time.
    938: Wish.BOARD,  # The community server is currently offline.
    973: Refusal.AMOUNT,  # Please input no more than the number you have.
    1651: Wish.OLYMPIAD,  # The Grand Olympiad Games are not currently in progress.
}
"""What the client's own texts that refuse something come to. Numbers and texts are those of
L2JMobius/L2Jmobius_Interlude (gameserver/network/SystemMessageId.java): written down here for themselves, as
what the server sends is measured by them."""

ADENA: Final = 57
"""The kind of thing that is money."""

NPC_BASE: Final = 1_000_000
"""What is added to the number of a kind of NPC."""


@attrs.define(eq=False)
class Seen:
    """Somebody it draws, itself included."""

    id: int
    name: str
    kind: int
    """Class of a character, kind of an NPC."""
    x: float
    y: float
    z: float
    heading: int
    run: float
    """Units a second."""
    walk: float
    running: bool
    npc: bool = False
    standing: bool = True
    dead: bool = False
    title: str = ""
    wears: tuple[int, ...] = ()
    """Kinds of things, by place on the body."""
    attackable: bool = False
    status: dict[int, int] = attrs.field(factory=dict)
    """By attribute."""
    goal: tuple[float, float, float] | None = None
    """Where it is on its way to."""
    began: float = 0.0
    """When it set out."""

    @property
    def speed(self) -> float:
        """Units a second, as it moves now."""
        return self.run if self.running else self.walk

    def sets_out(
        self, start: tuple[float, float, float], goal: tuple[float, float, float], now: float
    ) -> None:
        """It goes from there to there, and looks where it goes."""
        self.x, self.y, self.z = start
        self.goal, self.began = goal, now
        east, south = goal[0] - start[0], goal[1] - start[1]
        if east or south:
            self.heading = round(atan2(south, east) * TURN / tau) % TURN

    def stops(self, x: float, y: float, z: float) -> None:
        """It is there, and goes nowhere."""
        self.x, self.y, self.z, self.goal = x, y, z, None

    def place(self, now: float) -> tuple[float, float, float]:
        """Where it is drawn at that time."""
        if self.goal is None:
            return self.x, self.y, self.z
        x, y, z = self.goal
        way = hypot(x - self.x, y - self.y)
        part = 1.0 if not way else min(1.0, max(0.0, now - self.began) * self.speed / way)
        return self.x + (x - self.x) * part, self.y + (y - self.y) * part, self.z + (z - self.z) * part

    def moves(self, now: float) -> bool:
        """Whether it is still on its way at that time."""
        return self.goal is not None and self.place(now) != self.goal


@attrs.define
class OnGround:
    """A thing that lies there."""

    kind: int
    amount: int
    x: int
    y: int
    z: int


@attrs.define
class Owned:
    """A thing it carries or wears."""

    kind: int
    amount: int
    equipped: bool
    body_part: int


@attrs.define
class Html:
    """The window of a dialog."""

    npc: int
    text: str


@attrs.define
class MenuLine:
    """One character of CharSelectInfo."""

    name: str
    id: int
    account: str
    session: int
    sex: int
    race: int
    base_class: int
    level: int
    deleted_in: int
    class_id: int
    last: bool
    worn: tuple[int, ...]
    hp: float
    max_hp: float


class Screen:
    """See the module. `now` tells seconds: those who walk are on their way for a while."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.faults: list[str] = []
        """What the original would have choked on."""
        self.counts: Counter[int] = Counter()
        """How many came, by opcode (0xFE00 + number for the extended ones)."""
        self.said: list[tuple[int, str, str]] = []
        """Kind, who and what."""
        self.notices: list[tuple[int, tuple[object, ...]]] = []
        """SystemMessage: number and parameters."""
        self.gestures: list[tuple[int, int]] = []
        """Who did what."""
        self.menu: list[MenuLine] | None = None
        self.templates: list[tuple[int, int]] = []
        """Race and class of whom one can make."""
        self.created: int | None = None
        """0 if it was, or why it was not."""
        self.deleted: int | None = None
        self.refused: int | None = None
        """LoginFail of the game's door."""
        self.forget_world()

    def forget_world(self) -> None:
        """The menu: nothing of a world counts any more."""
        self.selected = ""
        """Whom CharSelected named."""
        self.me: Seen | None = None
        self.people: dict[int, Seen] = {}
        self.npcs: dict[int, Seen] = {}
        self.ground: dict[int, OnGround] = {}
        self.pack: dict[int, Owned] = {}
        self.has_items = False
        self.target = 0
        self.html: Html | None = None
        self.map: int | None = None
        self.welcomed = False
        self.loading = False
        """Whether it was teleported, and has not said that it appeared."""
        self.teleports = 0
        self.corrections = 0
        """How often ValidateLocation put itself somewhere else."""
        self.released = 0
        """How often it came out of waiting for the end of a click (ActionFailed, or its own move)."""
        self.left: bool | None = None
        """What RestartResponse said."""
        self.goodbye = ""
        self.time: int | None = None
        """Minutes of the world's day."""

    # What it shows

    def by_name(self, name: str) -> Seen | None:
        """A character or NPC of that name."""
        return next((one for one in self.everybody().values() if one.name == name), None)

    def everybody(self) -> Mapping[int, Seen]:
        """All whom it draws, itself included."""
        mine = {self.me.id: self.me} if self.me is not None else {}
        return {**mine, **self.people, **self.npcs}

    def lines(self) -> list[str]:
        """All words that came; for a text of its own that refuses something the words that mean the same."""
        words = [text for _, _, text in self.said]
        for number, parameters in self.notices:
            if number in OWN_TEXTS:
                words.append(OWN_TEXTS[number].value)
            words += [word for word in parameters if isinstance(word, str)]
        return words

    # Reading

    def take(self, frame: bytes) -> None:
        """One message: opcode and body."""
        extended = frame[0] == 0xFE
        opcode = 0xFE00 | frame[1] if extended else frame[0]
        self.counts[opcode] += 1
        reads = _READERS.get(opcode)
        if reads is None:
            if opcode not in _IGNORED:
                self._fault(opcode, "no such message in this chronicle")
            return
        reader = Reader(frame[3 if extended else 1 :])
        try:
            reads(self, reader)
        except TooShort as error:
            self._fault(opcode, str(error))
        except UnicodeDecodeError as error:
            self._fault(opcode, f"no text: {error}")
        else:
            if reader.left > _TAILS.get(opcode, 0):
                self._fault(opcode, f"{reader.left} bytes more than it knows")

    def _fault(self, opcode: int, what: str) -> None:
        self.faults.append(f"{opcode:02x}: {what}")

    def _known(self, opcode: int, number: int) -> Seen | None:
        seen = self.everybody().get(number)
        if seen is None:
            self._fault(opcode, f"{number:#x} was never shown, or is gone")
        return seen

    # The menu

    def _char_select_info(self, r: Reader) -> None:
        self.menu = [self._menu_line(r) for _ in range(r.d())]
        if len(self.menu) > 7:
            self._fault(0x13, f"{len(self.menu)} characters")

    def _menu_line(self, r: Reader) -> MenuLine:
        name, number, account, session = r.text(), r.d(), r.text(), r.d()
        r.skip("2d")
        sex, race, base_class = r.ds(3)
        r.skip("4d")
        hp, _mp = r.f(), r.f()
        r.skip("1d 1q")
        level, _karma = r.ds(2)
        r.skip("9d 17d")
        worn = tuple(r.ds(17))
        r.skip("3d")
        max_hp, _max_mp = r.f(), r.f()
        deleted_in, class_id, last = r.ds(3)
        r.skip("1c 1d")
        return MenuLine(
            name,
            number,
            account,
            session,
            sex,
            race,
            base_class,
            level,
            deleted_in,
            class_id,
            bool(last),
            worn,
            hp,
            max_hp,
        )

    def _char_templates(self, r: Reader) -> None:
        self.templates = []
        for _ in range(r.d()):
            race, class_id = r.ds(2)
            r.skip("18d")
            self.templates.append((race, class_id))

    def _char_create_ok(self, r: Reader) -> None:
        if r.d() != 1:
            self._fault(0x19, "not 1")
        self.created = 0

    def _char_create_fail(self, r: Reader) -> None:
        self.created = r.d() or -1

    def _char_delete_ok(self, r: Reader) -> None:
        self.deleted = 0

    def _char_delete_fail(self, r: Reader) -> None:
        self.deleted = r.d()

    def _login_fail(self, r: Reader) -> None:
        self.refused = r.d()

    def _char_selected(self, r: Reader) -> None:
        self.forget_world()
        self.selected = r.text()
        r.d()
        r.text()
        r.skip("3d 3d 1d 3d 2f 1d 1q 3d 6d 30d 2d 1d 1d 1d 12d")

    def _restart_response(self, r: Reader) -> None:
        self.left = bool(r.d())
        if self.left:
            left = self.left
            self.forget_world()
            self.left = left

    # People

    def _user_info(self, r: Reader) -> None:
        if not self.selected:
            self._fault(0x04, "nobody was selected")
        x, y, z, _vehicle, number = r.ds(5)
        name = r.text()
        _race, _sex, _base_class, level = r.ds(4)
        r.q()
        r.skip("6d")
        max_hp, hp, max_mp, mp = r.ds(4)
        r.skip("1d 2d 1d 17d")
        wears = tuple(r.ds(17))
        r.skip("14h 1d 12h 1d 4h 10d 2d")
        run, walk, *_ = r.ds(8)
        multiplier, _attack = r.f(), r.f()
        r.skip("2f 3d 1d")
        title = r.text()
        r.skip("5d 3c 2d")
        for _ in range(r.h()):
            r.h()
        r.skip("1c 1d 1c 1d 2h 1d 1h")
        class_id, _zero, _max_cp, _cp = r.ds(4)
        r.skip("2c 1d 3c 3d 1d")
        running = r.c()
        r.skip("3d 1d")
        before = self.me
        me = Seen(number, name, class_id, x, y, z, 0, run * multiplier, walk * multiplier, bool(running))
        me.title, me.wears = title, wears
        me.status = {1: level, CUR_HP: hp, MAX_HP: max_hp, CUR_MP: mp, MAX_MP: max_mp}
        if before is not None and before.id == number:
            # Its own place is its own business once it is there: UserInfo while it walks does not stop it.
            me.heading, me.standing, me.dead = before.heading, before.standing, before.dead
            if before.goal is not None:
                me.x, me.y, me.z, me.goal, me.began = before.x, before.y, before.z, before.goal, before.began
        elif before is not None:
            self._fault(0x04, "it is somebody else now")
        self.me = me

    def _char_info(self, r: Reader) -> None:
        if self.me is None:
            self._fault(0x03, "its own character is not there yet")
        x, y, z, _vehicle, number = r.ds(5)
        name = r.text()
        r.skip("3d")
        wears = tuple(r.ds(12))
        r.skip("4h 1d 12h 1d 4h 2d 2d 2d")
        run, walk, *_ = r.ds(8)
        multiplier, _attack = r.f(), r.f()
        r.skip("2f 3d")
        title = r.text()
        r.skip("5d")
        standing, running, _fights, dead, _invisible = (r.c() for _ in range(5))
        r.skip("2c")
        for _ in range(r.h()):
            r.h()
        r.skip("1c 1d 1c 1h")
        class_id, _max_cp, _cp = r.ds(3)
        r.skip("2c 1d 3c 3d 1d")
        heading = r.d()
        r.skip("4d")
        if self.me is not None and number == self.me.id:
            self._fault(0x03, "that is its own character")
            return
        self._shown(
            Seen(
                number,
                name,
                class_id,
                x,
                y,
                z,
                heading,
                run * multiplier,
                walk * multiplier,
                bool(running),
                standing=bool(standing),
                dead=bool(dead),
                title=title,
                wears=wears,
            )
        )

    def _npc_info(self, r: Reader) -> None:
        if self.me is None:
            self._fault(0x16, "its own character is not there yet")
        number, kind, attackable, x, y, z, heading, _zero = r.ds(8)
        r.skip("2d")
        run, walk, *_ = r.ds(8)
        multiplier, _attack = r.f(), r.f()
        r.skip("2f 3d")
        _above, running, _fights, dead, _summoned = (r.c() for _ in range(5))
        name, title = r.text(), r.text()
        r.skip("1d 2d 1d 4d 2c 2f 2d")
        if kind <= NPC_BASE:
            self._fault(0x16, f"kind {kind}")
        self._shown(
            Seen(
                number,
                name,
                kind - NPC_BASE,
                x,
                y,
                z,
                heading,
                run * multiplier,
                walk * multiplier,
                bool(running),
                npc=True,
                dead=bool(dead),
                title=title,
                attackable=bool(attackable),
            )
        )

    def _shown(self, seen: Seen) -> None:
        if seen.id <= 0:
            self._fault(0x16 if seen.npc else 0x03, f"id {seen.id}")
        if seen.id in self.ground:
            self._fault(0x16 if seen.npc else 0x03, f"{seen.id:#x} is a thing on the ground")
        mine, others = (self.npcs, self.people) if seen.npc else (self.people, self.npcs)
        others.pop(seen.id, None)
        before = mine.get(seen.id)
        if before is not None:
            seen.status = before.status
        mine[seen.id] = seen

    def _relation_changed(self, r: Reader) -> None:
        self._known(0xCE, r.d())
        r.skip("4d")

    def _status_update(self, r: Reader) -> None:
        seen = self._known(0x0E, r.d())
        for _ in range(r.d()):
            attribute, value = r.ds(2)
            if seen is not None:
                seen.status[attribute] = value

    def _die(self, r: Reader) -> None:
        seen = self._known(0x06, r.d())
        r.skip("6d")
        if seen is not None:
            seen.dead = True
            seen.stops(*seen.place(self.now()))

    def _revive(self, r: Reader) -> None:
        seen = self._known(0x07, r.d())
        if seen is not None:
            seen.dead = False

    def _delete_object(self, r: Reader) -> None:
        number, _zero = r.ds(2)
        found = [kept.pop(number, None) for kept in (self.people, self.npcs, self.ground)]
        if not any(found):
            self._fault(0x12, f"{number:#x} was never shown, or is gone")
        if self.target == number:
            self.target = 0

    # Motion

    def _move_to_location(self, r: Reader) -> None:
        seen = self._known(0x01, r.d())
        goal, start = r.ds(3), r.ds(3)
        if seen is None:
            return
        if seen is self.me:
            self.released += 1
        seen.sets_out((start[0], start[1], start[2]), (goal[0], goal[1], goal[2]), self.now())

    def _stop_move(self, r: Reader) -> None:
        self._puts(0x47, r)

    def _validate_location(self, r: Reader) -> None:
        seen = self._puts(0x61, r)
        if seen is not None and seen is self.me:
            self.corrections += 1

    def _puts(self, opcode: int, r: Reader) -> Seen | None:
        seen = self._known(opcode, r.d())
        x, y, z, heading = r.ds(4)
        if seen is not None:
            seen.stops(x, y, z)
            seen.heading = heading
        return seen

    def _teleport(self, r: Reader) -> None:
        number, x, y, z = r.ds(4)
        if self.me is None or number != self.me.id:
            # Others are removed and shown anew: the original client loads its own surroundings at this.
            self._fault(0x28, f"{number:#x} is not itself")
            return
        self.teleports += 1
        self.loading = True
        self.me.stops(x, y, z)

    def _change_move_type(self, r: Reader) -> None:
        seen = self._known(0x2E, r.d())
        running, _zero = r.ds(2)
        if seen is not None:
            now = self.now()
            if seen.goal is not None:
                seen.sets_out(seen.place(now), seen.goal, now)
            seen.running = bool(running)

    def _change_wait_type(self, r: Reader) -> None:
        seen = self._known(0x2F, r.d())
        kind, x, y, z = r.ds(4)
        if seen is not None:
            seen.standing = kind != 0
            seen.stops(x, y, z)

    def _social_action(self, r: Reader) -> None:
        number, action = r.ds(2)
        if self._known(0x2D, number) is not None:
            self.gestures.append((number, action))

    def _begin_rotation(self, r: Reader) -> None:
        seen = self._known(0x62, r.d())
        degree, _side = r.ds(2)
        r.skip("1d")
        if seen is not None:
            seen.heading = degree

    def _stop_rotation(self, r: Reader) -> None:
        seen = self._known(0x63, r.d())
        degree = r.d()
        r.skip("1d 1c")
        if seen is not None:
            seen.heading = degree

    # Targets

    def _my_target_selected(self, r: Reader) -> None:
        number = r.d()
        r.h()
        self.target = number

    def _target_selected(self, r: Reader) -> None:
        who, _whom = r.ds(2)
        self._known(0x29, who)
        r.skip("3d")

    def _target_unselected(self, r: Reader) -> None:
        seen = self._known(0x2A, r.d())
        r.skip("3d")
        if seen is self.me:
            self.target = 0

    def _action_failed(self, r: Reader) -> None:
        self.released += 1

    # Things

    def _spawn_item(self, r: Reader) -> None:
        number, kind, x, y, z, _stackable, amount, _zero = r.ds(8)
        self._lies(0x0B, number, OnGround(kind, amount, x, y, z))

    def _drop_item(self, r: Reader) -> None:
        _who, number, kind, x, y, z, _stackable, amount, _one = r.ds(9)
        self._lies(0x0C, number, OnGround(kind, amount, x, y, z))

    def _lies(self, opcode: int, number: int, thing: OnGround) -> None:
        if self.me is None:
            self._fault(opcode, "its own character is not there yet")
        if number in self.everybody():
            self._fault(opcode, f"{number:#x} is alive")
        if thing.kind <= 0 or thing.amount <= 0:
            self._fault(opcode, f"{thing.amount} of kind {thing.kind}")
        self.ground[number] = thing

    def _get_item(self, r: Reader) -> None:
        who, number, *_ = r.ds(5)
        self._known(0x0D, who)
        if number not in self.ground:
            self._fault(0x0D, f"{number:#x} does not lie there")

    def _item_list(self, r: Reader) -> None:
        r.h()
        self.pack = {}
        for _ in range(r.h()):
            number, owned = self._owned(r)
            self.pack[number] = owned
        self.has_items = True

    def _inventory_update(self, r: Reader) -> None:
        for _ in range(r.h()):
            change = r.h()
            number, owned = self._owned(r)
            if change == 3:
                if self.pack.pop(number, None) is None:
                    self._fault(0x27, f"{number:#x} was not in its pack")
                continue
            if change not in (1, 2) or (change == 2 and number not in self.pack):
                self._fault(0x27, f"change {change} of {number:#x}")
            self.pack[number] = owned

    def _owned(self, r: Reader) -> tuple[int, Owned]:
        r.h()
        number, kind, amount = r.ds(3)
        r.skip("2h")
        equipped = r.h()
        part = r.d()
        r.skip("2h 2d")
        if kind <= 0 or amount <= 0:
            self._fault(0x1B, f"{amount} of kind {kind}")
        return number, Owned(kind, amount, bool(equipped), part)

    # Words

    def _creature_say(self, r: Reader) -> None:
        _who, kind = r.ds(2)
        self.said.append((kind, r.text(), r.text()))

    def _system_message(self, r: Reader) -> None:
        number = r.d()
        parameters = self._parameters(r)
        if number in OWN_TEXTS and parameters:
            self._fault(0x64, f"{len(parameters)} parameters for text {number}, which has none")
        self.notices.append((number, parameters))
        self.welcomed |= number == WELCOME

    def _parameters(self, r: Reader) -> tuple[object, ...]:
        found: list[object] = []
        for _ in range(r.d()):
            kind = r.d()
            match kind:
                case 0 | 12:
                    found.append(r.text())
                case 1 | 2 | 3 | 5:
                    found.append(r.d())
                case 4:
                    found.append(tuple(r.ds(2)))
                case 6:
                    found.append(r.q())
                case 7:
                    found.append(tuple(r.ds(3)))
                case _:
                    self._fault(0x64, f"parameter of kind {kind}")
                    break
        return tuple(found)

    def _npc_html(self, r: Reader) -> None:
        npc, text = r.d(), r.text()
        r.d()
        if len(text) > 8192:
            self._fault(0x0F, f"{len(text)} characters")
        self.html = Html(npc, text)

    def _confirm(self, r: Reader) -> None:
        number = r.d()
        self.notices.append((number, self._parameters(r)))
        r.skip("2d")

    # The rest

    def _client_set_time(self, r: Reader) -> None:
        self.time, _speed = r.ds(2)

    def _show_mini_map(self, r: Reader) -> None:
        self.map, _period = r.ds(2)

    def _leave_world(self, r: Reader) -> None:
        self.goodbye = "LeaveWorld"

    def _server_close(self, r: Reader) -> None:
        self.goodbye = "ServerClose"


_READERS: Final[Mapping[int, Callable[[Screen, Reader], None]]] = {
    0x01: Screen._move_to_location,
    0x03: Screen._char_info,
    0x04: Screen._user_info,
    0x06: Screen._die,
    0x07: Screen._revive,
    0x0B: Screen._spawn_item,
    0x0C: Screen._drop_item,
    0x0D: Screen._get_item,
    0x0E: Screen._status_update,
    0x0F: Screen._npc_html,
    0x12: Screen._delete_object,
    0x13: Screen._char_select_info,
    0x14: Screen._login_fail,
    0x15: Screen._char_selected,
    0x16: Screen._npc_info,
    0x17: Screen._char_templates,
    0x19: Screen._char_create_ok,
    0x1A: Screen._char_create_fail,
    0x1B: Screen._item_list,
    0x23: Screen._char_delete_ok,
    0x24: Screen._char_delete_fail,
    0x25: Screen._action_failed,
    0x26: Screen._server_close,
    0x27: Screen._inventory_update,
    0x28: Screen._teleport,
    0x29: Screen._target_selected,
    0x2A: Screen._target_unselected,
    0x2D: Screen._social_action,
    0x2E: Screen._change_move_type,
    0x2F: Screen._change_wait_type,
    0x47: Screen._stop_move,
    0x4A: Screen._creature_say,
    0x5F: Screen._restart_response,
    0x61: Screen._validate_location,
    0x62: Screen._begin_rotation,
    0x63: Screen._stop_rotation,
    0x64: Screen._system_message,
    0x7E: Screen._leave_world,
    0x9D: Screen._show_mini_map,
    0xA6: Screen._my_target_selected,
    0xCE: Screen._relation_changed,
    0xEC: Screen._client_set_time,
    0xED: Screen._confirm,
}

_IGNORED: Final = frozenset(
    {
        *(0x00, 0x1C, 0x1D, 0x44, 0x45, 0x58, 0x80, 0xC1, 0xD3, 0xE4, 0xE7, 0xF3, 0xFA, 0xFE2E, 0xFE32),
        *(0x7D, 0x7F, 0x98, 0xFB, 0xFC, 0xFD),
    }
)
"""Messages that change nothing of what it shows here: sun, shortcuts, skills, quests, ping, henna, macros,
effects, friends, storage."""

_TAILS: Final[Mapping[int, int]] = {
    0x15: 4,  # one more zero than the shortest
    0x16: 8,  # two zeros more in recordings of an original server
    0x28: 8,  # two public servers name zero and a heading behind it
    0x29: 4,
    0x2A: 4,
    0x5F: 64,  # a text
    0xA6: 4,
}
"""Bytes that may follow what all public notes agree on."""
