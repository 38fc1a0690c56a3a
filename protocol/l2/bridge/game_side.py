"""The bridge as the handlers of the game's door see it, wherever the login server is."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from protocol.denials import Denial, Denied
from protocol.l2.bridge.game_server import GameServer
from protocol.l2.bridge.login_side import ANSWER_SECONDS, proves, shared_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.background import Backstage, SharedLogins
    from protocol.l2.session import L2Session, SessionKeys
    from protocol.services import AccountInfo

log = logging.getLogger("accounts")

MOST_PLAYERS: Final = 2000
"""Against which clients draw how full a server is: L2J's MaximumOnlineUsers."""


class GameSide:
    """The game's door as it asks its game server. `asked` is called when `answer` has something to do."""

    def __init__(
        self,
        stage: Backstage,
        *,
        server_id: int = 1,
        asked: Callable[[], None] = lambda: None,
        tokens: SharedLogins | None = None,
    ) -> None:
        """`tokens` are the logins that all worlds of the database know, if there are several."""
        self.game_server = GameServer(kick=stage.accounts.replace, asked=asked)
        self.server_id: Final = server_id
        """Which of its login server's game servers this is, 1 to 255."""
        self._stage = stage
        self._tokens = tokens

    async def redeem(self, session: L2Session, name: str, keys: SessionKeys) -> AccountInfo:
        """The account whose login a client continues with these keys, which are used up. Raises Denied:
        UNAVAILABLE if the login server cannot be asked, BUSY or BAD_CREDENTIALS if it knows no such login.

        Who fails here fails like at the first door: it counts against the address, and the login stays its
        owner's. While an address has to wait, only those who logged in from there come through.
        """
        stage = self._stage
        name = stage.fold(name)
        waits = stage.failures.wait(session.peer, stage.clock()) > 0
        bound = waits or stage.bind_tickets()
        address = session.peer if bound else ""
        right = await self._ask(name, keys, address)
        if right is not None and self._tokens is not None:
            # Whatever is known here: the row makes sure that it is used once.
            right = await self._use_up(self._tokens, session.family.name, name, keys, address)
        if right is None:
            raise Denied(Denial.UNAVAILABLE, "the login server cannot be asked")
        if not right and waits:
            raise Denied(Denial.BUSY, "too many failed logins from this address")
        if not right:
            stage.failures.failed(session.peer, name[:32], stage.clock())
            log.info("%s: no login of account %s is on its way here", session.peer, name[:32])
            raise Denied(Denial.BAD_CREDENTIALS)
        return await stage.accounts.resume(session, name)

    async def _use_up(
        self, tokens: SharedLogins, game: str, name: str, keys: SessionKeys, address: str
    ) -> bool:
        """Whether a login with these keys is on its way to a world, and was used up now. With `address`, from
        there alone."""
        key = shared_key(keys)
        login = await tokens.find(game, key)
        account = None if login is None else await self._stage.accounts.named(name)
        return (
            login is not None
            and account is not None
            and account.id == login.account
            and proves(login.notes, keys)
            and address in ("", login.address)
            and await tokens.use_up(game, key)
        )

    async def _ask(self, name: str, keys: SessionKeys, address: str) -> bool | None:
        answers: list[bool | None] = []
        answered = trio.Event()

        def take(answer: bool | None) -> None:
            answers.append(answer)
            answered.set()

        self.game_server.ask(name, keys, address, take)
        with trio.move_on_after(ANSWER_SECONDS):
            await answered.wait()
        return answers[0] if answers else None

    def refresh(self) -> None:
        """Tell the login server who is here now, and whether others may come."""
        self.game_server.online(self._stage.accounts.played())
        self.game_server.open(not self._stage.closed())

    async def answer(self) -> None:
        """Tell how many characters those have that were asked for. Raises Denied if the database fails."""
        while self.game_server.questions:
            name = self.game_server.questions.popleft()
            account = await self._stage.accounts.named(name)
            found = [] if account is None else await self._stage.characters.all(account, doomed=True)
            now = self._stage.wall()
            doomed = [now + info.deleted_in for info in found if info.deleted_in is not None]
            self.game_server.reply(name, len(found), doomed)
