"""Accounts for the tests of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.denials import Denial, Denied

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from server.store.records import AccountRow
    from tests.kit.office import Office


async def denial(attempt: Awaitable[object]) -> Denial:
    """Why it was refused."""
    with pytest.raises(Denied) as denied:
        await attempt
    return denied.value.why


async def bob(office: Office, access: int = 0) -> AccountRow:
    return await office.accounts.staff.create("bobby", "secret1", access)
