"""From the login door to the game's door.

At a login two numbers are drawn that LoginOk shows, and two more for PlayOk; the client repeats all of them
in AuthLogin. The login side of the bridge remembers them, the game side asks for them (`protocol.l2.bridge`),
in one process or in two. Where no licence is shown there is no LoginOk; a client then sends what it likes in
place of that pair, and it proves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.l2.session import SessionKeys

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.l2.bridge import GameSide, LoginSide
    from protocol.l2.bridge.service import Bridge
    from protocol.l2.session import L2Session
    from protocol.services import AccountInfo

SHOW_LICENCE: Final = "show_licence"
"""The listener's key: whether LoginOk, at which a client shows the licence, is sent."""


def shows_licence(session: L2Session) -> bool:
    """Whether this listener's clients are shown the licence, and so are told the login pair."""
    return bool(session.settings.get(SHOW_LICENCE, True))


def login_side(session: L2Session) -> LoginSide:
    """The bridge, as the login door sees it."""
    return _bridge(session).login_side


def game_side(session: L2Session) -> GameSide:
    """The bridge, as the game's door sees it."""
    return _bridge(session).game_side


def _bridge(session: L2Session) -> Bridge:
    return cast("Bridge", session.services.background(session.family.name))


def draw_keys(entropy: Callable[[int], bytes], *, licence: bool) -> SessionKeys:
    """The numbers of a login that has just succeeded. Those for PlayOk come when a server is chosen."""
    if not licence:
        return SessionKeys(0, 0, 0, 0)
    login1, login2 = (int.from_bytes(entropy(4), "little") for _ in range(2))
    return SessionKeys(0, 0, login1, login2)


def issue(session: L2Session, account: AccountInfo, server_id: int, keys: SessionKeys) -> SessionKeys:
    """The same keys with those of PlayOk, good for that server's door from now on, in place of earlier ones.
    Raises Denied."""
    return login_side(session).send_on(session, account, server_id, keys, licence=shows_licence(session))


def server_id(session: L2Session) -> int:
    """Which of the login server's game servers this is."""
    return game_side(session).server_id


async def redeem(session: L2Session, name: str, keys: SessionKeys) -> AccountInfo:
    """At the game's door: whose login a client continues with these keys. Raises Denied."""
    return await game_side(session).redeem(session, name, keys)
