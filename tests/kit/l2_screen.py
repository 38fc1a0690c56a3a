"""What a Lineage II client shows, read from the server's messages by their public notes
(`tests.kit.l2_reader`).

It is strict where the original is: a message about somebody it was not shown, a message before its own
character is there, or one that ends too early is a fault (`faults`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.kit.l2_clan import Clans
from tests.kit.l2_reader import Reader, TooShort
from tests.kit.l2_shown import OWN_TEXTS, WELCOME, Catalogue, Html, MenuLine, Offered, OnGround, Owned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Screen(Clans):
    """See the module. `now` tells seconds: those who walk are on their way for a while."""

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

    def _show_board(self, r: Reader) -> None:
        """Its page comes in three parts: the number of one, a control character, and its text."""
        if r.c() != 1:
            self._fault(0x6E, "not 1")
        buttons = [r.text() for _ in range(8)]
        part, separator, text = r.text().partition("\x08")
        if not separator or part not in ("101", "102", "103") or len(text) > 4090:
            self._fault(0x6E, f"part {part} of {len(text)} characters")
        self.board = (self.board if part != "101" else "") + text
        self.board_buttons = buttons

    # Counters

    def _buy_list(self, r: Reader) -> None:
        money, number = r.ds(2)
        self.counter = Catalogue(0x11, number, money, tuple(self._ware(r) for _ in range(r.h())))

    def _ware(self, r: Reader) -> Offered:
        r.h()
        number, kind, stock = r.ds(3)
        r.skip("2h 1d 3h")
        return self._offered(0x11, Offered(number, kind, stock, r.d()))

    def _sell_list(self, r: Reader) -> None:
        money, number = r.ds(2)
        self.counter = Catalogue(0x10, number, money, tuple(self._sale(r) for _ in range(r.h())))

    def _sale(self, r: Reader) -> Offered:
        r.h()
        number, kind, amount = r.ds(3)
        r.skip("2h 1d 3h")
        return self._offered(0x10, Offered(number, kind, amount, r.d()))

    def _deposit_list(self, r: Reader) -> None:
        self._warehouse(0x41, r)

    def _withdraw_list(self, r: Reader) -> None:
        self._warehouse(0x42, r)

    def _warehouse(self, opcode: int, r: Reader) -> None:
        if r.h() != 1:
            self._fault(opcode, "not its own")
        money = r.d()
        self.counter = Catalogue(opcode, 0, money, tuple(self._kept(opcode, r) for _ in range(r.h())))

    def _kept(self, opcode: int, r: Reader) -> Offered:
        r.h()
        number, kind, amount = r.ds(3)
        r.skip("2h 1d 3h")
        if r.d() != number:
            self._fault(opcode, f"{number:#x} is called otherwise at its end")
        r.skip("2d")
        return self._offered(opcode, Offered(number, kind, amount))

    def _offered(self, opcode: int, row: Offered) -> Offered:
        if row.kind <= 0 or row.amount < 0 or row.price < 0:
            self._fault(opcode, f"{row.amount} of kind {row.kind} for {row.price}")
        return row

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
    0x05: Screen._attack,
    0x06: Screen._die,
    0x07: Screen._revive,
    0x0B: Screen._spawn_item,
    0x0C: Screen._drop_item,
    0x0D: Screen._get_item,
    0x0E: Screen._status_update,
    0x0F: Screen._npc_html,
    0x10: Screen._sell_list,
    0x11: Screen._buy_list,
    0x12: Screen._delete_object,
    0x13: Screen._char_select_info,
    0x14: Screen._login_fail,
    0x15: Screen._char_selected,
    0x16: Screen._npc_info,
    0x17: Screen._char_templates,
    0x19: Screen._char_create_ok,
    0x1A: Screen._char_create_fail,
    0x1B: Screen._item_list,
    0x1E: Screen._trade_start,
    0x20: Screen._trade_own_add,
    0x21: Screen._trade_other_add,
    0x22: Screen._trade_done,
    0x23: Screen._char_delete_ok,
    0x24: Screen._char_delete_fail,
    0x25: Screen._action_failed,
    0x26: Screen._server_close,
    0x27: Screen._inventory_update,
    0x28: Screen._teleport,
    0x29: Screen._target_selected,
    0x2A: Screen._target_unselected,
    0x2B: Screen._auto_attack_start,
    0x2C: Screen._auto_attack_stop,
    0x2D: Screen._social_action,
    0x2E: Screen._change_move_type,
    0x2F: Screen._change_wait_type,
    0x30: Screen._pledge_power,
    0x32: Screen._ask_join_pledge,
    0x33: Screen._join_pledge,
    0x39: Screen._ask_join_party,
    0x3A: Screen._join_party,
    0x41: Screen._deposit_list,
    0x42: Screen._withdraw_list,
    0x47: Screen._stop_move,
    0x4A: Screen._creature_say,
    0x4E: Screen._party_all,
    0x4F: Screen._party_add,
    0x50: Screen._party_delete_all,
    0x51: Screen._party_delete,
    0x52: Screen._party_update,
    0x53: Screen._pledge_all,
    0x54: Screen._pledge_update,
    0x55: Screen._pledge_add,
    0x56: Screen._pledge_delete,
    0x5E: Screen._send_trade_request,
    0x5F: Screen._restart_response,
    0x61: Screen._validate_location,
    0x62: Screen._begin_rotation,
    0x63: Screen._stop_rotation,
    0x64: Screen._system_message,
    0x6E: Screen._show_board,
    0x74: Screen._trade_update,
    0x75: Screen._trade_own_ok,
    0x7C: Screen._trade_other_ok,
    0x7E: Screen._leave_world,
    0x82: Screen._pledge_delete_all,
    0x83: Screen._pledge_info,
    0x88: Screen._pledge_info_update,
    0x9D: Screen._show_mini_map,
    0xA6: Screen._my_target_selected,
    0xA7: Screen._party_positions,
    0xA8: Screen._ask_join_ally,
    0xCE: Screen._relation_changed,
    0xEC: Screen._client_set_time,
    0xED: Screen._confirm,
    0xFE09: Screen._fence,
    0xFE3B: Screen._pledge_grades,
    0xFE3C: Screen._pledge_member_power,
    0xFE3D: Screen._pledge_member,
    0xFE3E: Screen._pledge_wars,
}

_IGNORED: Final = frozenset(
    {
        *(0x00, 0x1C, 0x1D, 0x44, 0x45, 0x58, 0x80, 0xC1, 0xD3, 0xE4, 0xE7, 0xF3, 0xFA, 0xFE2E, 0xFE32),
        *(0x7D, 0x7F, 0x98, 0xEB, 0xFB, 0xFC, 0xFD),
    }
)
"""Messages that change nothing of what it shows here: sun, shortcuts, skills, quests, marks, ping, henna,
macros, effects, friends, storage."""

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
