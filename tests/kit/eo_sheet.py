"""What an Endless Online client knows of fights: its own numbers, and the bars over the heads of others.

It reckons as eoweb does (sorokya/eoweb: src/handlers/npc.ts, avatar.ts, recover.ts, stat-skill.ts): damage is
taken off its own hits before it is told how many are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eolib import (
    AttackPlayerServerPacket,
    AvatarReplyServerPacket,
    CharacterBaseStats,
    CharacterStatsUpdate,
    ItemAcceptServerPacket,
    NpcAcceptServerPacket,
    NpcPlayerServerPacket,
    NpcReplyServerPacket,
    NpcSpecServerPacket,
    Packet,
    PlayerKilledState,
    RecoverAgreeServerPacket,
    RecoverListServerPacket,
    RecoverPlayerServerPacket,
    RecoverReplyServerPacket,
    StatSkillPlayerServerPacket,
)

from tests.kit.eo_hall import Hall

if TYPE_CHECKING:
    from eolib.protocol.net.server import CharacterStatsWelcome


class Bar(NamedTuple):
    """What stood over a head last: how much was left, in percent, and the number beside it."""

    percent: int
    damage: int = 0
    healed: int = 0


class Sheet(Hall):
    """Its own numbers, and what it saw of fights."""

    def __init__(self) -> None:
        super().__init__()
        self.max_hp = 0
        self.experience = 0
        self.level = 0
        self.stat_points = 0
        self.attributes: CharacterBaseStats | None = None
        self.npc_bars: dict[int, Bar] = {}
        self.bars: dict[int, Bar] = {}
        """Over the heads of players, by player id."""
        self.swings: list[int] = []
        """Who swung, by player id."""
        self.kills: list[tuple[int, int, int]] = []
        """NPCs that fell: index, who killed them, and the experience that it was told of with that."""
        self.lies = False
        """Whether it was killed and waits to be warped."""
        self.cheers: list[int] = []
        """Who was seen to reach a level, by player id."""

    def _starts_with(self, stats: CharacterStatsWelcome, level: int, experience: int) -> None:
        """What it is told when a character is chosen."""
        self.hp, self.max_hp, self.stat_points = stats.hp, stats.max_hp, stats.stat_points
        self.level, self.experience = level, experience

    def _count(self, packet: Packet) -> None:
        match packet:
            case AttackPlayerServerPacket():
                assert packet.player_id in self.characters, "eoweb would ask for it"
                assert packet.player_id != self.player_id, "its own blow would be drawn twice"
                self.characters[packet.player_id].direction = packet.direction
                self.swings.append(packet.player_id)
            case NpcReplyServerPacket():
                assert (packet.kill_steal_protection is not None) == (packet.player_id == self.player_id)
                self.npc_bars[packet.npc_index] = Bar(packet.hp_percentage, packet.damage)
            case AvatarReplyServerPacket():
                self._hurts(packet.victim_id, packet.damage, packet.hp_percentage)
                if packet.dead:
                    self._falls(packet.victim_id)
            case NpcPlayerServerPacket():
                self._npcs_strike(packet)
            case RecoverAgreeServerPacket():
                self.bars[packet.player_id] = Bar(packet.hp_percentage, 0, packet.heal_hp)
            case ItemAcceptServerPacket():
                self.cheers.append(packet.player_id)
            case NpcSpecServerPacket() | NpcAcceptServerPacket():
                self._npc_falls(packet)
            case _:
                self._grow(packet)

    def _npcs_strike(self, packet: NpcPlayerServerPacket) -> None:
        for attack in packet.attacks:
            assert attack.npc_index in self.npcs, "eoweb would ask for it"
            self.npcs[attack.npc_index].direction = attack.direction
            self._hurts(attack.player_id, attack.damage, attack.hp_percentage)
            if attack.killed == PlayerKilledState.Killed:
                self._falls(attack.player_id)
        if packet.hp is not None:
            assert any(attack.player_id == self.player_id for attack in packet.attacks)
            assert packet.tp is not None
            self.hp = packet.hp

    def _falls(self, player_id: int) -> None:
        """It lies there itself until it is warped; others it draws until they have fallen, which takes a
        while: by then they were taken away, or are to be placed anew."""
        if player_id == self.player_id:
            self.lies = True

    def _hurts(self, player_id: int, damage: int, percent: int) -> None:
        if player_id == self.player_id:
            self.hp = max(0, self.hp - damage)
        self.bars[player_id] = Bar(percent, damage)

    def _npc_falls(self, packet: NpcSpecServerPacket | NpcAcceptServerPacket) -> None:
        data = packet.npc_killed_data
        self.npcs.pop(data.npc_index, None)
        self.npc_bars[data.npc_index] = Bar(0, data.damage)
        gained = 0
        if packet.experience is not None:
            gained, self.experience = packet.experience - self.experience, packet.experience
            assert gained > 0, "nobody is told of nothing"
        self.kills.append((data.npc_index, data.killer_id, gained))
        if isinstance(packet, NpcAcceptServerPacket) and packet.level_up is not None:
            rise = packet.level_up
            self.level, self.stat_points, self.max_hp = rise.level, rise.stat_points, rise.max_hp

    def _grow(self, packet: Packet) -> None:
        match packet:
            case RecoverPlayerServerPacket():
                self.hp = packet.hp
            case RecoverReplyServerPacket():
                self.experience = packet.experience
                if packet.level_up:
                    assert packet.stat_points is not None
                    self.level, self.stat_points = packet.level_up, packet.stat_points
            case RecoverListServerPacket():
                self._measure(packet.stats)
            case StatSkillPlayerServerPacket():
                self.stat_points = packet.stat_points
                self.max_weight = packet.stats.max_weight
                self._measure(packet.stats)

    def _measure(self, stats: CharacterStatsUpdate) -> None:
        self.max_hp, self.attributes = stats.max_hp, stats.base_stats
