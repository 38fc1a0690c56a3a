"""`causeway check`: everything that would go wrong, found before a server is started, and all of it at once;
and the mending of what can be mended."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import attrs

from protocol.background import WORLD
from protocol.games import make_families
from server.commands.staff import TABLE
from server.content import loading as content
from server.content.families import DATA
from server.net.listening import bind, bind_datagrams
from server.operate import admin
from server.settings import config, roles
from server.store import migrate
from server.store.backup import back_up, whole_backups
from server.store.check import check_database, repair_database
from server.store.database import Database
from server.store.engine import database_path, require_driver
from server.store.errors import STORAGE_ERRORS, DatabaseDamaged, DatabaseError, explained
from server.store.lock import WorldLock, missing_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from protocol.game import Game
    from world.content import Content


@attrs.define
class Report:
    """Findings of a check. `notes` are no mistakes; `unverified` are rows of look tables without a confirmed
    source."""

    problems: list[str] = attrs.field(factory=list)
    notes: list[str] = attrs.field(factory=list)
    unverified: list[str] = attrs.field(factory=list)


def check(path: Path, games: Mapping[str, Game], *, data_dir: Path = DATA) -> Report:
    """Look at the configuration, the content, the database and the ports. Nothing is changed."""
    report = Report()
    found = _content(data_dir, games, report)
    try:
        settings = config.load(path)
    except config.ConfigError as error:
        report.problems[:0] = error.problems
        return report
    report.problems += _directory("server.state_dir", settings.server.state_dir)
    _database(settings, found, report)
    _ports(settings, report)
    return report


def repair(path: Path, *, data_dir: Path = DATA) -> list[str]:
    """Mend what `check` finds in the rows of the database, after a backup; what was wrong, in lines.

    Things without a place come into a container at the first spawn. Raises ConfigError, ContentError, and
    DatabaseError: DatabaseHeld while a server runs, DatabaseDamaged if the file itself is broken, which only
    a backup helps.
    """
    settings = config.load(path)
    found = content.load(data_dir)
    url, backups = settings.database.url, settings.server.state_dir / "backups"
    file = database_path(url)
    if file is None or not file.exists():
        raise DatabaseError("there is no SQLite file to repair")
    x, y = found.charts[found.start_realm].spawns[0]
    template = next(key for key, row in found.items.items() if row.container and row.movable)
    lock = WorldLock(url)
    try:
        migrate.upgrade(url, backups)
        database = Database(url)
        try:
            findings = check_database(database, realms=found.charts)
            broken = [finding.detail for finding in findings if finding.kind == "structure"]
            if broken:
                raise DatabaseDamaged(f"{file} is broken: {broken[0]}", whole_backups(backups, file))
            if findings:
                back_up(file, backups, f"before-repair-{int(time.time())}")
                repair_database(
                    database, template=template, realm=found.start_realm, x=x, y=y, realms=found.charts
                )
        finally:
            database.close()
    finally:
        lock.release()
    return [f"{finding.kind}: {finding.detail}" for finding in findings]


def _content(data_dir: Path, games: Mapping[str, Game], report: Report) -> Content | None:
    try:
        found = content.load(data_dir)
    except content.ContentError as error:
        report.problems += error.problems
        return None
    report.unverified += found.unverified
    report.problems += make_families(found, games)[1]
    report.problems += TABLE.hides(found.scripts)
    return found


def _directory(key: str, path: Path) -> Iterator[str]:
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    if not existing.is_dir():
        yield f"{key}: {existing} is not a directory"
    elif not os.access(existing, os.W_OK | os.X_OK):
        yield f"{key}: {existing} cannot be written to"


def _database(settings: config.Settings, found: Content | None, report: Report) -> None:
    path = database_path(settings.database.url)
    try:
        require_driver(settings.database.url)
    except STORAGE_ERRORS as error:
        report.problems.append(f"database.url: {explained(error)}")
        return
    if path is None:
        report.notes.append(
            "the database is not an SQLite file: its state is looked at when the server starts"
        )
        return
    if not path.exists():
        missing = missing_folder(settings.database.url, settings.server.state_dir)
        if WORLD not in settings.server.roles:
            report.notes.append(f"{path} does not exist yet, the world server will make it")
        elif missing is not None:
            report.problems.append(f"database.url: {missing}")
        else:
            report.problems += _directory("database.url", path.parent)
            report.notes.append(f"{path} does not exist yet, the server will make it")
        return
    try:
        revision = _revision(path)
        known = migrate.revisions()
        if revision not in known:
            report.problems.append(f"{path}: has version {revision}, unknown to this program")
            return
        if revision != known[-1]:
            report.notes.append(f"{path} has version {revision}, the server will bring it to {known[-1]}")
            return
        database = Database(settings.database.url)
    except Exception as error:
        report.problems.append(f"{path}: {error}")
        return
    try:
        report.problems += (
            f"{path}: {finding.kind}: {f'{finding.serial:#x} ' if finding.serial else ''}{finding.detail}"
            for finding in check_database(
                database,
                realms=None if found is None else found.charts,
                templates=None if found is None else found.items,
            )
        )
    except Exception as error:
        report.problems.append(f"{path}: {error}")
    finally:
        database.close()


def _revision(path: Path) -> str | None:
    """The schema version of a file, without changing a byte of it. Raises sqlite3.Error."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def _ports(settings: config.Settings, report: Report) -> None:
    running = _is_running(settings.server.state_dir)
    if running:
        report.notes.append(f"a server is running in {settings.server.state_dir}: its ports were not tried")
    for name, listener, door, address in roles.open_doors(settings):
        report.notes.append(f"listen.{name}.{door}: {address}")
        if running or not address.port:
            continue
        try:
            if listener.datagrams:
                bind_datagrams(address, listener.codec_settings()).close()
            else:
                bind(address, 1).close()
        except OSError as error:
            report.problems.append(f"listen.{name}.{door}: {address}: {error.strerror or error}")
    for _, wanted in roles.background_sockets(settings):
        key, place = f"listen.{wanted.table}.{wanted.key}", wanted.address
        report.notes.append(f"{key}: {place}")
        if not running and place.port:
            try:
                bind(place, 1).close()
            except OSError as error:
                report.problems.append(f"{key}: {place}: {error.strerror or error}")


def _is_running(state_dir: Path) -> bool:
    try:
        return admin.ask(state_dir, "status", within=5.0).ok
    except admin.NotRunning:
        return False
