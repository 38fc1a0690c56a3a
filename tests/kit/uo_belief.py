"""What an Ultima Online client believes of the world: where it stands, who and what is in sight, what is
worn, carried and held.

Like ClassicUO it forgets what lies beyond its view range, goes ahead of the server and comes back when it is
refused; fields are read by offset and not by our declarations.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tests.kit.uo_company import Company
from tests.kit.uo_holders import Holders
from tests.kit.uo_seen import OFFSETS, Held, Lying, Seen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.uo.versions import VersionNumber


class Belief(Company):
    """The world as one player's client of a version believes it to be."""

    def __init__(self, version: VersionNumber) -> None:
        super().__init__(version)
        self.player: Seen | None = None
        """The server's 0x1B made it known; its place is where the server last said or acknowledged."""
        self.in_world = False
        """0x55 came."""
        self.map: int | None = None
        self.view_range = 18
        self.mobiles: dict[int, Seen] = {}
        """Others in sight, by serial."""
        self.left_behind: set[int] = set()
        """What it forgot or never took because it was out of range of where it showed itself, being ahead of
        the server. That may be in range again before the server notices, and stays unseen until it is placed
        anew: a move of what is not known shows nothing (ClassicUO, 0x77)."""
        self.items: dict[int, Lying] = {}
        """What lies in sight, scenery included."""
        self._holders = Holders()
        self.pack = self._holders.contained
        """What is in containers: (item id, amount, container) by serial."""
        self.held: Held | None = None
        """What it shows in its hand, or has put down without having heard where it is."""
        self.opened = self._holders.opened
        """Containers whose windows the server opened."""
        self.refusals: list[int] = []
        """Reasons of all 0x27."""
        self.orphans: list[int] = []
        """Items said to be in a container it does not know: ClassicUO ignores them, the oldest clients
        crash."""
        self.dead = False
        self.war = False
        """By 0x72."""
        self.enemy = 0
        """Whom it believes to fight, by 0xAA."""
        self.numbers: list[tuple[int, int]] = []
        """Damage it was shown: serial and amount."""
        self.corpses: dict[int, dict[int, int]] = {}
        """What corpses wear, by their serials: serials by layer."""
        self.fallen: list[tuple[int, int]] = []
        """Who died before its eyes, and their corpses."""
        self.pending: list[tuple[int, int]] = []
        """Steps without an answer: (number, heading)."""
        self._next_step = 0
        self._forgotten: set[int] = set()
        """Steps that were unanswered when it was put elsewhere."""
        self._is_resyncing = False
        self.is_lost = False
        """Whether it was answered one of those: it is going to ask where it is."""

    # The player

    def _confirmed(self, packet: bytes) -> None:
        serial, body, x, y, z, heading = struct.unpack_from(">I4xHHHhB", packet, 1)
        self.player = Seen(serial, body, x, y, z, heading, 0, 0, 0)
        self.mobiles.clear()
        self.items.clear()
        self._holders.clear()
        self.held = None
        self.gumps.clear()
        self.in_world = False
        self._restart()

    def _completed(self, packet: bytes) -> None:
        assert not self.in_world, "0x55 twice"
        self.in_world = True

    def _extended(self, packet: bytes) -> None:
        number = int.from_bytes(packet[3:5], "big")
        if number == 0x22:
            assert packet[5] == 1
            self.numbers.append((int.from_bytes(packet[6:10], "big"), packet[10]))
        elif number == 0x08 and packet[5] != self.map:
            self.map = packet[5]
            self._drop_out([*self.mobiles, *self.items])
        elif number == 0x06:
            self._party(packet)
        elif number == 0x04:
            kind = int.from_bytes(packet[5:9], "big")
            self.gumps = {serial: gump for serial, gump in self.gumps.items() if gump.kind != kind}

    def _placed(self, packet: bytes) -> None:
        player = self._me
        serial, body, hue, flags, x, y, direction, z = struct.unpack_from(">IHxHBHH2xBb", packet, 1)
        assert serial == player.serial
        player.body, player.hue, player.flags = body, hue, flags
        player.x, player.y, player.z, player.heading = x, y, z, direction & 7
        self._restart()
        self._prune()

    def _accepted(self, packet: bytes) -> None:
        if self._is_resyncing:
            return
        if packet[1] in self._forgotten and (not self.pending or self.pending[0][0] != packet[1]):
            # A step it had sent before it was put elsewhere looked like the first one after that. ClassicUO
            # asks for a resync then (Game/Managers/WalkerManager.cs, ConfirmWalk).
            self.is_lost = self._is_resyncing = True
            self.pending.clear()
            return
        assert self.pending, "an answer to no step"
        number, heading = self.pending.pop(0)
        assert packet[1] == number, f"step {packet[1]} answered instead of {number}"
        player = self._me
        if player.heading != heading:
            player.heading = heading
        else:
            dx, dy = OFFSETS[heading]
            player.x, player.y = player.x + dx, player.y + dy
            self._prune()

    def _refused(self, packet: bytes) -> None:
        player = self._me
        x, y, direction, z = struct.unpack_from(">HHBb", packet, 2)
        player.x, player.y, player.z, player.heading = x, y, z, direction & 7
        self._restart()
        self._prune()

    def _died(self, packet: bytes) -> None:
        self.dead = packet[1] == 0

    def _war(self, packet: bytes) -> None:
        self.war = bool(packet[1])

    def _attacks(self, packet: bytes) -> None:
        self.enemy = int.from_bytes(packet[1:5], "big")

    def _damaged(self, packet: bytes) -> None:
        self.numbers.append(struct.unpack_from(">IH", packet, 1))

    def _range(self, packet: bytes) -> None:
        self.view_range = packet[1]
        self._prune()

    @property
    def _me(self) -> Seen:
        assert self.player is not None
        return self.player

    def _restart(self) -> None:
        self._forgotten = {number for number, _ in self.pending}
        self._is_resyncing = False
        self.pending.clear()
        self._next_step = 0

    def foresee(self) -> tuple[int, int]:
        """Where it will stand when all its steps are taken; a real client shows itself there already."""
        x, y, heading = self._me.x, self._me.y, self._me.heading
        for _, towards in self.pending:
            if towards == heading:
                x, y = x + OFFSETS[heading][0], y + OFFSETS[heading][1]
            heading = towards
        return x, y

    def _prune(self) -> None:
        """Forget what is out of range of where it shows itself, as ClassicUO does (Game/World.cs, Update)."""
        x, y = self.foresee()
        left, right, top, bottom = (
            x - self.view_range,
            x + self.view_range,
            y - self.view_range,
            y + self.view_range,
        )
        gone = [
            seen.serial
            for around in (self.mobiles, self.items)
            for seen in around.values()
            if not (left <= seen.x <= right and top <= seen.y <= bottom)
        ]
        self.left_behind.update(gone)
        self._drop_out(gone)

    def _drop_out(self, serials: Iterable[int]) -> None:
        """Forget what stood or lay there, with all that it held."""
        for serial in serials:
            seen = self.mobiles.pop(serial, None)
            if seen is not None:
                self._holders.undress(seen)
            if self.items.pop(serial, None) is not None:
                self._holders.lose(serial)

    def _near(self, x: int, y: int) -> bool:
        ahead_x, ahead_y = self.foresee()
        return max(abs(x - ahead_x), abs(y - ahead_y)) <= self.view_range

    # Others

    def _incoming(self, packet: bytes) -> None:
        serial, body, x, y, z, direction, hue, flags, notoriety = struct.unpack_from(">IHHHbBHBB", packet, 3)
        worn: dict[int, tuple[int, int, int]] = {}
        at = 19
        while (item_serial := int.from_bytes(packet[at : at + 4], "big")) != 0:
            item, layer = struct.unpack_from(">HB", packet, at + 4)
            at += 7
            item_hue = 0
            if self.version >= (7, 0, 33, 1) or item & 0x8000:
                (item_hue,) = struct.unpack_from(">H", packet, at)
                at += 2
            assert layer not in worn, f"two items on layer {layer}"
            item_id = item if self.version >= (7, 0, 33, 1) else item & 0x7FFF
            worn[layer] = (item_serial, item_id, item_hue)
        assert at + 4 == len(packet), "bytes behind the items"
        own = serial == self._me.serial
        if not own and not self._near(x, y):
            self._drop_out([serial])
            self.left_behind.add(serial)
            return
        seen = self._me if own else self.mobiles.get(serial)
        if seen is None:
            seen = self.mobiles[serial] = Seen(serial, body, x, y, z, direction & 7, hue, flags, notoriety)
            self.left_behind.discard(serial)
        elif not own:
            seen.x, seen.y, seen.z, seen.heading = x, y, z, direction & 7
        seen.body, seen.hue, seen.flags, seen.notoriety = body, hue, flags, notoriety
        self._dress(seen, worn)

    def _dress(self, seen: Seen, worn: dict[int, tuple[int, int, int]]) -> None:
        """Somebody wears this and nothing else."""
        kept = {item[0] for item in worn.values()}
        for serial, _, _ in list(seen.worn.values()):
            self._holders.take(serial)
            if serial not in kept:
                self._holders.lose(serial)
        for layer, item in worn.items():
            self._forget(item[0])
            self._holders.put_on(seen, layer, item)

    def _falls(self, packet: bytes) -> None:
        """0xAF: it knows the dead no more, and a corpse it has to know already (ClassicUO, DisplayDeath)."""
        serial, corpse, _ = struct.unpack_from(">III", packet, 1)
        assert serial != self._me.serial, "ClassicUO ignores the player's own death"
        if serial not in self.mobiles:
            return
        assert corpse == 0 or corpse in self.items or corpse in self.left_behind, "a corpse never seen"
        self.fallen.append((serial, corpse))
        self._drop_out([serial])

    def _dressed(self, packet: bytes) -> None:
        """0x89: all of it has to lie in the corpse."""
        (corpse,) = struct.unpack_from(">I", packet, 3)
        if corpse in self.left_behind:
            return
        worn: dict[int, int] = {}
        for at in range(7, len(packet) - 1, 5):
            layer, serial = struct.unpack_from(">BI", packet, at)
            assert serial in self.inside(corpse), "a corpse wears what is not in it"
            assert layer - 1 not in worn, f"two items on layer {layer - 1}"
            worn[layer - 1] = serial
        assert packet[-1] == 0
        assert len(packet) == 8 + 5 * len(worn)
        self.corpses[corpse] = worn

    def _bar(self, packet: bytes) -> None:
        serial, one, kind, value = struct.unpack_from(">IHHB", packet, 3)
        assert (len(packet), one, kind) == (12, 1, 1)
        assert self.version >= (7, 0, 0, 0), "it takes that for something else"
        seen = self._me if serial == self._me.serial else self.mobiles.get(serial)
        if seen is not None:
            seen.poisoned = value > 0

    def _moved(self, packet: bytes) -> None:
        serial, body, x, y, z, direction, hue, flags, notoriety = struct.unpack_from(">IHHHbBHBB", packet, 1)
        seen = self._me if serial == self._me.serial else self.mobiles.get(serial)
        if seen is None:
            return  # somebody it does not know: a real client ignores that, too
        seen.body, seen.hue, seen.flags, seen.notoriety = body, hue, flags, notoriety
        if seen is not self.player:
            seen.x, seen.y, seen.z, seen.heading = x, y, z, direction & 7
            if not self._near(x, y):
                self._drop_out([serial])
                self.left_behind.add(serial)

    def _removed(self, packet: bytes) -> None:
        serial = int.from_bytes(packet[1:5], "big")
        assert serial != self._me.serial, "the player itself is removed"
        self.left_behind.discard(serial)
        self._drop_out([serial])
        self._forget(serial)
        self._holders.lose(serial)

    def _wears(self, packet: bytes) -> None:
        serial, item, layer, mobile, hue = struct.unpack_from(">IHxBIH", packet, 1)
        self._forget(serial)
        seen = self._me if mobile == self._me.serial else self.mobiles.get(mobile)
        if seen is not None:
            self._holders.put_on(seen, layer, (serial, item, hue))
        else:
            self._holders.lose(serial)

    def _hits(self, packet: bytes) -> None:
        serial, most, now = struct.unpack_from(">IHH", packet, 1)
        self._note_bar(packet, "hits")
        seen = self._me if serial == self._me.serial else self.mobiles.get(serial)
        if seen is not None:
            seen.hits = (now, most)

    def _attributes(self, packet: bytes) -> None:
        for bar, at in (("hits", 5), ("mana", 9), ("stamina", 13)):
            self._note_bar(packet, bar, at)
        self._hits(packet)

    def _status(self, packet: bytes) -> None:
        serial, now, most, kind = struct.unpack_from(">I30xHHxB", packet, 3)
        assert len(packet) == {0: 43, 4: 88, 5: 91, 6: 121}[kind], packet.hex()
        self._named(packet)
        seen = self._me if serial == self._me.serial else self.mobiles.get(serial)
        if seen is not None:
            seen.hits = (now, most)

    # Items

    def _lies(self, packet: bytes) -> None:
        serial, item, amount, x, y, z, hue = struct.unpack_from(">4xIHxH2xHHbxH", packet, 0)
        self._lay(Lying(serial, item, amount, x, y, z, hue))

    def _lies_old(self, packet: bytes) -> None:
        at = 3

        def number(size: int) -> int:
            nonlocal at
            at += size
            return int.from_bytes(packet[at - size : at], "big")

        serial, item = number(4), number(2)
        amount = number(2) if serial & 0x80000000 else 1
        x, y = number(2), number(2)
        if x & 0x8000:
            number(1)
        z = number(1)
        hue = number(2) if y & 0x8000 else 0
        if y & 0x4000:
            number(1)
        assert at == len(packet), packet.hex()
        self._lay(Lying(serial & 0x7FFFFFFF, item, amount, x & 0x7FFF, y & 0x3FFF, z - (z >> 7 << 8), hue))

    def _lay(self, item: Lying) -> None:
        held = self.held
        if held is not None and held.serial == item.serial:
            if held.dropped:
                self.held = None
            else:
                held.updated = True
        self._forget(item.serial)
        if self._near(item.x, item.y):
            self.items[item.serial] = item
            self.left_behind.discard(item.serial)
        else:
            self.left_behind.add(item.serial)

    def _opens(self, packet: bytes) -> None:
        (serial,) = struct.unpack_from(">I", packet, 1)
        assert len(packet) == (9 if self.version >= (7, 0, 9, 0) else 7)
        if serial in self.left_behind:
            return
        if packet[5:7] == b"\0\x30":
            worn = self.mobiles[serial].worn
            assert {0x1A, 0x1B} <= set(worn), "ClassicUO looks into both, and breaks if one is missing"
            self.shop = serial
            return
        assert self.knows(serial), "a window of a container it has never seen"
        self._holders.lose(serial)
        self.opened.add(serial)

    def _contained(self, packet: bytes) -> None:
        self._put(packet, 1)

    def _content(self, packet: bytes) -> None:
        (count,) = struct.unpack_from(">H", packet, 3)
        size = 20 if self.version >= (6, 0, 1, 7) else 19
        assert len(packet) == 5 + size * count
        for at in range(5, len(packet), size):
            if at == 5:
                container = int.from_bytes(packet[at + size - 6 : at + size - 2], "big")
                was_open = container in self.opened
                self._holders.lose(container)
                if was_open:
                    self.opened.add(container)
            self._put(packet, at)

    def _put(self, packet: bytes, at: int) -> None:
        serial, item, amount = struct.unpack_from(">IHxH", packet, at)
        grid = 1 if self.version >= (6, 0, 1, 7) else 0
        (container,) = struct.unpack_from(">I", packet, at + 13 + grid)
        if self.held is not None and self.held.serial == serial and self.held.dropped:
            self.held = None
        if not self.knows(container):
            self.orphans.append(serial)
            return
        self._forget(serial)
        self._holders.lose(serial)
        self._holders.put_in(serial, item, amount, container)

    # The hand, as ClassicUO keeps it (Game/ItemHold.cs, Game/GameActions.cs, Network/PacketHandlers.cs)

    def _hold(self, serial: int, amount: int) -> None:
        """It lifts: what it does not know, or with something in its hand, it does not."""
        if (self.held is not None and not self.held.dropped) or not self.knows(serial):
            return
        held = Held(serial, amount, self.items.get(serial), self.pack.get(serial))
        worn = self._holders.wearer(serial)
        if worn is not None:
            seen, layer = worn
            held.wore = (seen.serial, layer, seen.worn[layer])
        self._forget(serial)
        self._holders.lose(serial)
        self.held = held

    def _let_go(self) -> None:
        if self.held is not None:
            self.held.dropped = True

    def _denied(self, packet: bytes) -> None:
        """0x27: what it holds, or has put down and not heard of since, is where it was."""
        self.refusals.append(packet[1])
        held = self.held
        if held is None or (held.dropped and self.knows(held.serial)):
            return
        self.held = None
        if held.updated:
            return
        if held.put is not None:
            if self.knows(held.put[2]):
                self._holders.put_in(held.serial, *held.put)
        elif held.wore is not None:
            mobile, layer, worn = held.wore
            seen = self._me if mobile == self._me.serial else self.mobiles.get(mobile)
            if seen is not None:
                self._holders.put_on(seen, layer, worn)
        elif held.lay is not None and self._near(held.lay.x, held.lay.y):
            self.items[held.serial] = held.lay

    def _released(self, packet: bytes) -> None:
        """0x28, 0x29: the hand is empty; where the item is now other packets say."""
        self.held = None

    @property
    def in_hand(self) -> int | None:
        """The serial of what it shows in its hand."""
        return self.held.serial if self.held is not None and not self.held.dropped else None

    def knows(self, serial: int) -> bool:
        """Whether it knows a thing: itself, in sight, worn, or in a container that it knows."""
        return (
            serial in self.items
            or serial in self.mobiles
            or serial in self._holders
            or serial == self._me.serial
        )

    def inside(self, container: int) -> dict[int, tuple[int, int]]:
        """What it believes to be right in a container: (item id, amount) by serial."""
        return {serial: self.pack[serial][:2] for serial in self._holders.inside(container)}

    def wares(self) -> dict[str, tuple[int, int]]:
        """Serial and price by name of what the open shop sells: it walks from the last to the first."""
        shelf = self.mobiles[self.shop].worn[0x1A][0]
        serials = reversed(self._holders.inside(shelf))
        rows = zip(serials, self.prices[shelf], strict=True)
        return {name: (serial, price) for serial, (price, name) in rows}

    def _forget(self, serial: int) -> None:
        """An item is nowhere it was."""
        self.items.pop(serial, None)
        self._holders.take(serial)
