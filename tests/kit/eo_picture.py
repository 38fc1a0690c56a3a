"""What an Endless Online client owns, and its picture of its surroundings.

It counts as eoweb does (sorokya/eoweb: src/handlers/item.ts, paperdoll.ts), and fails where eoweb would
silently do nothing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import attrs
from eolib import (
    AvatarAgreeServerPacket,
    AvatarChange,
    AvatarRemoveServerPacket,
    BankOpenServerPacket,
    BankReplyServerPacket,
    ChairCloseServerPacket,
    ChairPlayerServerPacket,
    ChairRemoveServerPacket,
    CharacterMapInfo,
    ChestAgreeServerPacket,
    ChestCloseServerPacket,
    ChestGetServerPacket,
    ChestOpenServerPacket,
    ChestReplyServerPacket,
    Coords,
    Direction,
    Eif,
    EifRecord,
    EoReader,
    EquipmentChange,
    EquipmentMapInfo,
    EquipmentWelcome,
    FacePlayerServerPacket,
    InitReply,
    ItemAddServerPacket,
    ItemDropServerPacket,
    ItemGetServerPacket,
    ItemJunkServerPacket,
    ItemKickServerPacket,
    ItemObtainServerPacket,
    ItemRemoveServerPacket,
    ItemReplyServerPacket,
    ItemType,
    LockerGetServerPacket,
    LockerOpenServerPacket,
    LockerReplyServerPacket,
    NearbyInfo,
    NpcAgreeServerPacket,
    NpcPlayerServerPacket,
    Packet,
    PaperdollAgreeServerPacket,
    PaperdollRemoveServerPacket,
    PlayersAgreeServerPacket,
    RangeReplyServerPacket,
    RecoverListServerPacket,
    RefreshReplyServerPacket,
    ShopBuyServerPacket,
    ShopOpenServerPacket,
    ShopSellServerPacket,
    SitCloseServerPacket,
    SitPlayerServerPacket,
    SitRemoveServerPacket,
    WalkPlayerServerPacket,
)

from tests.kit.eo_peer import EolibPeer

SLOTS: Final = {
    ItemType.Boots: 0,
    ItemType.Accessory: 1,
    ItemType.Gloves: 2,
    ItemType.Belt: 3,
    ItemType.Armor: 4,
    ItemType.Necklace: 5,
    ItemType.Hat: 6,
    ItemType.Shield: 7,
    ItemType.Weapon: 8,
    ItemType.Ring: 9,
    ItemType.Armlet: 11,
    ItemType.Bracer: 13,
}
"""Places on the body by what is worn there; the last three have two each (sorokya/eoweb:
src/equipment.ts)."""

GOLD: Final = 1
"""Item id of gold in this game's own files."""

_PAIRS: Final = frozenset({ItemType.Ring, ItemType.Armlet, ItemType.Bracer})


class Lying(NamedTuple):
    """Something on the ground."""

    id: int
    amount: int
    x: int
    y: int


class Dolls(NamedTuple):
    """The pictures of what somebody wears; 0: nothing."""

    boots: int = 0
    armor: int = 0
    hat: int = 0
    shield: int = 0
    weapon: int = 0


NAKED: Final = Dolls()


@attrs.define
class Drawn:
    """One figure on the screen."""

    x: int
    y: int
    direction: Direction
    info: CharacterMapInfo | None = None
    sitting: int = 0
    dolls: Dolls = NAKED


class Picture(EolibPeer):
    """What a client owns, and who and what is around it."""

    def __init__(self) -> None:
        super().__init__()
        self.player_id = 0
        self.files: dict[InitReply, bytes] = {}
        self.hp = 0
        self.characters: dict[int, Drawn] = {}
        self.npcs: dict[int, Drawn] = {}
        self.items: dict[int, Lying] = {}
        """What lies around, by its number on the ground."""
        self.inventory: dict[int, int] = {}
        """Amounts by item id."""
        self.equipment: dict[int, int] = {}
        """Item ids by place on the body, see `SLOTS`."""
        self.weight = 0
        self.max_weight = 0
        self.counter = 0
        """Session id of the shop or bank that is open."""
        self.shop: ShopOpenServerPacket | None = None
        self.banked = 0
        """Gold in the bank."""
        self.locker: dict[int, int] = {}
        """Amounts in the vault by item id."""
        self.chest_at: Coords | None = None
        """Where the chest stands whose window is open."""
        self.chest: dict[int, int] = {}
        """Amounts in it by item id."""
        self._records: list[EifRecord] = []

    @property
    def me(self) -> Drawn:
        """Its own figure."""
        return self.characters[self.player_id]

    # What it owns

    def record(self, item_id: int) -> EifRecord:
        """What the item file says of a kind."""
        if not self._records:
            reader = EoReader(self.files[InitReply.FileEif])
            self._records = list(Eif.deserialize(reader).items)
        return self._records[item_id - 1]

    def slot_of(self, item_id: int, sub_loc: int) -> int:
        """Where something is worn."""
        kind = self.record(item_id).type
        return SLOTS[kind] + (sub_loc if kind in _PAIRS else 0)

    def _wear_all(self, equipment: EquipmentWelcome) -> None:
        worn = {
            ItemType.Boots: (equipment.boots,),
            ItemType.Accessory: (equipment.accessory,),
            ItemType.Gloves: (equipment.gloves,),
            ItemType.Belt: (equipment.belt,),
            ItemType.Armor: (equipment.armor,),
            ItemType.Necklace: (equipment.necklace,),
            ItemType.Hat: (equipment.hat,),
            ItemType.Shield: (equipment.shield,),
            ItemType.Weapon: (equipment.weapon,),
            ItemType.Ring: equipment.ring,
            ItemType.Armlet: equipment.armlet,
            ItemType.Bracer: equipment.bracer,
        }
        self.equipment = {
            SLOTS[kind] + number: item_id
            for kind, ids in worn.items()
            for number, item_id in enumerate(ids)
            if item_id
        }

    def _own(self, packet: Packet) -> bool:
        """Count what comes and goes; False if the packet is about something else."""
        match packet:
            case ItemGetServerPacket():
                self.items.pop(packet.taken_item_index, None)
                self._set(packet.taken_item.id, self._owned(packet.taken_item.id) + packet.taken_item.amount)
                self.weight, self.max_weight = packet.weight.current, packet.weight.max
            case ItemDropServerPacket():
                dropped, place = packet.dropped_item, packet.coords
                assert packet.item_index not in self.items, "eoweb would draw it twice"
                self.items[packet.item_index] = Lying(dropped.id, dropped.amount, place.x, place.y)
                self._set(dropped.id, packet.remaining_amount)
                self.weight, self.max_weight = packet.weight.current, packet.weight.max
            case ItemJunkServerPacket():
                self._set(packet.junked_item.id, packet.remaining_amount)
                self.weight = packet.weight.current
            case ItemReplyServerPacket():
                self._set(packet.used_item.id, packet.used_item.amount)
                self.weight, self.max_weight = packet.weight.current, packet.weight.max
                data = packet.item_type_data
                if isinstance(data, ItemReplyServerPacket.ItemTypeDataHeal):
                    self.hp = data.hp
            case ItemObtainServerPacket():
                self._set(packet.item.id, self._owned(packet.item.id) + packet.item.amount)
                self.weight = packet.current_weight
            case ItemKickServerPacket():
                self._set(packet.item.id, packet.item.amount)
                self.weight = packet.current_weight
            case PaperdollAgreeServerPacket():
                slot = self.slot_of(packet.item_id, packet.sub_loc)
                assert slot not in self.equipment, "eoweb would ignore it"
                # Some clients take one away, others believe the amount that comes along.
                assert packet.remaining_amount == self._owned(packet.item_id) - 1
                self._set(packet.item_id, packet.remaining_amount)
                self.equipment[slot] = packet.item_id
            case PaperdollRemoveServerPacket():
                slot = self.slot_of(packet.item_id, packet.sub_loc)
                assert self.equipment.pop(slot, 0) == packet.item_id, "eoweb would ignore it"
                self._set(packet.item_id, self._owned(packet.item_id) + 1)
            case RecoverListServerPacket():
                self.max_weight = packet.stats.max_weight
            case _:
                return self._deals(packet)
        return True

    def _deals(self, packet: Packet) -> bool:
        """Count what is bought, sold, put into the bank and taken out of it (eoserv: src/handlers/Shop.cpp,
        Bank.cpp, Locker.cpp; sorokya/eoweb: src/handlers/shop.ts, bank.ts, locker.ts)."""
        match packet:
            case ShopOpenServerPacket():
                self.shop, self.counter = packet, packet.session_id
            case BankOpenServerPacket():
                self.banked, self.counter = packet.gold_bank, packet.session_id
            case ShopBuyServerPacket():
                self._set(GOLD, packet.gold_amount)
                self._set(
                    packet.bought_item.id, self._owned(packet.bought_item.id) + packet.bought_item.amount
                )
            case ShopSellServerPacket():
                self._set(packet.sold_item.id, packet.sold_item.amount)
                self._set(GOLD, packet.gold_amount)
            case BankReplyServerPacket():
                self._set(GOLD, packet.gold_inventory)
                self.banked = packet.gold_bank
            case LockerReplyServerPacket():
                self._set(packet.deposited_item.id, packet.deposited_item.amount)
            case LockerGetServerPacket():
                self._set(packet.taken_item.id, self._owned(packet.taken_item.id) + packet.taken_item.amount)
            case LockerOpenServerPacket():
                pass
            case _:
                return self._chest(packet)
        if isinstance(packet, LockerOpenServerPacket | LockerReplyServerPacket | LockerGetServerPacket):
            self.locker = {thing.id: thing.amount for thing in packet.locker_items}
            assert len(self.locker) == len(packet.locker_items), "eoweb would draw it twice"
        weight = getattr(packet, "weight", None)
        if weight is not None:
            self.weight, self.max_weight = weight.current, weight.max
        return True

    def _chest(self, packet: Packet) -> bool:
        """Count what is taken out of a chest and put in, and what its window shows (sorokya/eoweb:
        src/handlers/chest.ts; ethanmoffat/EndlessClient: EOLib/PacketHandlers/Chest)."""
        match packet:
            case ChestOpenServerPacket():
                self.chest_at = packet.coords
            case ChestReplyServerPacket():
                self._set(packet.added_item_id, packet.remaining_amount)
            case ChestGetServerPacket():
                self._set(packet.taken_item.id, self._owned(packet.taken_item.id) + packet.taken_item.amount)
            case ChestAgreeServerPacket():
                pass
            case ChestCloseServerPacket():
                self.chest_at = None
                return True
            case _:
                return False
        if self.chest_at is not None:
            self.chest = {thing.id: thing.amount for thing in packet.items}
            assert len(self.chest) == len(packet.items), "it would be drawn twice"
        if isinstance(packet, ChestReplyServerPacket | ChestGetServerPacket):
            self.weight, self.max_weight = packet.weight.current, packet.weight.max
        return True

    def _owned(self, item_id: int) -> int:
        return self.inventory.get(item_id, 0)

    def _set(self, item_id: int, amount: int) -> None:
        self.record(item_id)
        if amount:
            self.inventory[item_id] = amount
        else:
            self.inventory.pop(item_id, None)

    # Its picture of the world

    def _place_all(self, nearby: NearbyInfo) -> None:
        """Instead of everything that was drawn before."""
        self.characters.clear()
        self.npcs.clear()
        self.items.clear()
        self._place(nearby)

    def _place(self, nearby: NearbyInfo) -> None:
        for character in nearby.characters:
            assert character.byte_size >= 42, "the official client would skip it"
            self.characters[character.player_id] = Drawn(
                character.coords.x,
                character.coords.y,
                character.direction,
                character,
                int(character.sit_state),
                _dolls(character.equipment),
            )
        for npc in nearby.npcs:
            self.npcs[npc.index] = Drawn(npc.coords.x, npc.coords.y, npc.direction)
        for item in nearby.items:
            self.items[item.uid] = Lying(item.id, item.amount, item.coords.x, item.coords.y)

    def _draw(self, packet: Packet) -> None:
        match packet:
            case PlayersAgreeServerPacket() | RangeReplyServerPacket():
                self._place(packet.nearby)
            case RefreshReplyServerPacket():
                self._place_all(packet.nearby)
            case NpcAgreeServerPacket():
                for npc in packet.npcs:
                    self.npcs[npc.index] = Drawn(npc.coords.x, npc.coords.y, npc.direction)
            case ItemAddServerPacket():
                self.items[packet.item_index] = Lying(
                    packet.item_id, packet.item_amount, packet.coords.x, packet.coords.y
                )
            case ItemRemoveServerPacket():
                self.items.pop(packet.item_index, None)
            case AvatarRemoveServerPacket():
                self.characters.pop(packet.player_id, None)
            case NpcPlayerServerPacket():
                for position in packet.positions:
                    if (position.coords.x, position.coords.y) == (252, 252):
                        # A client forgets what is that far off.
                        self.npcs.pop(position.npc_index)
                        continue
                    # eoweb would ask for an unknown one; a server that is right never makes it.
                    figure = self.npcs[position.npc_index]
                    figure.x, figure.y = position.coords.x, position.coords.y
                    figure.direction = position.direction
            case WalkPlayerServerPacket():
                self._put(packet.player_id, packet.coords, packet.direction)
            case FacePlayerServerPacket():
                self.characters[packet.player_id].direction = packet.direction
            case SitPlayerServerPacket() | ChairPlayerServerPacket():
                self._put(packet.player_id, packet.coords, packet.direction)
                self.characters[packet.player_id].sitting = (
                    2 if isinstance(packet, SitPlayerServerPacket) else 1
                )
            case (
                SitCloseServerPacket()
                | SitRemoveServerPacket()
                | ChairCloseServerPacket()
                | ChairRemoveServerPacket()
            ):
                self._put(packet.player_id, packet.coords, None)
                self.characters[packet.player_id].sitting = 0
            case AvatarAgreeServerPacket():
                assert isinstance(packet.change, AvatarChange)
                assert packet.change.player_id in self.characters
                clothes = packet.change.change_type_data
                if isinstance(clothes, AvatarChange.ChangeTypeDataEquipment):
                    self.characters[packet.change.player_id].dolls = _dolls(clothes.equipment)

    def _put(self, number: int, place: Coords, direction: Direction | None) -> None:
        drawn = self.characters[number]
        drawn.x, drawn.y = place.x, place.y
        if direction is not None:
            drawn.direction = direction


def _dolls(worn: EquipmentMapInfo | EquipmentChange) -> Dolls:
    return Dolls(worn.boots, worn.armor, worn.hat, worn.shield, worn.weapon)
