"""The Huffman code against recorded bytes, and against a reader and a writer of single bits."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.uo.huffman import WORST_CASE_BITS, Decompressor, compress

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/uo/huffman.json").read_text())
CODES: list[str] = GOLDEN["codes"]
RECORDED = [
    pytest.param(bytes.fromhex(row["plain"]), bytes.fromhex(row["compressed"]), id=f"{source}{number}")
    for source in ("sent_by_servuo", "decoded_by_pyuo")
    for number, row in enumerate(GOLDEN[source])
]


def naive_compress(body: bytes) -> bytes:
    """Bit by bit, from the recorded table."""
    out, accumulator, filled = bytearray(), 0, 0
    for symbol in [*body, 256]:
        for bit in CODES[symbol]:
            accumulator = accumulator << 1 | int(bit)
            filled += 1
            if filled == 8:
                out.append(accumulator)
                accumulator = filled = 0
    if filled:
        out.append(accumulator << 8 - filled)
    return bytes(out)


def naive_decompress(data: bytes) -> list[bytes]:
    symbols = {code: symbol for symbol, code in enumerate(CODES)}
    packets, body, prefix = [], bytearray(), ""
    for byte in data:
        for bit in f"{byte:08b}":
            prefix += bit
            symbol = symbols.get(prefix)
            if symbol == 256:
                packets.append(bytes(body))
                body.clear()
                prefix = ""
                break
            if symbol is not None:
                body.append(symbol)
                prefix = ""
    return packets


def packets_of(decompressor: Decompressor) -> list[bytes]:
    packets = []
    while (packet := decompressor.next_packet()) is not None:
        packets.append(packet)
    return packets


@pytest.mark.parametrize(("plain", "compressed"), RECORDED)
def test_compresses_to_the_recorded_bytes(plain: bytes, compressed: bytes) -> None:
    assert compress(plain) == compressed


@pytest.mark.parametrize(("plain", "compressed"), RECORDED)
def test_decompresses_the_recorded_bytes(plain: bytes, compressed: bytes) -> None:
    decompressor = Decompressor()
    decompressor.feed(compressed)
    assert packets_of(decompressor) == [plain]


def test_every_code_word_is_the_recorded_one() -> None:
    for symbol in range(256):
        bits = CODES[symbol] + CODES[256]
        bits += "0" * (-len(bits) % 8)
        assert compress(bytes([symbol])) == int(bits, 2).to_bytes(len(bits) // 8, "big")


def test_a_packet_without_bytes_is_the_end_word() -> None:
    assert compress(b"") == b"\xd0"
    decompressor = Decompressor()
    decompressor.feed(b"\xd0")
    assert packets_of(decompressor) == [b""]


def test_the_worst_expansion_is_eleven_eighths() -> None:
    worst = bytes([max(range(256), key=lambda byte: len(CODES[byte]))]) * 800
    assert len(compress(worst)) == (800 * WORST_CASE_BITS + 4 + 7) // 8 == 1101


def test_any_cut_of_the_recorded_stream_gives_the_same_packets() -> None:
    stream = b"".join(bytes.fromhex(row["compressed"]) for row in GOLDEN["sent_by_servuo"])
    plain = [bytes.fromhex(row["plain"]) for row in GOLDEN["sent_by_servuo"]]
    for size in (1, 2, 3, 7, 64, len(stream)):
        decompressor = Decompressor()
        received = []
        for start in range(0, len(stream), size):
            decompressor.feed(stream[start : start + size])
            received += packets_of(decompressor)
        assert received == plain


def test_an_unfinished_packet_waits_for_its_end() -> None:
    compressed = compress(b"\x1b" + bytes(36))
    decompressor = Decompressor()
    decompressor.feed(compressed[:-1])
    assert decompressor.next_packet() is None
    decompressor.feed(compressed[-1:])
    assert decompressor.next_packet() == b"\x1b" + bytes(36)
    assert decompressor.next_packet() is None


@given(st.binary(max_size=300))
def test_agrees_with_writing_single_bits(body: bytes) -> None:
    assert compress(body) == naive_compress(body)


@given(st.lists(st.binary(max_size=60), max_size=6), st.data())
def test_round_trip_of_a_dribbled_stream(packets: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(compress, packets))
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=8).map(sorted))
    decompressor = Decompressor()
    received = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        decompressor.feed(stream[start:end])
        received += packets_of(decompressor)
    assert received == packets


@given(st.binary(max_size=200))
def test_noise_decodes_as_the_bit_reader_says(noise: bytes) -> None:
    decompressor = Decompressor()
    decompressor.feed(noise)
    assert packets_of(decompressor) == naive_decompress(noise)
