"""Logins on their way from one door to the next.

Ultima Online checks name and password at the login server, then sends the client to the game server, where it
shows a 4-byte key with the same name and password again. The key is random, works once, soon, for one account
and one game. The ticket holds a BLAKE2 of name and password under a random key of its own, so the second
check costs no second argon2. Where several worlds share a database a ticket is a row there as well
(`server.people.tokens`), so that its client may come to the door of any of them, and the row makes it one of
single use.
"""

from __future__ import annotations

import hmac
import logging
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, cast

import attrs

from protocol.denials import Denial, Denied
from protocol.services import AccountInfo, Ticket
from server.people.credentials import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.session import Session
    from server.people.limiter import LoginLimiter
    from server.people.tokens import Tokens
    from server.settings.config import Limits
    from server.store.records import AccountRow, TokenRow

log = logging.getLogger("accounts")

KEY_SIZE: Final = 4
"""Bytes of a key, unless its game has room for a longer one."""
LIFETIME: Final = 30.0
"""Seconds in which the client has to arrive at the other door, unless its game says otherwise."""
MOST: Final = 4096
"""Tickets at once. Passwords are checked at some 50 a second, so nobody crowds out another's within its
lifetime."""
_SEED_COMMAND: Final = 0xEF
"""UO: a connection that starts with this byte sends a seed packet, any other starts with the key (ServUO,
Server/Network/PacketHandlers.cs)."""


@attrs.frozen
class _Issued:
    ticket: Ticket
    address: str
    expires: float
    secret: bytes = attrs.field(repr=False)
    proof: bytes = attrs.field(repr=False)
    shared: bool = False
    """Whether it is a row in the database as well, which has to be used up with it."""


class TicketService:
    """Implements `protocol.services.Tickets`. `clock` is monotonic seconds, `entropy` random bytes; `tokens`
    are those that all worlds of a database know, None where there is one."""

    def __init__(
        self,
        *,
        limits: Callable[[], Limits],
        limiter: LoginLimiter,
        clock: Callable[[], float],
        entropy: Callable[[int], bytes],
        tokens: Tokens | None = None,
    ) -> None:
        self._limits = limits
        self._limiter = limiter
        self._clock = clock
        self._entropy = entropy
        self._tokens = tokens if tokens is not None and tokens.shared else None
        self._issued: dict[bytes, _Issued] = {}
        """In the order in which they were issued."""
        self.renewed: list[Callable[[AccountInfo], None]] = []
        """Told of each account that `renew` is for."""
        self.revoked: list[Callable[[int], None]] = []
        """Told of each account that `revoke` is for: a game's background service may have logins that wait
        there, browsers have theirs."""

    def __len__(self) -> int:
        return len(self._issued)

    def issue(
        self,
        session: Session,
        password: str,
        notes: Mapping[str, object],
        *,
        name: str | None = None,
        seconds: float | None = None,
        size: int = KEY_SIZE,
    ) -> bytes:
        """Make a fresh key for the session's account; see `protocol.services.Tickets`. Raises ValueError if
        the session has not logged in."""
        account = session.account
        if account is None:
            raise ValueError(f"{session!r} has not logged in")
        self._forget_expired()
        if len(self._issued) >= MOST:
            del self._issued[next(iter(self._issued))]
        key = self._entropy(size)
        while not any(key[:KEY_SIZE]) or key[0] == _SEED_COMMAND or key in self._issued:
            key = self._entropy(size)
        secret = self._entropy(32)
        self._issued[key] = _Issued(
            Ticket(account, session.family.name, dict(notes)),
            session.peer,
            self._clock() + (LIFETIME if seconds is None else seconds),
            secret,
            _proof(secret, account.name if name is None else name, password),
        )
        return key

    @property
    def shared(self) -> bool:
        """See `protocol.services.Tickets`."""
        return self._tokens is not None

    async def share(self, key: bytes) -> None:
        """See `protocol.services.Tickets`."""
        issued = self._issued.get(key)
        if issued is None or self._tokens is None:
            return
        self._issued[key] = attrs.evolve(issued, shared=True)
        ticket = issued.ticket
        await self._tokens.put(
            ticket.game,
            key,
            ticket.account.id,
            {
                "secret": issued.secret.hex(),
                "proof": issued.proof.hex(),
                "mark": ticket.account.mark,
                "notes": {name: note for name, note in ticket.notes.items() if _is_plain(note)},
            },
            address=issued.address,
            seconds=issued.expires - self._clock(),
        )

    def trust(self, account: AccountInfo, game: str, address: str, key: bytes) -> None:
        """Make a key good that an edge has made for somebody at that address who has proven there to own the
        account. It is shown with neither name nor password."""
        self._forget_expired()
        if len(self._issued) >= MOST:
            del self._issued[next(iter(self._issued))]
        secret, expires = self._entropy(32), self._clock() + LIFETIME
        self._issued[key] = _Issued(
            Ticket(account, game, {}), address, expires, secret, _proof(secret, "", "")
        )

    def peek(self, key: bytes, game: str) -> Ticket | None:
        """The ticket that `redeem` would find, without using it up and without proof; for the codec's dialect
        only."""
        issued = self._find(key, game)
        return None if issued is None else issued.ticket

    async def redeem(self, session: Session, key: bytes, name: str, password: str) -> Ticket:
        """The ticket of that key, used up. Raises Denied for unknown, used, expired, foreign or unproven
        ones, and if the database fails.

        Who fails here fails like at the first door: it counts against the address, and the ticket stays its
        owner's.
        """
        now = self._clock()
        game = session.family.name
        issued = self._find(key, game)
        if issued is None and self._tokens is not None:
            issued = await self._elsewhere(self._tokens, key, game)
        if issued is not None and self._limits().bind_tickets and issued.address != session.peer:
            issued = None
        strange = issued is None or issued.address != session.peer
        if strange and self._limiter.wait(session.peer, now) > 0:
            raise Denied(Denial.BUSY, "too many failed logins from this address")
        right = issued is not None and hmac.compare_digest(
            _proof(issued.secret, name, password), issued.proof
        )
        if right and issued is not None and issued.shared and self._tokens is not None:
            right = await self._tokens.use_up(game, key)
        if issued is None or not right:
            self._limiter.failed(session.peer, fold(name)[:32], now)
            log.info("%s: no valid ticket for account %s", session.peer, name[:32])
            raise Denied(Denial.BAD_CREDENTIALS)
        self._issued.pop(key, None)
        return issued.ticket

    def withdraw(self, key: bytes) -> None:
        """Forget a key with which nobody is going to come."""
        self._issued.pop(key, None)

    def revoke(self, account_id: int) -> None:
        """Something about the account changed: whoever is on the way has to log in again."""
        for key in [key for key, issued in self._issued.items() if issued.ticket.account.id == account_id]:
            del self._issued[key]
        if self._tokens is not None:
            self._tokens.revoke(account_id)
        for tell in self.revoked:
            tell(account_id)

    def renew(self, account: AccountInfo) -> None:
        """The account has another level: who has proven to own it still has."""
        for key, issued in self._issued.items():
            if issued.ticket.account.id == account.id:
                renewed = attrs.evolve(account, mark=issued.ticket.account.mark)
                self._issued[key] = attrs.evolve(issued, ticket=attrs.evolve(issued.ticket, account=renewed))
        for tell in self.renewed:
            tell(account)

    def renew_mark(self, account_id: int, old: str, new: str) -> None:
        """The same password of the account is stored in another form."""
        for key, issued in self._issued.items():
            account = issued.ticket.account
            if account.id == account_id and account.mark == old:
                ticket = attrs.evolve(issued.ticket, account=attrs.evolve(account, mark=new))
                self._issued[key] = attrs.evolve(issued, ticket=ticket)

    def _find(self, key: bytes, game: str) -> _Issued | None:
        self._forget_expired()
        issued = self._issued.get(key)
        if issued is None or issued.expires <= self._clock() or issued.ticket.game != game:
            return None
        return issued

    async def _elsewhere(self, tokens: Tokens, key: bytes, game: str) -> _Issued | None:
        """A ticket that another world has issued."""
        row = await tokens.find(game, key)
        account = None if row is None else await tokens.owner(row)
        if row is None or account is None:
            return None
        return _read(row, account)

    def _forget_expired(self) -> None:
        """Only from the front on: one that expires late keeps those behind it for as long."""
        now = self._clock()
        while self._issued:
            key, issued = next(iter(self._issued.items()))
            if issued.expires > now:
                return
            del self._issued[key]


def _proof(secret: bytes, name: str, password: str) -> bytes:
    text = f"{fold(name)}\0{password}".encode("utf-8", "surrogatepass")
    return blake2b(text, key=secret).digest()


def _read(row: TokenRow, owner: AccountRow) -> _Issued:
    """A ticket from its row, which is as `TicketService.share` wrote it, and has not expired. The password is
    that of when it was written."""
    notes = cast("Mapping[str, str]", row.notes)
    account = AccountInfo(owner.id, owner.name, owner.access, notes.get("mark", ""))
    return _Issued(
        Ticket(account, row.game, cast("Mapping[str, object]", row.notes["notes"])),
        row.address,
        float("inf"),
        bytes.fromhex(notes["secret"]),
        bytes.fromhex(notes["proof"]),
        shared=True,
    )


def _is_plain(note: object) -> bool:
    """Whether JSON can say it: other notes (a connection, for one) mean something in this process alone."""
    if isinstance(note, tuple | list):
        return all(map(_is_plain, note))
    return note is None or isinstance(note, bool | int | float | str)
