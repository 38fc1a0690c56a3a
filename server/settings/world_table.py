"""[world] of config.toml: which of the worlds of a database a process has."""

import attrs

from protocol.address import Address
from protocol.keys import between, fixed


def _address_or_none(value: str) -> None:
    if value:
        Address.parse(value)


@attrs.frozen
class WorldTable:
    """Its keys; for all but PostgreSQL they are what they are by default."""

    id: int = fixed(1, between(1, 9_999))
    realms: tuple[str, ...] = fixed(())
    address: str = fixed("", _address_or_none)
    standby: bool = fixed(default=False)
    heir: bool = fixed(default=False)
