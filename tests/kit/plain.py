"""Packets as JSON has them, for tables of golden bytes."""

from __future__ import annotations

import attrs


def plain(value: object) -> object:
    """Fields by name, bytes as hexadecimal digits."""
    kind = type(value)
    if attrs.has(kind):
        return {field.name: plain(getattr(value, field.name)) for field in attrs.fields(kind)}
    if isinstance(value, bytes):
        return value.hex()
    return [plain(one) for one in value] if isinstance(value, tuple) else value
