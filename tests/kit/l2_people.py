"""What a Lineage II client shows of others and of itself: who is drawn, and where (`tests.kit.l2_screen`)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.kit.l2_shown import (
    CUR_HP,
    CUR_MP,
    FIRST_PROP,
    MAX_HP,
    MAX_MP,
    NPC_BASE,
    OWN_TEXTS,
    Catalogue,
    Html,
    MenuLine,
    OnGround,
    Owned,
    Prop,
    Seen,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.kit.l2_reader import Reader


class People:
    """Those whom a client draws, and its state. `now` tells seconds: those who walk are on their
    way for a while."""

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
        self.blows: list[tuple[int, int, int, int]] = []
        """Who struck whom, what that cost, and flags."""
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
        self.props: dict[int, Prop] = {}
        """What stands for walls and trees: nobody's figure."""
        self.ground: dict[int, OnGround] = {}
        self.pack: dict[int, Owned] = {}
        self.has_items = False
        self.target = 0
        self.html: Html | None = None
        self.board = ""
        """The page of the community's board, of all its parts."""
        self.board_buttons: list[str] = []
        """Bypasses of its own buttons."""
        self.counter: Catalogue | None = None
        """The list of a merchant or of a warehouse that is open."""
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

    def living(self) -> Mapping[int, Seen]:
        """The NPCs that are no bodies: those lie there a while after their creatures are gone."""
        return {number: seen for number, seen in self.npcs.items() if not seen.dead}

    def lines(self) -> list[str]:
        """All words that came; for a text of its own that refuses something the words that mean the same."""
        words = [text for _, _, text in self.said]
        for number, parameters in self.notices:
            if number in OWN_TEXTS:
                words.append(OWN_TEXTS[number].value)
            words += [word for word in parameters if isinstance(word, str)]
        return words

    def _fault(self, opcode: int, what: str) -> None:
        self.faults.append(f"{opcode:02x}: {what}")

    def _known(self, opcode: int, number: int) -> Seen | None:
        seen = self.everybody().get(number)
        if seen is None:
            self._fault(opcode, f"{number:#x} was never shown, or is gone")
        return seen

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
        clan, _crest, _ally, _ally_crest, relation = r.ds(5)
        r.skip("3c 2d")
        for _ in range(r.h()):
            r.h()
        r.skip("1c 1d 1c")
        privileges = r.d()
        r.skip("2h 1d 1h")
        class_id, _zero, _max_cp, _cp = r.ds(4)
        r.skip("2c 1d 3c 3d 1d")
        running = r.c()
        r.skip("3d 1d")
        before = self.me
        me = Seen(number, name, class_id, x, y, z, 0, run * multiplier, walk * multiplier, bool(running))
        me.title, me.wears = title, wears
        me.clan, me.relation, me.privileges = clan, relation, privileges
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
        title, clan = r.text(), r.d()
        r.skip("4d")
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
                clan=clan,
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
        if number >= FIRST_PROP:
            self._stands(0x16, number, Prop(x, y, kind - NPC_BASE, name=name))
            if attackable or dead or running:
                self._fault(0x16, f"{number:#x} is alive")
            return
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

    def _fence(self, r: Reader) -> None:
        number, state, x, y, _z, width, length = r.ds(7)
        if state not in (1, 2) or width <= 0 or length <= 0:
            self._fault(0xFE09, f"{number:#x} is a fence in state {state}, {width} x {length}")
        self._stands(0xFE09, number, Prop(x, y, 0, state, width, length))

    def _stands(self, opcode: int, number: int, prop: Prop) -> None:
        if self.me is None:
            self._fault(opcode, "its own character is not there yet")
        if number < FIRST_PROP:
            self._fault(opcode, f"{number:#x} may be somebody's")
        if number in self.props:
            self._fault(opcode, f"{number:#x} stands there already")
        self.props[number] = prop

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
        seen = self._known(0xCE, r.d())
        relation, attackable = r.ds(2)
        r.skip("2d")
        if seen is not None:
            seen.relation, seen.attackable = relation, bool(attackable)

    def _status_update(self, r: Reader) -> None:
        seen = self._known(0x0E, r.d())
        for _ in range(r.d()):
            attribute, value = r.ds(2)
            if seen is not None:
                seen.status[attribute] = value

    def _attack(self, r: Reader) -> None:
        attacker, target, damage = r.ds(3)
        flags = r.c()
        r.skip("3d")
        if r.h():
            self._fault(0x05, "more than one is hit")
        if self._known(0x05, attacker) is not None:
            self.blows.append((attacker, target, damage, flags))

    def _auto_attack_start(self, r: Reader) -> None:
        seen = self._known(0x2B, r.d())
        if seen is not None:
            seen.fighting = True

    def _auto_attack_stop(self, r: Reader) -> None:
        seen = self._known(0x2C, r.d())
        if seen is not None:
            seen.fighting = False

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
        found = [kept.pop(number, None) for kept in (self.people, self.npcs, self.ground, self.props)]
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
