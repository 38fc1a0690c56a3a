"""Twofish against the vectors its authors published (the game's own vectors are in test_ciphers.py)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.uo.twofish import Twofish

# The "tables" known-answer test of the Twofish submission (ecb_tbl.txt), 128-bit keys: it begins with a key
# and a block of zeros; each line's key is the block before, each line's block the result before. Lines 1, 2,
# 3 and 49.
PUBLISHED_LINES = {
    1: "9f589f5cf6122c32b6bfec2f2ae8c35a",
    2: "d491db16e7b1c39e86cb086b789f5419",
    3: "019f9809de1711858faac3a3ba20fbc3",
    49: "5d9d4eeffa9151575524f115815a12e0",
}


def test_published_chain_of_49_keys() -> None:
    key = block = bytes(16)
    for line in range(1, 50):
        result = Twofish(key).encrypt_blocks(block)
        if line in PUBLISHED_LINES:
            assert result.hex() == PUBLISHED_LINES[line], line
        key, block = block, result


@given(st.binary(min_size=16, max_size=16), st.lists(st.binary(min_size=16, max_size=16), max_size=5))
def test_blocks_are_encrypted_each_by_itself(key: bytes, blocks: list[bytes]) -> None:
    cipher = Twofish(key)
    assert cipher.encrypt_blocks(b"".join(blocks)) == b"".join(map(cipher.encrypt_blocks, blocks))


@pytest.mark.parametrize("size", [0, 15, 17, 32])
def test_only_keys_of_16_bytes(size: int) -> None:
    with pytest.raises(ValueError, match="key"):
        Twofish(bytes(size))


@pytest.mark.parametrize("size", [1, 15, 17])
def test_only_whole_blocks(size: int) -> None:
    with pytest.raises(ValueError, match="whole blocks"):
        Twofish(bytes(16)).encrypt_blocks(bytes(size))
