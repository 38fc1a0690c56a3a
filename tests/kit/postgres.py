"""A PostgreSQL server of a test's own, on a free port of this machine, that can be stopped the hard way."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

USERS = ("postgres", "nobody")
"""PostgreSQL does not run as root; where the tests do, one of these has to exist."""


NEEDED = ("initdb", "pg_ctl", "createdb", "psql")


def programs() -> Path | None:
    """Where PostgreSQL's programs are; None if it is not installed."""
    # Debian keeps them out of the way, by version.
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    if found is not None:
        candidates.append(Path(found).parent)
    return next(
        (folder for folder in candidates if all((folder / program).exists() for program in NEEDED)), None
    )


MISSING = programs() is None and not os.environ.get("CI")
"""Whether tests that need it are left out; CI has to have it."""
WHY = "no PostgreSQL: initdb is neither in PATH nor in /usr/lib/postgresql/*/bin"


class Cluster:
    """One database server. Everybody may do everything in it; nobody but this machine reaches it."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.programs = programs
        self.folder = folder
        self.data = folder / "data"
        self.user = _user() if os.geteuid() == 0 else None
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = int(listener.getsockname()[1])
        if self.user is not None:
            shutil.chown(folder, self.user)
            # The folders pytest makes are closed to everybody else.
            for parent in folder.parents:
                if parent.stat().st_uid == 0 and not parent.stat().st_mode & 0o001:
                    parent.chmod(parent.stat().st_mode | 0o011)
        options = ["-U", "causeway", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", "-D", str(self.data), *options)

    def url(self, database: str) -> str:
        """Of one of its databases, for a configuration."""
        return f"postgresql://causeway@127.0.0.1:{self.port}/{database}"

    def make(self, database: str) -> str:
        """A new database; its URL."""
        where = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "causeway"]
        self._run("createdb", *where, database)
        return self.url(database)

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = f"-p {self.port} -k '' -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=40"
        log = str(self.folder / "log.txt")
        self._run("pg_ctl", "start", "-w", "-s", "-D", str(self.data), "-l", log, "-o", options)

    def stop(self, mode: str = "immediate") -> None:
        """Stop; "immediate" is as good as a power failure."""
        self._run("pg_ctl", "stop", "-w", "-s", "-m", mode, "-D", str(self.data))

    def say(self, database: str, sql: str) -> str:
        """Run one statement by psql; what it prints."""
        where = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "causeway", "-X", "-A", "-t", "-c", sql]
        return self._run("psql", *where, database).strip()

    def _run(self, program: str, *arguments: str) -> str:
        output = self.folder / "output.txt"
        with output.open("wb") as file:
            done = subprocess.run(
                [str(self.programs / program), *arguments],
                user=self.user,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                # A file: the server that pg_ctl starts would keep a pipe open.
                stdout=file,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=60,
                env={
                    "PATH": os.environ.get("PATH", ""),
                    "LC_ALL": "C",
                    "PGOPTIONS": "-c default_transaction_read_only=off",
                },
            )
        printed = output.read_text(errors="replace")
        assert done.returncode == 0, f"{program}: {printed}"
        return printed


def _user() -> str:
    import pwd

    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in USERS if name in known)
