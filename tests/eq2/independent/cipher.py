"""RC4 as any textbook has it, and the two streams of an EverQuest II session."""

from __future__ import annotations

DROPPED = 20
"""So many bytes of each keystream are thrown away before the first is used."""


class Rc4:
    """One keystream, which is never reset."""

    def __init__(self, key: bytes) -> None:
        box = list(range(256))
        j = 0
        for i in range(256):
            j = (j + box[i] + key[i % len(key)]) & 255
            box[i], box[j] = box[j], box[i]
        self._box, self._i, self._j = box, 0, 0
        self.crypt(bytes(DROPPED))

    def crypt(self, data: bytes) -> bytes:
        """Bytes the other way round: plain ones encrypted, encrypted ones plain."""
        box, i, j = self._box, self._i, self._j
        done = bytearray(data)
        for n in range(len(done)):
            i = (i + 1) & 255
            j = (j + box[i]) & 255
            box[i], box[j] = box[j], box[i]
            done[n] ^= box[(box[i] + box[j]) & 255]
        self._i, self._j = i, j
        return bytes(done)


def streams(tail: bytes) -> tuple[Rc4, Rc4]:
    """(server to client, client to server) of the last eight bytes of a key reply: the key is their reverse,
    and for what the client sends each of its bits is turned round."""
    key = tail[::-1]
    return Rc4(key), Rc4(bytes(byte ^ 0xFF for byte in key))
