"""One account is played in one world: what worlds of one database tell and ask one another about that.

The problem: an account logs in again while it is played in another process, or its character lingers there.
In one process the newest login wins, whoever had the account before reads so, and the character goes over as
it is; here the same is to be. The idea: every login has a number, which the database makes, and which only
grows (`account.session_epoch`). Who plays by a lower one than the newest has lost the account: it may claim
no character any more, and it ends as soon as its world knows. Over Valkey that is at once; and whatever
becomes of that, each world asks the database once a second about all who are logged in there. A ban, another
password and the end of an account are found by the same question, with their reasons; over Valkey other
worlds are told that there is something to ask.

A character that a living world has is asked for, with the number of the login that wants it: that world lets
it leave, with all that it did, and only when its last rows are on disk does it answer. It is asked over
Valkey, and where that says nothing by a row of `admin_order`, so that it works without. The other one claims
it then like any other, so that a lost or a late answer costs patience and nothing else.

Not done: to take a character from a living world without asking. What it did in the last second would be
lost, and that world would find out by the fence, and stop.
"""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from server.cluster.messages import Altered, Began
from server.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.cluster.claims import Claims
    from server.cluster.relay import Relay
    from server.people.accounts import AccountService
    from server.people.characters import CharacterService
    from server.store.writer import Storage

log = logging.getLogger("cluster")

LOOK_SECONDS: Final = 1.0
"""From one look at what became of all accounts that are logged in here to the next."""

HASTE_SECONDS: Final = 0.05
"""The same, if something is known to have changed."""

FETCH_SECONDS: Final = 3.0
"""For which a player who comes in waits for another world to let go of the character."""

BUS_SECONDS: Final = 1.0
"""Of these, for an answer over Valkey; then the question is written down."""

ORDER_SECONDS: Final = 0.1
"""From one look for the answer to a question that was written down to the next."""

RELEASE: Final = "release"
"""The order: `@WORLD release CHARACTER LOGIN`, in numbers."""

GONE: Final = "it has left"
KEPT: Final = "it stays"
"""The answers to it."""


class Logins:
    """Of one world; implements `server.people.neighbours.Neighbours`. `relay` is set where there is one;
    `wall` is seconds UTC."""

    def __init__(
        self,
        storage: Storage,
        claims: Claims,
        accounts: AccountService,
        characters: CharacterService,
        *,
        wall: Callable[[], float],
    ) -> None:
        self.relay: Relay | None = None
        self._storage = storage
        self._claims = claims
        self._accounts = accounts
        self._characters = characters
        self._wall = wall
        self._haste = trio.Event()
        accounts.neighbours = characters.neighbours = self

    def hears(self, relay: Relay) -> None:
        """Speak over this relay, and answer what is asked there."""
        self.relay = relay
        relay.outplay, relay.releases = self.outplay, self._characters.let_go
        relay.altered = self.alters

    async def run(self) -> None:
        """End those who play by a login that is not the newest any more, or by an account that is banned,
        removed or has another password, for ever."""
        while True:
            with trio.move_on_after(LOOK_SECONDS):
                await self._haste.wait()
                self._haste = trio.Event()
                await trio.sleep(HASTE_SECONDS)
            try:
                await self._look()
            except Exception as error:
                log.debug("it is not known what became of accounts: %s", error)

    async def _look(self) -> None:
        seen = self._accounts.seen()
        for found in await self._claims.changed(seen, self._wall()) if seen else ():
            self._accounts.judge(found, seen)

    def alters(self, account_id: int) -> None:
        """Another process has banned an account, removed it or given it another password: look what it is."""
        self._accounts.forget_tickets(account_id)
        self._haste.set()

    def tell(self, account_id: int) -> None:
        """Tell the other worlds that this one has done so."""
        if self.relay is not None:
            self.relay.bus.say(Altered(account_id))

    # For accounts and characters: see Neighbours

    async def begins(self, account_id: int) -> int:
        """See Neighbours."""
        login = await self._claims.raise_session(account_id)
        if self.relay is not None:
            self.relay.bus.say(Began(account_id, login))
        return login

    def login_of(self, account_id: int) -> int:
        """See Neighbours."""
        return self._accounts.login_of(account_id)

    def outplay(self, account_id: int, login: int) -> bool:
        """See Neighbours."""
        return self._accounts.outplay(account_id, login)

    async def fetch(self, serial: int, world: int, login: int) -> bool:
        """See Neighbours."""
        gone: bool | None = None
        with trio.move_on_after(FETCH_SECONDS):
            if self.relay is not None and self.relay.bus.up:
                gone = await self.relay.release(serial, world, login, seconds=BUS_SECONDS)
            if gone is None:
                gone = await self._order(f"@{world} {RELEASE} {serial} {login}")
        if gone is None:
            log.warning("world %d does not say whether it lets go of character %#x", world, serial)
        return bool(gone)

    # By rows, where nothing is heard

    async def _order(self, command: str) -> bool:
        """Write a question down, and wait until it is answered. Who goes away meanwhile takes it back."""
        give: Callable[[Database], int] = partial(Database.give_order, command=command, at=self._wall())
        number = await self._storage.write(give)
        result: Callable[[Database], str | None] = partial(Database.order_result, order_id=number)
        try:
            while True:
                answer = _read(await self._storage.read(result))
                if answer is not None:
                    return answer
                await trio.sleep(ORDER_SECONDS)
        finally:
            take_back: Callable[[Database], bool] = partial(
                Database.begin_order, order_id=number, at=self._wall(), result="taken back"
            )
            with trio.move_on_after(1, shield=True):
                await self._storage.write(take_back)

    async def obey(self, command: str) -> str | None:
        """Carry out an order of another world: the answer to it; None if it is an order of somebody else."""
        match command.split():
            case [word, serial, login] if word == RELEASE and serial.isdecimal() and login.isdecimal():
                gone = await self._characters.let_go(int(serial), int(login))
                return GONE if gone else KEPT
            case _:
                return None


def _read(result: str | None) -> bool | None:
    """What an order was answered; None if it was not, so far, or if that makes no sense."""
    if result is None:
        return None
    try:
        lines = json.loads(result)["lines"]
    except (ValueError, LookupError, TypeError):
        return None
    return {GONE: True, KEPT: False}.get(lines[0]) if lines else None
