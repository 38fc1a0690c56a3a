"""Text that every database keeps."""

from __future__ import annotations


def storable(text: str) -> str:
    """The text without NUL (PostgreSQL refuses it) and halves of surrogate pairs (no encoding has them)."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
