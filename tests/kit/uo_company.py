"""What an Ultima Online client knows of its trade and of its party, as ClassicUO keeps it (PacketHandlers.cs,
SecureTrading and ExtendedCommand; PartyManager.cs)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import attrs

from tests.kit.uo_pages import Pages

if TYPE_CHECKING:
    from protocol.uo.versions import VersionNumber


@attrs.define
class TradeWindow:
    """An open window of a trade."""

    partner: int
    name: str
    own: int
    theirs: int
    agreed: tuple[bool, bool] = (False, False)
    """Whether its player does, and the partner."""
    ledger: int = 0
    """Gold that its player has."""
    typed: int = 0
    """Gold that its player has filled in."""
    gold: int = 0
    """Gold that the partner offers."""


class Company(Pages):
    """A client of a version, as far as others deal with its player."""

    def __init__(self, version: VersionNumber) -> None:
        super().__init__(version)
        self.trade: TradeWindow | None = None
        self.members: list[int] = []
        """Serials, the leader's first."""
        self.inviter = 0
        self.cursor: int | None = None
        """What it lets its player point with."""
        self.names: dict[int, str] = {}
        """Names that it was told, by serial."""
        self.bars: dict[int, dict[str, tuple[int, int]]] = {}
        """Bars of others: now and most of hits, mana and stamina."""
        self.on_map: dict[int, tuple[int, int, int]] = {}
        """Where the others of its party are: x, y, map."""

    def knows(self, serial: int) -> bool:
        """Whether it knows a thing."""
        raise NotImplementedError

    def _trades(self, packet: bytes) -> None:
        kind, own, first, second = struct.unpack(">BIII", packet[3:16].ljust(13, b"\0"))
        window = self.trade
        if kind == 0:
            assert len(packet) == 47
            assert packet[16] == 1, "a name follows"
            assert self.knows(first), "ClassicUO opens no window without its containers"
            assert self.knows(second)
            name = packet[17:47].partition(b"\0")[0].decode("latin-1")
            self.trade = TradeWindow(own, name, first, second)
        elif kind == 1:
            assert len(packet) == 8
            if window is not None and window.own == own:
                self.trade = None
        elif window is not None and window.own == own:
            assert len(packet) == 16
            assert kind == 2 or self.version >= (7, 0, 45, 65), "its window has no gold"
            if kind == 2:
                window.agreed = bool(first), bool(second)
            elif kind == 3:
                window.gold = first + second * 1_000_000_000
            else:
                window.ledger = first + second * 1_000_000_000

    def _party(self, packet: bytes) -> None:
        kind = packet[5]
        if kind == 7:
            assert len(packet) == 10
            self.inviter = int.from_bytes(packet[6:10], "big")
            return
        assert kind in (1, 2)
        count, at = packet[6], 7 if kind == 1 else 11
        assert len(packet) == at + 4 * count
        members = list(struct.unpack_from(f">{count}I", packet, at))
        if kind == 2:
            assert int.from_bytes(packet[7:11], "big") not in members, "ClassicUO would take it for all"
        self.inviter = 0
        self.members = members if count > 1 else []

    def _points(self, packet: bytes) -> None:
        assert packet[1] == 0
        self.cursor = int.from_bytes(packet[2:6], "big")

    def _maps(self, packet: bytes) -> None:
        if packet[3] == 1:
            rows = [struct.unpack_from(">IHHB", packet, at) for at in range(4, len(packet) - 4, 9)]
            assert packet[-4:] == bytes(4)
            assert len(packet) == 8 + 9 * len(rows)
            self.on_map = {serial: (x, y, number) for serial, x, y, number in rows}

    def _named(self, packet: bytes) -> None:
        serial = int.from_bytes(packet[3:7], "big")
        self.names[serial] = packet[7:37].partition(b"\0")[0].decode("latin-1")

    def _note_bar(self, packet: bytes, bar: str, at: int = 5) -> None:
        serial = int.from_bytes(packet[1:5], "big")
        most, now = struct.unpack_from(">HH", packet, at)
        self.bars.setdefault(serial, {})[bar] = now, most

    def _mana(self, packet: bytes) -> None:
        self._note_bar(packet, "mana")

    def _stamina(self, packet: bytes) -> None:
        self._note_bar(packet, "stamina")
