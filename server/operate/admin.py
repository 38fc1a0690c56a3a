"""The admin channel: commands from tools outside, through a loopback socket (through rows of a table:
`server.operate.orders`).

docs/admin.md describes both for the people who write such tools. Whoever can read `<state_dir>/admin.json`
(mode 0600) may do everything; the token in it is made anew at every start and never crosses the channel.

The problem: scripts and panels in any language, with nothing but a socket or a table. One line of JSON
each way is what all of them can do; the token is shown by a proof over nonces of both sides, so that
neither whoever listens nor another program that took the port learns it. HTTP was not used, since a
browser that an operator has open can be made to send it; nor a socket in the file system, which not every
system and language has.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import logging
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

import trio

from server.commands.machinery import Answer
from server.files import write_private

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger("admin")

FILE: Final = "admin.json"
LONGEST_LINE: Final = 64 * 1024
IDLE_SECONDS: Final = 60.0
TOKEN_SECONDS: Final = 5.0
"""For the first two lines, which show that the token is known."""
CONNECTIONS: Final = 16
STRANGERS: Final = 64
"""Connections that have not shown it yet."""

_NONCE: Final = re.compile("[0-9A-Za-z]{16,128}")

Run: TypeAlias = Callable[[str, str, Mapping[str, str] | None], Awaitable[Answer]]
"""`server.commands.machinery.Commands.run`: who, command, arguments."""


class NotRunning(Exception):
    """No server answers for this state directory."""


OVERLOADED: Final = "is overloaded: it took too long to answer; ask again"


class BadRequest(Exception):
    """The line is no command; the message says why."""


class _Silent(Exception):
    """The server hung up without a word."""


class AdminChannel:
    """The loopback listener."""

    def __init__(self, run: Run, state_dir: Path) -> None:
        self._run = run
        self._path = state_dir / FILE
        self._token = secrets.token_hex(32)
        self._open = 0
        """Connections that have shown the token."""
        self._strangers: dict[trio.CancelScope, None] = {}
        """Those that have not, oldest first."""

    async def serve(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Listen until cancelled; started when admin.json is there, which is removed at the end."""
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        host, port = listener.socket.getsockname()
        text = json.dumps({"address": f"{host}:{port}", "token": self._token})
        write_private(self._path, text)
        try:
            task_status.started()
            await trio.serve_listeners(self.answer, [listener])
        finally:
            # A server that was started meanwhile has put its own there.
            with contextlib.suppress(OSError):
                if self._path.read_text(encoding="utf-8") == text:
                    self._path.unlink()

    async def answer(self, stream: trio.abc.Stream) -> None:
        """One connection: commands, one a line, each answered by one line."""
        async with stream:
            try:
                await self._converse(stream)
            except trio.BrokenResourceError:
                return
            except Exception:
                # A peer costs its own connection, never the server, whatever it sent.
                log.exception("a connection of the admin channel failed")

    async def _converse(self, stream: trio.abc.Stream) -> None:
        buffer = bytearray()
        if not await self._is_friend(stream, buffer) or self._open >= CONNECTIONS:
            return
        self._open += 1
        try:
            while True:
                line = None
                with trio.move_on_after(IDLE_SECONDS):
                    line = await _line(stream, buffer)
                if line is None:
                    return
                try:
                    request = json_object(line.decode("utf-8", "replace"))
                    answer = await self._run("admin channel", *command_of(request))
                except BadRequest as error:
                    answer = Answer(False, [str(error)])
                # The command may have been the one that ends this server.
                with trio.move_on_after(1, shield=True):
                    await stream.send_all(reply(answer).encode() + b"\n")
        finally:
            self._open -= 1

    async def _is_friend(self, stream: trio.abc.Stream, buffer: bytearray) -> bool:
        """Whether it shows soon that it knows the token. Those that are about to take no place from others:
        one too many ends the oldest."""
        with trio.move_on_after(TOKEN_SECONDS) as stranger:
            self._strangers[stranger] = None
            if len(self._strangers) > STRANGERS:
                next(iter(self._strangers)).cancel()
            try:
                return await self._exchange_proofs(stream, buffer)
            finally:
                del self._strangers[stranger]
        return False

    async def _exchange_proofs(self, stream: trio.abc.Stream, buffer: bytearray) -> bool:
        """The server proves first that it knows the token, then the other side: whoever got the port of a
        server that was killed learns neither the token nor a command."""
        line, theirs = await _line(stream, buffer), None
        if line is None:
            return False
        with contextlib.suppress(BadRequest):
            theirs = json_object(line.decode("utf-8", "replace")).get("nonce")
        if not isinstance(theirs, str) or not _NONCE.fullmatch(theirs):
            answer = Answer(False, ["the first line holds a nonce, see docs/admin.md"])
            await stream.send_all(reply(answer).encode() + b"\n")
            return False
        ours = secrets.token_hex(16)
        greeting = {"nonce": ours, "proof": proof(self._token, "server", theirs, ours)}
        await stream.send_all(json.dumps(greeting).encode() + b"\n")
        line, shown = await _line(stream, buffer), None
        if line is None:
            return False
        with contextlib.suppress(BadRequest):
            shown = json_object(line.decode("utf-8", "replace")).get("proof")
        if _is_proof(shown, proof(self._token, "client", theirs, ours)):
            return True
        log.warning("the admin channel was offered a wrong token")
        return False


def proof(token: str, side: str, client_nonce: str, server_nonce: str) -> str:
    """A hash by which `side`, client or server, shows that it knows the token, without sending it."""
    return hmac.digest(token.encode(), f"{side} {client_nonce} {server_nonce}".encode(), "sha256").hex()


def _is_proof(shown: object, expected: str) -> bool:
    # JSON can spell half of a surrogate pair, which plain UTF-8 does not encode.
    return isinstance(shown, str) and hmac.compare_digest(
        shown.encode("utf-8", "surrogatepass"), expected.encode()
    )


async def _line(stream: trio.abc.Stream, buffer: bytearray) -> bytes | None:
    """The next line; None if there is none, or one that is too long. `buffer` keeps what follows it."""
    while (end := buffer.find(b"\n")) < 0:
        if len(buffer) > LONGEST_LINE:
            return None
        data = await stream.receive_some(4096)
        if not data:
            return None
        buffer += data
    line = bytes(buffer[:end])
    del buffer[: end + 1]
    return line


def json_object(text: str) -> dict[str, object]:
    """A JSON object that somebody sent. Raises BadRequest."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise BadRequest(f"not JSON: {error}") from None
    except RecursionError:
        raise BadRequest("not JSON: nested too deep") from None
    if not isinstance(found, dict):
        raise BadRequest("not a JSON object")
    return found


def command_of(request: Mapping[str, object]) -> tuple[str, Mapping[str, str] | None]:
    """Command and arguments of a request; without "args" the command is a whole line. Raises
    BadRequest."""
    command, args = request.get("command"), request.get("args")
    if not isinstance(command, str) or request.keys() - {"command", "args"}:
        raise BadRequest('a request has "command", a text, and may have "args", an object')
    if args is None:
        return command, None
    if not isinstance(args, dict) or not all(isinstance(value, str | int) for value in args.values()):
        raise BadRequest('"args" is an object of texts and whole numbers')
    return command, {name: str(value) for name, value in args.items()}


def reply(answer: Answer) -> str:
    """An answer as it is written, in JSON."""
    return json.dumps({"ok": answer.ok, "lines": list(answer.lines)})


# The other side


def ask(
    state_dir: Path, command: str, args: Mapping[str, str] | None = None, *, within: float = 60.0
) -> Answer:
    """Give one command to the server that runs on that directory. Raises NotRunning."""
    try:
        access = json_object((state_dir / FILE).read_text(encoding="utf-8"))
        host, _, port = str(access["address"]).rpartition(":")
        token, nonce = str(access["token"]), secrets.token_hex(16)
        request = {"command": command} if args is None else {"command": command, "args": dict(args)}
        with (
            socket.create_connection((host, int(port)), timeout=within) as connection,
            connection.makefile("rw", encoding="utf-8", newline="\n") as file,
        ):
            file.write(json.dumps({"nonce": nonce}) + "\n")
            file.flush()
            greeting = json_object(_said(file.readline(LONGEST_LINE)))
            theirs = str(greeting["nonce"])
            _require_proof(greeting["proof"], proof(token, "server", nonce, theirs))
            shown = json.dumps({"proof": proof(token, "client", nonce, theirs)})
            file.write(f"{shown}\n{json.dumps(request)}\n")
            file.flush()
            answer = json_object(_said(file.readline()))
        return Answer(answer["ok"] is True, [str(text) for text in _list(answer["lines"])])
    except FileNotFoundError as error:
        raise NotRunning(f"no server is running in {state_dir}") from error
    except TimeoutError as error:
        raise NotRunning(f"the server in {state_dir} {OVERLOADED}") from error
    except _Silent as error:
        raise NotRunning(f"the server in {state_dir} {OVERLOADED}") from error
    except (OSError, KeyError, ValueError, BadRequest) as error:
        # A file that a killed server left behind, and whoever has its port now, look like this.
        raise NotRunning(f"the server in {state_dir} does not answer: {error}") from error


def _require_proof(shown: object, expected: str) -> None:
    if not _is_proof(shown, expected):
        raise BadRequest("whoever answers there does not know its token")


def _said(line: str) -> str:
    """A line of the server's. It hangs up without one on who has not shown in time that it knows the token,
    which happens to its friends when the world keeps it busy."""
    if not line:
        raise _Silent
    return line


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
