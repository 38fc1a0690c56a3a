"""A PostgreSQL server of the tests' own, on a free port of this machine, that can be stopped the hard way.

There is one for each run of the tests, however many processes they run in: `shared` is its lifetime, and
`Cluster.held` the time of one test, which has it alone if it stops or changes the whole server.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from server.store.migrate import upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator

USERS = ("postgres", "nobody")
"""PostgreSQL does not run as root; where the tests do, one of these has to exist."""


NEEDED = ("initdb", "pg_ctl", "psql", "pg_basebackup")
MIGRATED = "migrated"
"""The database of which new ones are copies."""


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
        """In an empty folder a new one; else the one that was made there."""
        self.programs = programs
        self.folder = folder
        self.data = folder / "data"
        self.user = _user() if os.geteuid() == 0 else None
        self._numbers = itertools.count()
        made = folder / "made.json"
        if made.exists():
            self.port = int(json.loads(made.read_text())["port"])
        else:
            self._make()
            made.write_text(json.dumps({"port": self.port}))

    def _make(self) -> None:
        folder = self.folder
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

    def standby(self, folder: Path, port: int) -> Cluster:
        """A copy of it in an empty folder, not started yet, that follows it by what it hears on that port."""
        if self.user is not None:
            shutil.chown(folder, self.user)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            own = int(listener.getsockname()[1])
        (folder / "made.json").write_text(json.dumps({"port": own}))
        where = ["-D", str(folder / "data"), "-h", "127.0.0.1", "-p", str(port), "-U", "causeway"]
        self._run("pg_basebackup", *where, "-R", "-c", "fast", "--no-sync")
        return Cluster(folder, self.programs)

    def promote(self) -> None:
        """Have a standby take over."""
        self._run("pg_ctl", "promote", "-w", "-s", "-D", str(self.data))

    def url(self, database: str) -> str:
        """Of one of its databases, for a configuration."""
        return f"postgresql://causeway@127.0.0.1:{self.port}/{database}"

    def make(self, database: str = "", *, template: str = "template1") -> str:
        """A new database, under a name of its own if none is given; its URL. It is a copy of `template`,
        which nobody is connected to."""
        database = database or f"world{os.getpid()}_{next(self._numbers)}"
        self._do("postgres", f"CREATE DATABASE {database} TEMPLATE {template}")
        return self.url(database)

    def migrated(self) -> str:
        """A new database that is up to date; its URL. The first of a run is migrated, revision by revision,
        and all of them are copies of it."""
        made = self.folder / "migrated"
        with _locked(self.folder / "migrated.lock", alone=True):
            if not made.exists():
                upgrade(self.make(MIGRATED), self.folder)
                made.touch()
        url = self.make(template=MIGRATED)
        # As the revision that made it has it.
        self._do(url.rpartition("/")[2], "UPDATE world SET beat = now()")
        return url

    def _do(self, database: str, sql: str) -> None:
        import psycopg

        # As for the programs: a test that failed may have left it read-only.
        writes = "-c default_transaction_read_only=off"
        with psycopg.connect(self.url(database), autocommit=True, options=writes) as connection:
            connection.execute(sql.encode())

    @contextlib.contextmanager
    def held(self, *, alone: bool = False) -> Iterator[None]:
        """While a test uses it; `alone`, while nobody else does."""
        with _locked(self.folder / "held.lock", alone=alone):
            yield

    @property
    def running(self) -> bool:
        """Whether it was started, and not stopped."""
        return (self.data / "postmaster.pid").exists()

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = f"-p {self.port} -k '' -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=80"
        options += " -c track_commit_timestamp=on"
        log = str(self.folder / "log.txt")
        self._run("pg_ctl", "start", "-w", "-s", "-D", str(self.data), "-l", log, "-o", options)

    def stop(self, mode: str = "immediate") -> None:
        """Stop; "immediate" is as good as a power failure."""
        self._run("pg_ctl", "stop", "-w", "-s", "-m", mode, "-D", str(self.data))

    def kill(self) -> None:
        """kill -9 of the server, and wait until all processes that it had have noticed."""
        pid = (self.data / "postmaster.pid").read_text(encoding="ascii").split()[0]
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        os.kill(int(pid), signal.SIGKILL)
        deadline = time.monotonic() + 30
        while any(Path(f"/proc/{one}").exists() for one in (pid, *children)):
            assert time.monotonic() < deadline, "its processes do not end"
            time.sleep(0.01)
        # It says that it runs, until somebody starts it.
        (self.data / "postmaster.pid").unlink()

    def say(self, database: str, sql: str) -> str:
        """Run one statement by psql; what it prints."""
        where = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "causeway", "-X", "-A", "-t", "-c", sql]
        return self._run("psql", *where, database).strip()

    def _run(self, program: str, *arguments: str) -> str:
        output = self.folder / f"output{os.getpid()}.txt"
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


@contextlib.contextmanager
def alone() -> Iterator[Cluster]:
    """A server of somebody's own, for who kills it again and again; it is started."""
    found = programs()
    assert found is not None
    with tempfile.TemporaryDirectory(prefix="causeway-postgresql-") as folder:
        cluster = Cluster(Path(folder), found)
        cluster.start()
        try:
            yield cluster
        finally:
            if cluster.running:
                cluster.stop()


@contextlib.contextmanager
def shared(run: Path) -> Iterator[Cluster]:
    """The server of all tests whose run has this folder: the first to come starts it, the last stops it."""
    found = programs()
    assert found is not None
    # Not in the run's own folder: that is closed to the user whom the server runs as.
    where, door, users = (run / f"postgresql.{name}" for name in ("folder", "door", "users"))
    with contextlib.ExitStack() as using:
        with _locked(door, alone=True):
            if not where.exists():
                where.write_text(tempfile.mkdtemp(prefix="causeway-postgresql-"))
            cluster = Cluster(Path(where.read_text()), found)
            using.enter_context(_locked(users))
            if not cluster.running:
                cluster.start()
        yield cluster
        with _locked(door, alone=True):
            using.close()
            with contextlib.suppress(BlockingIOError), _locked(users, alone=True, wait=False):
                cluster.stop()
                where.unlink()
                shutil.rmtree(cluster.folder)


@contextlib.contextmanager
def _locked(path: Path, *, alone: bool = False, wait: bool = True) -> Iterator[None]:
    """A lock that ends with its process, however that ends. Raises BlockingIOError if it has to `wait`, and
    is not to."""
    import fcntl

    with path.open("a") as file:
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)
        yield


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The database server of this run."""
    run = tmp_path_factory.getbasetemp()
    with shared(run.parent if "PYTEST_XDIST_WORKER" in os.environ else run) as made:
        yield made


@pytest.fixture
def held_cluster(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """The same while a test uses it. Tests marked `outage` have it for themselves."""
    with cluster.held(alone=request.node.get_closest_marker("outage") is not None):
        if not cluster.running:
            cluster.start()  # a test that failed has left it so
        yield cluster


@pytest.fixture
def url(held_cluster: Cluster) -> str:
    """Of a new database there, which is up to date."""
    return held_cluster.migrated()


@pytest.fixture
def empty_url(held_cluster: Cluster) -> str:
    """Of a new database there in which nothing is yet."""
    return held_cluster.make()


def _user() -> str:
    import pwd

    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in USERS if name in known)
