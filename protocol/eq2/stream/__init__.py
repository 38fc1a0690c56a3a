"""EQStream: ordered, reliable, encrypted messages over UDP, without I/O.

`EqStream` is one session at either end: `session` its life, `stream` what comes and goes. `frames` and
`combining` are what datagrams are made of, `receiving` and `sending` the two halves of reliable delivery,
with `flight` and `congestion` behind the second, `messages` what happens to a game message on its way into
them, `states` when what counts.
"""

from __future__ import annotations

from protocol.eq2.stream.settings import StreamSettings
from protocol.eq2.stream.stream import EqStream

__all__ = ["EqStream", "StreamSettings"]
