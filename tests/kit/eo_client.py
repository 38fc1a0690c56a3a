"""An Endless Online client for tests, made of eolib alone and without I/O.

Methods return the bytes that the client sends; `feed` takes the server's and returns its packets. Every
packet is read strictly: written again by eolib it must give the very bytes that came. Like a real client it
answers pings and warps by itself (`answers`), it draws a picture of its surroundings (`characters`, `npcs`,
`items`), and it counts what it owns (`inventory`, `equipment`, `weight`), so that a test can hold all of that
against the world. It counts as eoweb does (sorokya/eoweb: src/handlers/item.ts, paperdoll.ts), and fails
where eoweb would silently do nothing.
"""

from __future__ import annotations

import inspect
from typing import Final, TypeVar

from eolib import (
    AccountCreateClientPacket,
    AccountReplySequenceStart,
    AccountReplyServerPacket,
    AccountRequestClientPacket,
    AttackUseClientPacket,
    ByteCoords,
    ChairRequestClientPacket,
    CharacterCreateClientPacket,
    CharacterReplyServerPacket,
    CharacterRequestClientPacket,
    CharacterSelectionListEntry,
    ChestAddClientPacket,
    ChestCloseServerPacket,
    ChestOpenClientPacket,
    ChestTakeClientPacket,
    ConnectionAcceptClientPacket,
    ConnectionPingClientPacket,
    ConnectionPlayerServerPacket,
    Coords,
    DialogReply,
    Direction,
    FacePlayerClientPacket,
    FileType,
    Gender,
    InitInitClientPacket,
    InitInitServerPacket,
    Item,
    ItemDropClientPacket,
    ItemGetClientPacket,
    ItemJunkClientPacket,
    LoginReplyServerPacket,
    LoginRequestClientPacket,
    Packet,
    PaperdollAddClientPacket,
    PaperdollRemoveClientPacket,
    PaperdollRequestClientPacket,
    QuestAcceptClientPacket,
    QuestDialogServerPacket,
    QuestUseClientPacket,
    RangeRequestClientPacket,
    RefreshRequestClientPacket,
    SitAction,
    SitRequestClientPacket,
    StatId,
    StatSkillAddClientPacket,
    TalkMsgClientPacket,
    TalkReportClientPacket,
    TalkTellClientPacket,
    ThreeItem,
    TrainType,
    Version,
    WalkAction,
    WalkPlayerClientPacket,
    WalkReplyServerPacket,
    WarpAcceptClientPacket,
    WarpAgreeServerPacket,
    WarpRequestServerPacket,
    WarpTakeClientPacket,
    WelcomeAgreeClientPacket,
    WelcomeCode,
    WelcomeMsgClientPacket,
    WelcomeReplyServerPacket,
    WelcomeRequestClientPacket,
    server_verification_hash,
)
from eolib.protocol.net import server
from eolib.protocol.pub import ItemSubtype

from tests.kit.eo_peer import eolib_bytes, eolib_read
from tests.kit.eo_sheet import Sheet

P = TypeVar("P", bound=Packet)

HDID: Final = "1234567890"
STEP: Final = 48
"""Centiseconds between two steps of a real client."""
OFFSETS: Final = {
    Direction.Down: (0, 1),
    Direction.Left: (-1, 0),
    Direction.Up: (0, -1),
    Direction.Right: (1, 0),
}

_SERVER_PACKETS: Final = {
    (int(cls.family()), int(cls.action())): cls
    for cls in vars(server).values()
    if inspect.isclass(cls) and issubclass(cls, Packet) and cls is not Packet
}


SHIELD, WEAPON = 7, 8
"""Places on the body."""

OWN_TILE: Final = (255, 255)
"""As a place to drop something: where one stands."""


class EoClient(Sheet):
    """One client. State is public: tests look at it."""

    def __init__(self) -> None:
        super().__init__()
        self.received: list[Packet] = []
        self.session_id = 0
        self.challenge = 123_456
        self.menu: tuple[CharacterSelectionListEntry, ...] = ()
        self.selected: WelcomeReplyServerPacket.WelcomeCodeDataSelectCharacter | None = None
        self.map_id = 0
        self.dialog: QuestDialogServerPacket | None = None
        self.warp: WarpRequestServerPacket | None = None
        self.clock = 0
        self.mute = False
        """Keeps its answers to itself until it may speak again."""
        self._answers = bytearray()
        self._held: list[Packet] = []

    # What it sends

    def bytes_of(self, packet: Packet) -> bytes:
        """The frame of any packet, numbered as the next one."""
        return self.frame(packet)

    def init(self, *, version: tuple[int, int, int] = (0, 0, 28)) -> bytes:
        """Init_Init."""
        major, minor, patch = version
        packet = InitInitClientPacket(
            challenge=self.challenge,
            version=Version(major=major, minor=minor, patch=patch),
            hdid=HDID,
        )
        return self.frame(packet)

    def accept(self) -> bytes:
        """Connection_Accept."""
        return self.frame(
            ConnectionAcceptClientPacket(
                client_encryption_multiple=self.client_multiple,
                server_encryption_multiple=self.server_multiple,
                player_id=self.player_id,
            )
        )

    def request_account(self, name: str) -> bytes:
        """Account_Request."""
        return self.frame(AccountRequestClientPacket(username=name))

    def create_account(self, name: str, password: str) -> bytes:
        """Account_Create, after Account_Reply allowed it."""
        return self.frame(
            AccountCreateClientPacket(
                session_id=self.session_id,
                username=name,
                password=password,
                full_name="Test Person",
                location="Here",
                email="person@example.com",
                computer="COMPUTER",
                hdid=HDID,
            )
        )

    def login(self, name: str, password: str) -> bytes:
        """Login_Request."""
        return self.frame(LoginRequestClientPacket(username=name, password=password))

    def request_character(self) -> bytes:
        """Character_Request."""
        return self.frame(CharacterRequestClientPacket(request_string="NEW"))

    def create_character(
        self, name: str, *, gender: Gender = Gender.Male, hair: int = 3, colour: int = 2, skin: int = 1
    ) -> bytes:
        """Character_Create, after Character_Reply allowed it."""
        return self.frame(
            CharacterCreateClientPacket(
                session_id=self.session_id,
                gender=gender,
                hair_style=hair,
                hair_color=colour,
                skin=skin,
                name=name,
            )
        )

    def select(self, character_id: int) -> bytes:
        """Welcome_Request."""
        return self.frame(WelcomeRequestClientPacket(character_id=character_id))

    def download_all(self) -> bytes:
        """Welcome_Agree for every file, as a client that has none."""
        assert self.selected is not None
        wanted: dict[FileType, WelcomeAgreeClientPacket.FileTypeData] = {
            FileType.Emf: WelcomeAgreeClientPacket.FileTypeDataEmf(file_id=self.selected.map_id),
            FileType.Eif: WelcomeAgreeClientPacket.FileTypeDataEif(file_id=1),
            FileType.Enf: WelcomeAgreeClientPacket.FileTypeDataEnf(file_id=1),
            FileType.Esf: WelcomeAgreeClientPacket.FileTypeDataEsf(file_id=1),
            FileType.Ecf: WelcomeAgreeClientPacket.FileTypeDataEcf(file_id=1),
        }
        return b"".join(
            self.frame(
                WelcomeAgreeClientPacket(file_type=kind, session_id=self.session_id, file_type_data=data)
            )
            for kind, data in wanted.items()
        )

    def enter(self) -> bytes:
        """Welcome_Msg."""
        assert self.selected is not None
        return self.frame(
            WelcomeMsgClientPacket(session_id=self.session_id, character_id=self.selected.character_id)
        )

    def walk(self, direction: Direction) -> bytes:
        """Walk_Player, one step from where the client believes to be; it believes to be there at once."""
        me = self.me
        dx, dy = OFFSETS[direction]
        me.x, me.y, me.direction = me.x + dx, me.y + dy, direction
        self.clock += STEP
        action = WalkAction(direction=direction, timestamp=self.clock, coords=Coords(x=me.x, y=me.y))
        return self.frame(WalkPlayerClientPacket(walk_action=action))

    def face(self, direction: Direction) -> bytes:
        """Face_Player."""
        self.me.direction = direction
        return self.frame(FacePlayerClientPacket(direction=direction))

    def sit(self) -> bytes:
        """Sit_Request: down."""
        cursor = SitRequestClientPacket.SitActionDataSit(cursor_coords=Coords(x=1, y=1))
        return self.frame(SitRequestClientPacket(sit_action=SitAction.Sit, sit_action_data=cursor))

    def stand(self) -> bytes:
        """Sit_Request: up."""
        return self.frame(SitRequestClientPacket(sit_action=SitAction.Stand))

    def sit_on(self, x: int, y: int) -> bytes:
        """Chair_Request: on a chair."""
        seat = ChairRequestClientPacket.SitActionDataSit(coords=Coords(x=x, y=y))
        return self.frame(ChairRequestClientPacket(sit_action=SitAction.Sit, sit_action_data=seat))

    def rise(self) -> bytes:
        """Chair_Request: up from a chair."""
        return self.frame(ChairRequestClientPacket(sit_action=SitAction.Stand))

    def attack(self, direction: Direction) -> bytes:
        """Attack_Use; nothing without arrows for a bow (eoweb: keyboard-controller)."""
        if self.lacks_arrows():
            return b""
        self.clock += STEP
        return self.frame(AttackUseClientPacket(direction=direction, timestamp=self.clock))

    def lacks_arrows(self) -> bool:
        """Whether it has a bow in its hand, and no arrows where others have a shield."""
        weapon, shield = (self.equipment.get(slot, 0) for slot in (WEAPON, SHIELD))
        if not weapon or self.record(weapon).subtype != ItemSubtype.Ranged:
            return False
        return not shield or self.record(shield).subtype != ItemSubtype.Arrows

    def spend_point(self, stat: StatId) -> bytes:
        """StatSkill_Add: a click on an arrow of the sheet."""
        wanted = StatSkillAddClientPacket.ActionTypeDataStat(stat_id=stat)
        return self.frame(StatSkillAddClientPacket(action_type=TrainType.Stat, action_type_data=wanted))

    def say(self, text: str) -> bytes:
        """Talk_Report."""
        return self.frame(TalkReportClientPacket(message=text))

    def say_to_all(self, text: str) -> bytes:
        """Talk_Msg."""
        return self.frame(TalkMsgClientPacket(message=text))

    def tell(self, name: str, text: str) -> bytes:
        """Talk_Tell."""
        return self.frame(TalkTellClientPacket(name=name, message=text))

    def refresh(self) -> bytes:
        """Refresh_Request."""
        return self.frame(RefreshRequestClientPacket())  # type: ignore[no-untyped-call] # eolib leaves it bare

    def click(self, npc_index: int) -> bytes:
        """Quest_Use on an NPC."""
        return self.frame(QuestUseClientPacket(npc_index=npc_index, quest_id=0))

    def answer(self, label: str) -> bytes:
        """Quest_Accept: the link with that label of the open dialog."""
        dialog = self.dialog
        assert dialog is not None
        links = {entry.line: entry.entry_type_data for entry in dialog.dialog_entries}
        link = links[label]
        assert link is not None
        return self.frame(
            QuestAcceptClientPacket(
                session_id=dialog.session_id,
                dialog_id=dialog.dialog_id,
                quest_id=dialog.quest_id,
                npc_index=0,
                reply_type=DialogReply.Link,
                reply_type_data=QuestAcceptClientPacket.ReplyTypeDataLink(action=link.link_id),
            )
        )

    def deal(self, kind: type[Packet], **fields: object) -> bytes:
        """A packet of the shop or bank that is open, with its session id."""
        return self.frame(kind(session_id=self.counter, **fields))  # type: ignore[call-arg] # not in the base

    def open_chest(self, x: int, y: int) -> bytes:
        """Chest_Open: a click on the tile of a chest."""
        return self.frame(ChestOpenClientPacket(coords=Coords(x=x, y=y)))

    def take_out(self, item_id: int, *, at: tuple[int, int] | None = None) -> bytes:
        """Chest_Take: all of a kind, out of the chest that is open or one elsewhere."""
        return self.frame(ChestTakeClientPacket(coords=self._chest_coords(at), take_item_id=item_id))

    def put_in(self, item_id: int, amount: int, *, at: tuple[int, int] | None = None) -> bytes:
        """Chest_Add: so many of a kind."""
        item = ThreeItem(id=item_id, amount=amount)
        return self.frame(ChestAddClientPacket(coords=self._chest_coords(at), add_item=item))

    def _chest_coords(self, at: tuple[int, int] | None) -> Coords:
        place = self.chest_at if at is None else Coords(x=at[0], y=at[1])
        assert place is not None, "no chest is open"
        return place

    def pick_up(self, item_index: int) -> bytes:
        """Item_Get: something that lies near."""
        return self.frame(ItemGetClientPacket(item_index=item_index))

    def drop(self, item_id: int, amount: int, x: int = OWN_TILE[0], y: int = OWN_TILE[1]) -> bytes:
        """Item_Drop: on a tile, or where it stands."""
        # Plain bytes instead of EO numbers, which eoweb makes of numbers by itself.
        place = ByteCoords(x=255, y=255) if (x, y) == OWN_TILE else ByteCoords(x=x + 1, y=y + 1)
        return self.frame(ItemDropClientPacket(item=ThreeItem(id=item_id, amount=amount), coords=place))

    def junk(self, item_id: int, amount: int) -> bytes:
        """Item_Junk."""
        return self.frame(ItemJunkClientPacket(item=Item(id=item_id, amount=amount)))

    def put_on(self, item_id: int, sub_loc: int = 0) -> bytes:
        """Paperdoll_Add."""
        return self.frame(PaperdollAddClientPacket(item_id=item_id, sub_loc=sub_loc))

    def take_off(self, item_id: int, sub_loc: int = 0) -> bytes:
        """Paperdoll_Remove."""
        return self.frame(PaperdollRemoveClientPacket(item_id=item_id, sub_loc=sub_loc))

    def paperdoll(self, player_id: int) -> bytes:
        """Paperdoll_Request."""
        return self.frame(PaperdollRequestClientPacket(player_id=player_id))

    def answers(self) -> bytes:
        """What the client says by itself: answers to pings and warps."""
        if self.mute:
            return b""
        held, self._held = self._held, []
        data = bytes(self._answers) + b"".join(self.frame(packet) for packet in held)
        self._answers.clear()
        return data

    def _answer(self, packet: Packet) -> None:
        """Number an answer the moment the question comes, as a real client does: a ping changes the
        numbers."""
        if self.mute:
            self._held.append(packet)
        else:
            self._answers += self.frame(packet)

    # What it receives

    def feed(self, data: bytes) -> list[Packet]:
        """The packets that are complete now. Fails on any byte that eolib would not have written."""
        packets = []
        for frame in self.take(data):
            packet = eolib_read(_SERVER_PACKETS[frame[1], frame[0]], frame)
            # Where no key follows, eolib's own reader takes the N that stands there for one.
            unread = isinstance(packet, ChestCloseServerPacket) and packet.byte_size == 1
            assert unread or eolib_bytes(packet) == frame, f"{packet!r} came as {frame.hex()}"
            packets.append(packet)
            self._take_in(packet)
        self.received += packets
        return packets

    def last(self, kind: type[P]) -> P:
        """The newest packet of a kind."""
        return next(packet for packet in reversed(self.received) if isinstance(packet, kind))

    def _take_in(self, packet: Packet) -> None:
        self._count(packet)
        match packet:
            case InitInitServerPacket():
                self._init(packet)
            case ConnectionPlayerServerPacket():
                self.pinged(packet.seq1, packet.seq2)
                self._answer(ConnectionPingClientPacket())  # type: ignore[no-untyped-call]
            case AccountReplyServerPacket():
                data = packet.reply_code_data
                if isinstance(data, AccountReplyServerPacket.ReplyCodeDataDefault):
                    self.session_id = int(packet.reply_code)
                    self.sequencer.set_sequence_start(
                        AccountReplySequenceStart.from_value(data.sequence_start)
                    )
            case LoginReplyServerPacket(reply_code_data=LoginReplyServerPacket.ReplyCodeDataOk() as ok):
                self.menu = tuple(ok.characters)
            case CharacterReplyServerPacket():
                self._character_reply(packet)
            case WelcomeReplyServerPacket():
                self._welcome(packet)
                self._enlist(packet)
            case WarpRequestServerPacket() | WarpAgreeServerPacket():
                self._warp(packet)
            case QuestDialogServerPacket():
                self.dialog = packet
            case WalkReplyServerPacket():
                # As eoweb, which always asks, even for nothing.
                self._answer(RangeRequestClientPacket(player_ids=[], npc_indexes=[]))
            case _:
                if not self._own(packet):
                    self._draw(packet)

    def _init(self, packet: InitInitServerPacket) -> None:
        data = packet.reply_code_data
        if isinstance(data, InitInitServerPacket.ReplyCodeDataOk):
            assert data.challenge_response == server_verification_hash(self.challenge)
            self.begin(data.seq1, data.seq2, data.server_encryption_multiple, data.client_encryption_multiple)
            self.player_id = data.player_id
        elif isinstance(data, InitInitServerPacket.ReplyCodeDataWarpMap):
            self.files[packet.reply_code] = bytes(data.map_file.content)
            self._accept_warp()
        elif isinstance(data, InitInitServerPacket.ReplyCodeDataFileEmf):
            self.files[packet.reply_code] = bytes(data.map_file.content)
        elif isinstance(
            data,
            InitInitServerPacket.ReplyCodeDataFileEif
            | InitInitServerPacket.ReplyCodeDataFileEnf
            | InitInitServerPacket.ReplyCodeDataFileEsf
            | InitInitServerPacket.ReplyCodeDataFileEcf,
        ):
            self.files[packet.reply_code] = bytes(data.pub_file.content)

    def _character_reply(self, packet: CharacterReplyServerPacket) -> None:
        data = packet.reply_code_data
        if isinstance(data, CharacterReplyServerPacket.ReplyCodeDataDefault):
            self.session_id = int(packet.reply_code)
        elif isinstance(
            data,
            CharacterReplyServerPacket.ReplyCodeDataOk | CharacterReplyServerPacket.ReplyCodeDataDeleted,
        ):
            self.menu = tuple(data.characters)

    def _welcome(self, packet: WelcomeReplyServerPacket) -> None:
        data = packet.welcome_code_data
        if isinstance(data, WelcomeReplyServerPacket.WelcomeCodeDataSelectCharacter):
            self.selected = data
            self.session_id = data.session_id
            self.map_id = data.map_id
            self._starts_with(data.stats, data.level, data.experience)
            self._wear_all(data.equipment)
        elif packet.welcome_code == WelcomeCode.EnterGame and data is not None:
            self.inventory = {item.id: item.amount for item in data.items}
            self.weight, self.max_weight = data.weight.current, data.weight.max
            self._place_all(data.nearby)

    def _warp(self, packet: WarpRequestServerPacket | WarpAgreeServerPacket) -> None:
        if isinstance(packet, WarpAgreeServerPacket):
            self.lies = False
            if isinstance(packet.warp_type_data, WarpAgreeServerPacket.WarpTypeDataMapSwitch):
                self.map_id = packet.warp_type_data.map_id
            self.warp = None
            self._place_all(packet.nearby)
            return
        self.warp = packet
        if packet.warp_type_data is None:
            self._accept_warp()
        else:
            self._answer(WarpTakeClientPacket(map_id=packet.map_id, session_id=packet.session_id))

    def _accept_warp(self) -> None:
        assert self.warp is not None
        self._answer(WarpAcceptClientPacket(map_id=self.warp.map_id, session_id=self.warp.session_id))
