"""The network keys of L2J servers by their names here, for whoever brings their Network.ini along.

docs/network.md says the same at greater length, with defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

NETWORK_INI: Final[Mapping[str, str]] = {
    "ThreadPoolSize": "",
    "ThreadPriority": "",
    "ShutdownWaitTime": "network.shutdown_wait_seconds",
    "UseNagle": "network.nodelay",
    "DropPackets": "network.drop_packets",
    "DropPacketThreshold": "network.drop_threshold",
    "BufferSegmentSize": "network.receive_buffer_kib",
    "BufferPool.X.Size": "",
    "BufferPool.X.BufferSize": "",
    "BufferPool.AutoExpandCapacity": "",
    "BufferPool.InitFactor": "",
}
"""Every key of L2J Mobius' config/Network.ini, and ours; empty where it would have no meaning."""

SERVER_INI: Final[Mapping[str, str]] = {
    "ClientReadPoolSize": "",
    "ClientExecutePoolSize": "",
    "ThreadsForClientPackets": "",
    "PacketQueueLimit": "limits.inbox_frames",
    "PacketEncryption": "listen.l2.packet_encryption",
    "AllowedProtocolRevisions": "listen.l2.protocols",
    "TcpNoDelay": "network.nodelay",
    "ConnectionTimeout": "limits.first_byte_seconds",
    "MaximumOnlineUsers": "limits.connections",
}
"""Of the older core's Server.ini what concerns the network."""

_POOL: Final = "BufferPool"
_OURS: Final = {name.lower(): ours for keys in (NETWORK_INI, SERVER_INI) for name, ours in keys.items()}


def called_here(name: str) -> str:
    """A remark on an unknown key that is one of theirs, as `(L2J's: network.nodelay here)`; else nothing."""
    # As TOML, BufferPool.X.Size is a table of this name with tables in it.
    ours = "" if name.split(".")[0] == _POOL else _OURS.get(name.lower())
    if ours is None:
        return ""
    here = f"{ours} here" if ours else "without a meaning here"
    return f" (L2J's: {here}, see docs/network.md)"
