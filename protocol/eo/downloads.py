"""The files a client may ask for, as ready packets: made once, shared by all clients.

A download travels as a reply to Init_Init, which is never encrypted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eolib import (
    Enf,
    EoReader,
    FileType,
    InitInitServerPacket,
    InitReply,
    MapFile,
    NpcType,
    PubFile,
    WarpRequestServerPacket,
    WarpType,
)

from protocol.eo.files import SENTINEL
from protocol.eo.looks import Lists
from protocol.eo.packets import encode
from protocol.eo.session import PendingWarp
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eo.files import Files
    from protocol.eo.files import PubFile as Pub
    from protocol.eo.session import EoSession

_ONLY_PART = 1
"""Each list fits one packet, so it has one part."""

_Data = InitInitServerPacket


class Downloads:
    """Maps by id and the four lists: what is announced of them, and the packets that carry them."""

    def __init__(self, files: Files) -> None:
        self.maps = files.maps
        self.items = files.items
        self.npcs = files.npcs
        self.spells = files.spells
        self.classes = files.classes
        records = dict(enumerate(Enf.deserialize(EoReader(self.npcs.data)).npcs, start=1))
        self.quest_behaviors = {
            number: record.behavior_id for number, record in records.items() if record.type == NpcType.Quest
        }
        """By NPC record id, the behavior id by which a client finds the name of who asks a question."""
        self.lists = Lists(
            {number: record.type for number, record in records.items() if record.name not in ("", SENTINEL)},
            self.items.count - 1,  # without the sentinel
        )
        """Contents of the lists, for a client that reads them now."""
        contents = {number: MapFile(content=file.data) for number, file in self.maps.items()}
        self._maps = {
            number: _body(InitReply.FileEmf, _Data.ReplyCodeDataFileEmf(map_file=content))
            for number, content in contents.items()
        }
        self._warp_maps = {
            number: _body(InitReply.WarpMap, _Data.ReplyCodeDataWarpMap(map_file=content))
            for number, content in contents.items()
        }
        self._pubs = {
            FileType.Eif: _body(InitReply.FileEif, _Data.ReplyCodeDataFileEif(pub_file=_part(self.items))),
            FileType.Enf: _body(InitReply.FileEnf, _Data.ReplyCodeDataFileEnf(pub_file=_part(self.npcs))),
            FileType.Esf: _body(InitReply.FileEsf, _Data.ReplyCodeDataFileEsf(pub_file=_part(self.spells))),
            FileType.Ecf: _body(InitReply.FileEcf, _Data.ReplyCodeDataFileEcf(pub_file=_part(self.classes))),
        }

    def map(self, map_id: int) -> Body | None:
        """A map on the way into the world; None if there is no such map."""
        return self._maps.get(map_id)

    def warp_map(self, map_id: int) -> Body | None:
        """A map for a client in the world that goes there."""
        return self._warp_maps.get(map_id)

    def renewal(self, session: EoSession) -> Sequence[Body]:
        """The map on which a client is, in place of what it has of it, if that has changed since it was told
        of it; from here on it counts as told. Raises KeyError."""
        now = self.maps[session.map_id].rid
        before, session.map_rid = session.map_rid, now
        return () if before == now else (self._mutation(session.map_id),)

    def _mutation(self, map_id: int) -> Body:
        content = MapFile(content=self.maps[map_id].data)
        return _body(InitReply.MapMutation, _Data.ReplyCodeDataMapMutation(map_file=content))

    def pub(self, kind: FileType, part: int) -> Body | None:
        """A list; None if there is no such part of it."""
        return self._pubs.get(kind) if part == _ONLY_PART else None


class WarpRequest:
    """Tells one client to load another place; the number by which it will answer is its own."""

    droppable = False

    def __init__(self, downloads: Downloads, map_id: int) -> None:
        self._downloads = downloads
        self._map_id = map_id

    def bind(self, session: EoSession) -> bytes:
        """The packet for this client; notes in its session what it has to answer. None where it has no map:
        it is about to be sent away."""
        if self._map_id not in self._downloads.maps:
            return b""
        file = self._downloads.maps[self._map_id]
        rid = session.map_rid if self._map_id == session.map_id else file.rid
        session.warp = PendingWarp(session.new_token(), self._map_id, rid or file.rid)
        kind, data = WarpType.Local, None
        if self._map_id != session.map_id:
            kind = WarpType.MapSwitch
            data = WarpRequestServerPacket.WarpTypeDataMapSwitch(map_rid=file.rid, map_file_size=file.size)
        return encode(
            WarpRequestServerPacket(
                warp_type=kind, map_id=self._map_id, warp_type_data=data, session_id=session.warp.token
            )
        )


def _part(file: Pub) -> PubFile:
    return PubFile(file_id=_ONLY_PART, content=file.data)


def _body(code: InitReply, data: _Data.ReplyCodeData) -> Body:
    return Body(encode(InitInitServerPacket(reply_code=code, reply_code_data=data)))
