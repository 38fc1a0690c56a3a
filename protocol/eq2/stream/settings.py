"""Settings of an operator for every EQStream, and the limits nobody needs to set.

The names are the keys of `[listen.eq2]` in config.toml, units in the names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
from attrs.validators import ge, in_, le

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

KIB: Final = 1024

LARGEST_WINDOW: Final = 2047
"""Packets in flight. Peers take a sequence number 2048 or more ahead of what they expect for a past one."""

REASSEMBLY_BYTES: Final = 1024 * KIB
"""A message in fragments may be that long, encoded."""
REASSEMBLY_SECONDS: Final = 30.0
"""Seconds that a message in fragments may take from its first to its last."""
INFLATED_BYTES: Final = 500_000
"""A message may be that long, inflated: the client's own buffer."""

UNACKNOWLEDGED_BYTES: Final = 4096 * KIB
"""Sent but not acknowledged, and waiting to be sent, together: whoever has more is too slow."""
OLDEST_SECONDS: Final = 30.0
"""Seconds after its first sending within which a packet must be acknowledged (EQEmu: 30)."""
MOST_RESENDS: Final = 10
"""Resends of one packet; who does not acknowledge the last one is gone."""

RESEND_PASS_PACKETS: Final = 300
RESEND_PASS_BYTES: Final = 140 * KIB
RESEND_PASS_SECONDS: Final = 1 / 60
"""At most so much is sent again at a time, and so long after it the next time: EQEmu's limits and tick."""


@attrs.frozen
class StreamSettings:
    """The same for all streams of a listener."""

    max_datagram: int = attrs.field(default=512, validator=[ge(128), le(1400)])
    """Bytes, CRC included; a client's own limit is honoured below that."""
    rate_kib: float = 128.0
    """KiB a second to one client in the long run."""
    burst_kib: float = 32.0
    """KiB that may leave at once after a silence."""
    compress_above: int = attrs.field(default=100, validator=ge(0))
    """Messages of more bytes than that (flag, type and body) are deflated."""
    combine_bytes: int = attrs.field(default=250, validator=ge(0))
    """Messages of one turn share a packet of up to so many bytes."""
    rto_min_ms: float = 200.0
    rto_max_ms: float = 3000.0
    """Bounds of the time after which a packet that is not acknowledged is sent again."""
    keep_alive_seconds: float = 9.0
    """Something is sent at least so often."""
    idle_seconds: float = 45.0
    unacknowledged_seconds: float = 10.0
    """A peer that says nothing for so long is gone."""
    window: int = attrs.field(default=LARGEST_WINDOW, validator=[ge(1), le(LARGEST_WINDOW)])
    """Packets that may be in flight."""
    crc_length: int = attrs.field(default=2, validator=in_((0, 2, 4)))
    """Bytes of the checksum; the original client knows 2."""

    def __attrs_post_init__(self) -> None:
        if self.rate_kib <= 0 or self.burst_kib * KIB < self.max_datagram:
            raise ValueError("rate_kib must be above 0 and burst_kib hold a whole datagram")
        if not 0 < self.rto_min_ms <= self.rto_max_ms:
            raise ValueError("rto_min_ms must be above 0 and not above rto_max_ms")
        if min(self.keep_alive_seconds, self.idle_seconds, self.unacknowledged_seconds) <= 0:
            raise ValueError("keep_alive_seconds, idle_seconds, unacknowledged_seconds must be above 0")

    @classmethod
    def from_table(cls, table: Mapping[str, object]) -> Self:
        """Settings from a table of the config file; keys of others are passed over.

        Raises:
            ValueError: a value is out of range or no number; the message names the key.
        """

        def whole(key: str, default: int) -> int:
            value = table.get(key, default)
            if isinstance(value, bool) or not isinstance(value, int):
                raise ValueError(f"{key} must be a whole number: {value!r}")
            return value

        def number(key: str, default: float) -> float:
            value = table.get(key, default)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{key} must be a number: {value!r}")
            return value

        usual = cls()
        return cls(
            max_datagram=whole("max_datagram", usual.max_datagram),
            rate_kib=number("rate_kib", usual.rate_kib),
            burst_kib=number("burst_kib", usual.burst_kib),
            compress_above=whole("compress_above", usual.compress_above),
            combine_bytes=whole("combine_bytes", usual.combine_bytes),
            rto_min_ms=number("rto_min_ms", usual.rto_min_ms),
            rto_max_ms=number("rto_max_ms", usual.rto_max_ms),
            keep_alive_seconds=number("keep_alive_seconds", usual.keep_alive_seconds),
            idle_seconds=number("idle_seconds", usual.idle_seconds),
            unacknowledged_seconds=number("unacknowledged_seconds", usual.unacknowledged_seconds),
            window=whole("window", usual.window),
            crc_length=whole("crc_length", usual.crc_length),
        )
