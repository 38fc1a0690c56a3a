"""The servers that a cluster stands on, found among the programs of this machine and started for it alone: a
private PostgreSQL and a private Valkey (or Redis), on ports of loopback and behind passwords of their own.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import trio

from server.operate.cluster_files import ClusterError
from server.operate.cluster_processes import Child

if TYPE_CHECKING:
    import pwd

USERS: Final = ("postgres", "nobody")
"""PostgreSQL does not run as root: one of these it runs as then."""

DEBIAN: Final = Path("/usr/lib/postgresql")
"""Where Debian keeps PostgreSQL's programs, by version, and out of PATH."""

READY_LINE: Final = 7
"""Of postmaster.pid, counted from 0: "ready" once everybody is heard, behind the process id in the first one
(src/include/utils/pidfile.h of PostgreSQL, LOCK_FILE_LINE_PM_STATUS; pg_ctl looks there, too)."""

DATABASE: Final = "postgres"
"""The one that initdb makes. Nobody else uses this server, so it needs no other."""

NO_DRIVER: Final = "psycopg, which speaks to PostgreSQL, is not installed: pip install 'psycopg[binary]'"
NO_POSTGRESQL: Final = (
    "there is no PostgreSQL on this machine: initdb is neither in PATH nor in /usr/lib/postgresql/*/bin "
    "(Debian: the package postgresql)"
)
NO_VALKEY: Final = (
    "there is no Valkey or Redis on this machine: neither valkey-server nor redis-server is in PATH "
    "(Debian: the package valkey-server, or redis-server)"
)


@attrs.frozen
class Programs:
    """Places of programs: a folder with initdb and postgres, and a server of the Redis protocol."""

    postgresql: Path
    valkey: str


def find_programs() -> Programs:
    """The newest there are. Raises ClusterError naming what is missing, and the package that has it."""
    if sys.platform == "win32":
        raise ClusterError("this is not for Windows: PostgreSQL and Valkey are started as they are on Unix")
    if find_spec("psycopg") is None:
        raise ClusterError(NO_DRIVER)
    folders = sorted(
        DEBIAN.glob("*/bin"),
        key=lambda folder: _version(folder.parent.name),
        reverse=True,
    )
    if (found := shutil.which("initdb")) is not None:
        folders.append(Path(found).resolve().parent)
    folder = next(
        (one for one in folders if all((one / name).exists() for name in ("initdb", "postgres"))), None
    )
    if folder is None:
        raise ClusterError(NO_POSTGRESQL)
    valkey = shutil.which("valkey-server") or shutil.which("redis-server")
    if valkey is None:
        raise ClusterError(NO_VALKEY)
    return Programs(folder, valkey)


def _version(text: str) -> int:
    return int(text) if text.isdecimal() else 0


@attrs.frozen
class PostgreSQL:
    """A server in a folder, which is made at the first start and stays."""

    folder: Path
    programs: Path
    port: int
    password: str
    user: pwd.struct_passwd | None
    """Whom it runs as; None: whoever started this."""

    @property
    def url(self) -> str:
        """Of its database, for a configuration."""
        return f"postgresql://causeway:{self.password}@127.0.0.1:{self.port}/{DATABASE}"

    @property
    def child(self) -> Child:
        """It as a process. At SIGINT it ends its clients' transactions and stops in good order."""
        data = self.folder / "data"
        words = ["-D", str(data), "-p", str(self.port), "-k", "", "-c", "listen_addresses=127.0.0.1"]

        def ready(process: trio.Process) -> bool:
            try:
                lines = (data / "postmaster.pid").read_text().splitlines()
            except OSError:
                return False
            # One of a server that was killed may still lie there.
            return lines[:1] == [str(process.pid)] and "ready" in "".join(lines[READY_LINE:])

        return Child(
            "PostgreSQL",
            [str(self.programs / "postgres"), *words],
            self.folder,
            ready,
            told=lambda: f"127.0.0.1:{self.port}",
            user=self.user,
            stops_at=signal.SIGINT,
        )


def make_postgresql(folder: Path, programs: Path, port: int) -> PostgreSQL:
    """The server in a folder, made if there is none yet. Raises ClusterError."""
    user = _user() if os.geteuid() == 0 else None
    if user is not None and (closed := closed_to(user, folder)) is not None:
        raise ClusterError(
            f"PostgreSQL does not run as root, and {user.pw_name}, whom it runs as here, may not enter "
            f"{closed}: open that (chmod o+x), name another --directory, or do not start this as root"
        )
    known = folder / "password"
    if not (folder / "data" / "PG_VERSION").exists():
        shutil.rmtree(folder / "data", ignore_errors=True)  # of a start that was broken off
        data = folder / "data"
        data.mkdir()
        known.write_text(secrets.token_hex(16) + "\n")
        if user is not None:
            for path in (data, known):
                os.chown(path, user.pw_uid, user.pw_gid)
        _initdb(data, known, programs, user)
    return PostgreSQL(folder, programs, port, known.read_text().strip(), user)


def _initdb(data: Path, known: Path, programs: Path, user: pwd.struct_passwd | None) -> None:
    words = ["-U", "causeway", "-A", "scram-sha-256", "--pwfile", str(known), "-E", "UTF8", "--locale=C"]
    done = subprocess.run(
        [str(programs / "initdb"), "-D", str(data), *words],
        cwd=data.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        user=None if user is None else user.pw_uid,
        group=None if user is None else user.pw_gid,
        extra_groups=None if user is None else [],
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
    )
    if done.returncode:
        last = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
        raise ClusterError("initdb made no database: " + "".join(last))


def _user() -> pwd.struct_passwd:
    import pwd

    for name in USERS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise ClusterError(
        "PostgreSQL does not run as root, and there is neither a user postgres nor nobody here"
    )


def closed_to(user: pwd.struct_passwd, folder: Path) -> Path | None:
    """The first of a folder and its parents, from the root on, that a user may not enter; None: may all."""
    for path in (*reversed(folder.parents), folder):
        status = path.stat()
        if status.st_uid == user.pw_uid:
            enters = status.st_mode & 0o100
        elif status.st_gid == user.pw_gid:
            enters = status.st_mode & 0o010
        else:
            enters = status.st_mode & 0o001
        if not enters:
            return path
    return None


@attrs.frozen
class Valkey:
    """A server in a folder, without anything on disk but its configuration."""

    folder: Path
    program: str
    port: int
    password: str

    @property
    def url(self) -> str:
        """For a configuration."""
        return f"valkey://:{self.password}@127.0.0.1:{self.port}"

    @property
    def child(self) -> Child:
        """It as a process."""

        def told() -> str:
            return f"127.0.0.1:{self.port}"

        async def ready(_: trio.Process) -> bool:
            try:
                stream = await trio.open_tcp_stream("127.0.0.1", self.port)
            except OSError:
                return False
            await stream.aclose()
            return True

        command = [self.program, str(self.folder / "valkey.conf")]
        return Child("Valkey", command, self.folder, ready, told=told)


def make_valkey(folder: Path, program: str, port: int) -> Valkey:
    """The server in a folder, under a new password. That stands in a file, for everybody may read a command
    line."""
    password = secrets.token_hex(16)
    lines = ["bind 127.0.0.1", f"port {port}", 'save ""', "appendonly no", "daemonize no"]
    (folder / "valkey.conf").write_text("\n".join([*lines, f"requirepass {password}"]) + "\n")
    return Valkey(folder, program, port, password)
