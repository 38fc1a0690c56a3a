"""Messages on their way out, in the forms in which handlers and views give them to a session.

A packet (`Encodable`) becomes a `Body`, bytes that all its receivers share. A message that depends on the
client (`Bound`: ids of its own, differences to what it was sent last) is finished at flush, by its session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Never, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from protocol.wire.body import Body

S_contra = TypeVar("S_contra", contravariant=True)


class Bound(Protocol[S_contra]):
    """A message that only its client can finish: it assigns and looks up that client's own ids."""

    droppable: bool

    def bind(self, session: S_contra) -> bytes | Body:
        """The bytes for this client, none if it needs not be told. Called at flush, after shedding; must not
        change anything but what is kept of this client: its ids, and what it was sent last.

        A body, where it only chooses among what was made for many; of games whose codecs share nothing
        (`share_key`) bytes alone."""


class Noting(Generic[S_contra]):
    """A bound message that is the same for all, but of each client that it is sent to something is noted.

    No `abc.ABC`, nor is the next one: what each message is asked is whether it is one of these, and that
    would be a call in Python.
    """

    __slots__ = ("body",)
    droppable = False

    def __init__(self, body: Body) -> None:
        self.body = body

    def note(self, session: S_contra) -> None:
        """Note that this client is sent it."""
        raise NotImplementedError

    def bind(self, session: S_contra) -> bytes:
        """See Bound."""
        self.note(session)
        return self.body.raw


class Numbered(Generic[S_contra]):
    """A bound message that is the same for many, but for the number by which each of them knows something."""

    __slots__ = ()
    droppable = False

    def bind(self, session: S_contra) -> bytes | Body:
        """See Bound."""
        raise NotImplementedError

    def shares(self, sessions: Sequence[S_contra]) -> Iterable[Share]:
        """The same for many clients whose codecs are in another process."""
        raise NotImplementedError


Outgoing: TypeAlias = "Body | Bound[Never]"
"""What waits in an outbox. A view makes messages for sessions of its own game only, so whoever has one of
some game (`Never`: of any) asks the session to finish it."""


Part: TypeAlias = "Body | tuple[bytes, bool] | tuple[bytes, bytes]"
"""A finished message as whoever packs many of them takes it, so that what is the same for many clients is the
same value: a body; bytes, and whether they may be lost; or what stands before a client's own number for
something, and what stands behind that."""


Share: TypeAlias = "tuple[Part, list[int], list[bytes]]"
"""A part, the clients that are sent it (`Session.client`), and what belongs into the gap of each; nothing, if
it has none."""


class Sendable(Protocol):
    """A packet before its bytes: a game may need the client's version to make them."""

    @property
    def droppable(self) -> bool:
        """Whether a slow client may lose it."""

    @property
    def secret(self) -> bool:
        """Whether it tells its receiver a key."""


class Encodable(Sendable, Protocol):
    """A packet whose bytes are the same for every client of its game."""

    def encode(self) -> bytes:
        """The whole message."""
