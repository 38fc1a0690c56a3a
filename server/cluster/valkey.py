"""The line to Valkey, or to Redis, by coredis: the only place that knows the library.

It is imported when a configuration names a server, and not before: a world that stands alone pays nothing.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import anyio
import coredis
import trio
from coredis.exceptions import RedisError
from coredis.retry import NoRetryPolicy

from server.cluster.bus import Cut

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from coredis.patterns.pubsub import PubSub

SCHEMES: Final = {"valkey": "redis", "valkeys": "rediss"}
"""Valkey's own schemes, of which the library knows those of Redis."""

PORT: Final = 6379
"""Where such a server listens if nobody says."""

# What it writes about each attempt that fails, the bus says once (`server.cluster.bus`).
logging.getLogger("coredis").setLevel(logging.CRITICAL)


class Valkey:
    """A server, by its URL: valkey://USER:PASSWORD@HOST:PORT/DATABASE, or redis://; with a final s over
    TLS."""

    def __init__(self, url: str) -> None:
        scheme, _, rest = url.partition("://")
        self._url = f"{SCHEMES.get(scheme, scheme)}://{rest}"
        parts = urlsplit(self._url)
        self._address = (parts.hostname or "localhost", parts.port or PORT)

    @asynccontextmanager
    async def open(self, channels: Sequence[str]) -> AsyncIterator[Open]:
        """See `server.cluster.bus.Line`. Patience and further attempts are the bus's, not the library's.
        Raises Cut."""
        await self._knock()
        try:
            client = coredis.Redis.from_url(self._url, retry_policy=NoRetryPolicy(), verify_version=False)
            async with (
                client,
                client.pubsub(
                    channels=channels, ignore_subscribe_messages=True, retry_policy=NoRetryPolicy()
                ) as subscription,
            ):
                yield Open(client, subscription)
        except* (RedisError, TimeoutError, anyio.ClosedResourceError) as errors:
            raise Cut(_words(errors)) from None

    async def _knock(self) -> None:
        """Whether anybody is there: an attempt of the library that fails leaves streams unclosed behind, of
        which Python complains when it collects them."""
        try:
            stream = await trio.open_tcp_stream(*self._address)
        except OSError as error:
            raise Cut(f"nobody answers at {self._address[0]}:{self._address[1]}") from error
        await stream.aclose()


class Open:
    """An open connection; see `server.cluster.bus.Connection`."""

    def __init__(self, client: coredis.Redis[bytes], subscription: PubSub[bytes]) -> None:
        self._client = client
        self._subscription = subscription

    async def publish(self, channel: str, data: bytes) -> None:
        """See Connection."""
        await self._client.publish(channel, data)

    async def put(self, key: str, data: bytes, seconds: int) -> None:
        """See Connection."""
        await self._client.set(key, data, ex=seconds)

    async def get(self, key: str) -> bytes | None:
        """See Connection."""
        return await self._client.get(key)

    async def heard(self) -> bytes:
        """See Connection."""
        while True:
            message = await self._subscription.get_message()
            if message is not None and isinstance(data := message["data"], bytes):
                return data


def _words(error: BaseException) -> str:
    """The first of what went wrong, as a line; it names no password, for the URL is in none of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
