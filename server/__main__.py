"""The `causeway` command: from the words of a shell to an exit code (`server.exits`).

The problem: one program is an operator's tool, a server and a bench, and most of its commands are to
answer at once. The idea: here are the words of the command line and nothing that takes long to import;
what does (games, bots, content, pictures) is imported by the command that needs it. A command for a
running server is its words, sent through the admin channel and parsed there
(`server.commands.machinery`), so that it reads the same in the game, at the console and here; `account`
works on the database itself where no server runs.

No framework for command lines: argparse explains usage and mistakes well enough. One module: a command is
a few lines here, and whoever looks for one finds it.
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from protocol.games import GAMES
from protocol.tables import nearest
from server import exits
from server.operate import admin, arguments, offline
from server.operate.restore import restore, verify
from server.settings import config
from server.store.backup import back_up, is_whole, whole_backups
from server.store.engine import database_path
from server.store.errors import DatabaseDamaged, DatabaseError, DatabaseHeld, storage_explained
from server.store.lock import WorldLock, require_folder
from server.version import version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from server.commands.machinery import Answer


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code (`server.exits`). Bad arguments leave as SystemExit(2)."""
    args = _parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = args.run
    # Databases, backups and logs hold hashes and addresses: they are nobody else's.
    before = os.umask(0o077)
    try:
        return _run(run, args)
    finally:
        os.umask(before)


def command() -> None:
    """Run the command of this process, and end that. What it had in memory is not taken apart: for a server
    with a world that takes a second, just when the next one begins."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # nobody reads it any more
            stream.flush()
    os._exit(code)


def _run(run: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    try:
        with storage_explained():
            return run(args)
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.GOOD
    except config.ConfigError as error:
        return _complain(exits.REFUSED, *error.problems)
    except DatabaseHeld as error:
        return _complain(exits.HELD, str(error))
    except DatabaseDamaged as error:
        orders = [
            f"to restore it: causeway restore --config {args.config} {backup}" for backup in error.backups
        ]
        return _complain(exits.DAMAGED, str(error), *(orders or ["there is no backup of it"]))
    except (DatabaseError, admin.NotRunning) as error:
        return _complain(exits.REFUSED, str(error))


def _complain(code: int, *lines: str) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return code


# The server


def _serve(args: argparse.Namespace) -> int:
    from server.boot import start

    return start.run(config.load(args.config), args.config)


def _cluster(args: argparse.Namespace) -> int:
    from server.operate import cluster

    return cluster.run(config.load(args.config), args)


def _check(args: argparse.Namespace) -> int:
    from server.content.loading import ContentError
    from server.operate.check import check, repair

    if args.repair:
        try:
            for line in repair(args.config):
                print(f"was wrong: {line}")
        except (config.ConfigError, ContentError) as error:
            return _complain(exits.FOUND, *error.problems)
    report = check(args.config, GAMES)
    for problem in report.problems:
        print(problem)
    if args.verbose:
        for line in (*report.notes, *(f"unverified: {row}" for row in report.unverified)):
            print(line)
    count = len(report.problems)
    print(f"{count} {'problem' if count == 1 else 'problems'}" if count else "nothing is wrong")
    return exits.FOUND if report.problems else exits.GOOD


def _tell(args: argparse.Namespace) -> int:
    """A command that needs a running server: the words of the command line are the command."""
    given = getattr(args, "words", None) or ()
    words = [args.command, *([given] if isinstance(given, str) else given)]
    return _show(admin.ask(config.load(args.config).server.state_dir, " ".join(words)))


def _do(args: argparse.Namespace) -> int:
    """Words to the world of a running server. Nothing is printed but the answer, and why it was refused."""
    answer = admin.ask(config.load(args.config).server.state_dir, " ".join(args.words))
    _show(answer)
    return exits.GOOD if answer.ok else exits.FOUND


def _trace(args: argparse.Namespace) -> int:
    given = {"account": args.account, "minutes": args.off or args.minutes}
    words = {name: str(value) for name, value in given.items() if value is not None}
    return _show(admin.ask(config.load(args.config).server.state_dir, "trace", words))


def _console(args: argparse.Namespace) -> int:
    state_dir = config.load(args.config).server.state_dir
    _show(admin.ask(state_dir, "status"))
    for line in sys.stdin:
        if line.strip():
            _show(admin.ask(state_dir, line.strip()))
    return exits.GOOD


def _show(answer: Answer) -> int:
    for line in answer.lines:
        print(line, file=sys.stdout if answer.ok else sys.stderr)
    return exits.GOOD if answer.ok else exits.REFUSED


# Accounts


def _account(args: argparse.Namespace) -> int:
    settings = config.load(args.config)
    given = {name: getattr(args, name, None) for name in ("name", "level", "duration", "reason")}
    named = {name: str(value) for name, value in given.items() if value is not None}
    if args.asks_password:
        named["password"] = _password()
    command = f"account {args.action}"
    try:
        return _show(admin.ask(settings.server.state_dir, command, named))
    except admin.NotRunning:
        return _show(offline.run(settings, command, named))


def _password() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("Password: ")
    return sys.stdin.readline().rstrip("\r\n")


# Backups


def _database_file(settings: config.Settings) -> Path:
    path = database_path(settings.database.url)
    if path is None:
        raise DatabaseError("only SQLite files are backed up here; for PostgreSQL use pg_dump")
    return path


def _backup(args: argparse.Namespace) -> int:
    settings = config.load(args.config)
    path = _database_file(settings)
    if not path.exists():
        return _complain(exits.REFUSED, f"{path} does not exist")
    directory = offline.backups(settings)
    with storage_explained(lambda: whole_backups(directory, path)):
        print(back_up(path, directory, time.strftime("%Y%m%d-%H%M%S")))
    return exits.GOOD


def _restore(args: argparse.Namespace) -> int:
    settings = config.load(args.config)
    path = _database_file(settings)
    if not args.backup.is_file():
        return _complain(exits.REFUSED, f"there is no file {args.backup}")
    if args.verify:
        problems = verify(args.backup, path.parent)
        if problems:
            return _complain(exits.DAMAGED, *(f"{args.backup}: {problem}" for problem in problems))
        print(f"{args.backup} is whole and can be restored")
        return exits.GOOD
    if not is_whole(args.backup):
        return _complain(exits.DAMAGED, f"{args.backup} is not what was written, or has no .sha256 beside it")
    require_folder(settings.database.url, settings.server.state_dir)
    lock = WorldLock(settings.database.url)
    try:
        replaced = restore(args.backup, path)
    finally:
        lock.release()
    print(f"{path} is {args.backup} again" + (f"; what was there is now {replaced}" if replaced else ""))
    return exits.GOOD


# Bots


def _bots(args: argparse.Namespace) -> int:
    from server.bots.commands import run_bots

    return run_bots(args)


def _bench(args: argparse.Namespace) -> int:
    from server.bots.commands import run_bench

    return run_bench(args)


# Information


def _packets(args: argparse.Namespace) -> int:
    from server.content.reference import reference

    if args.game not in GAMES:
        return _complain(exits.REFUSED, f"{args.game} is none of: {', '.join(GAMES)}")
    print(reference(args.game), end="")
    return exits.GOOD


def _views(args: argparse.Namespace) -> int:
    from server.content.reference import renewed, requests, shipped_families, views

    families = shipped_families()
    if args.into is None:
        print(views(families), requests(families), sep="\n", end="")
        return exits.GOOD
    try:
        args.into.write_text(renewed(args.into.read_text(encoding="utf-8"), families), encoding="utf-8")
    except (OSError, ValueError) as error:
        return _complain(exits.REFUSED, f"{args.into}: {error}")
    return exits.GOOD


def _export(args: argparse.Namespace) -> int:
    from protocol.export import ExportError, Order
    from server.content.export import export
    from server.content.families import DATA
    from server.content.loading import ContentError, load

    try:
        content = load(DATA)
        to = args.to or Path("export") / args.game
        order = Order(to, args.realm or content.start_realm, args.client, args.map, args.puzzle)
        lines = export(args.game, content, order, DATA)
    except ContentError as error:
        return _complain(exits.REFUSED, *error.problems)
    except ExportError as error:
        return _complain(exits.REFUSED, str(error))
    except OSError as error:
        return _complain(exits.REFUSED, f"{error.filename or args.to}: {error.strerror}")
    print("\n".join(lines))
    return exits.GOOD


# Content


def _write(args: argparse.Namespace) -> int:
    """What somebody does who writes content."""
    from server.operate.writers import run

    return run(args)


def _version(_: argparse.Namespace) -> int:
    print(f"causeway {version()}")
    return exits.GOOD


# Arguments


class _Parser(argparse.ArgumentParser):
    """`closing` is asked for the last words of the help when somebody wants to read it: what they tell of is
    in modules that take a second to import."""

    closing: Callable[[], str] | None = None

    def format_help(self) -> str:
        if self.closing is not None:
            self.epilog = self.closing()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """As ever, and for a mistyped word the nearest there is."""
        mistyped = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)$", message)
        if mistyped is not None:
            message += nearest(mistyped[1], re.findall(r"'([^']*)'", mistyped[2]))
        super().error(message)


def _packets_closing() -> str:
    return f"Games: {', '.join(GAMES)}."


def _bots_closing() -> str:
    from server.bots.commands import MOVES
    from server.bots.games import BOTS

    return f"Games: {', '.join(BOTS)}. Scenarios: {', '.join(MOVES)}."


def _bench_closing() -> str:
    from server.bots.bench import MIXED, SCENARIOS
    from server.bots.games import BOTS

    return (
        f"Scenarios: {', '.join(SCENARIOS)}. Games: {', '.join(BOTS)}. Or {MIXED}: some of each. "
        "edge alone: one process beside an edge and a world, in spread."
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("causeway", description="One world for the clients of several old games.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str, run: Callable[[argparse.Namespace], int], about: str, *, configured: bool = True
    ) -> _Parser:
        added = commands.add_parser(name, help=about, description=about)
        added.set_defaults(run=run, command=name)
        if configured:
            arguments.add_config(added)
        return added

    add("serve", _serve, "run the server")
    arguments.add_cluster(add("cluster", _cluster, "try worlds and edges on this machine"))
    check = add("check", _check, "find everything that would go wrong")
    check.add_argument("--verbose", action="store_true", help="also list what is merely worth knowing")
    check.add_argument(
        "--repair", action="store_true", help="first mend the database of a stopped server, after a backup"
    )
    arguments.add_account(add("account", _account, "make and change accounts", configured=False))
    arguments.add_status(add("status", _tell, "ask a running server how it is doing"))
    reload = add("reload", _tell, "have a running server read its configuration, or data/, again")
    reload.add_argument("words", nargs="?", choices=["content"], default=None, help="data/ instead")
    for name, about in (("shutdown", "stop a running server"), ("restart", "stop it with exit code 75")):
        stop = add(name, _tell, about)
        stop.add_argument("words", nargs="*", metavar="DELAY REASON", help="for example: 5m for an update")
    add("console", _console, "give commands to a running server, one a line; `help` lists them")
    do = add("do", _do, "give one command to a running server; `help` lists them")
    do.add_argument("words", nargs="+", metavar="COMMAND", help='for example: "info Bob"')
    arguments.add_trace(
        add("trace", _trace, "have a running server write down what an account's clients send and are sent")
    )
    add("backup", _backup, "copy the database, also while a server runs")
    restoring = add("restore", _restore, "put a backup in the place of the database of a stopped server")
    restoring.add_argument("backup", type=Path)
    restoring.add_argument(
        "--verify", action="store_true", help="only find out whether it could be, also while a server runs"
    )
    packets = add("packets", _packets, "describe a game's packets, as Markdown", configured=False)
    packets.add_argument("game", metavar="GAME")
    packets.closing = _packets_closing
    views = add(
        "views",
        _views,
        "describe what each game shows, and what comes of what its clients ask for, as Markdown",
        configured=False,
    )
    views.add_argument("--into", type=Path, metavar="PAGE", help="write it into this page of the docs")
    _add_export(add("export", _export, "write a realm as the map files of a game's client", configured=False))
    arguments.add_writing(
        add("looks", _write, "tell what each game draws for a kind", configured=False),
        add("new", _write, "write the file of a new being, to be filled in", configured=False),
        add("dialog", _write, "play a being's dialog in the terminal", configured=False),
    )
    _add_bots(add("bots", _bots, "let test clients into a running server"))
    _add_bench(add("bench", _bench, "measure a server of its own, with test clients", configured=False))
    add("version", _version, "tell the version", configured=False)
    return parser


def _add_bots(parser: _Parser) -> None:
    parser.closing = _bots_closing
    parser.add_argument("--game", metavar="GAME", default="uo", help="else uo")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--scenario", default="wander", help="crowd: all turn; spread: all walk; else both")
    parser.add_argument("--clean", action="store_true", help="then remove all accounts of bots there are")
    _add_rate(parser)


def _add_bench(parser: _Parser) -> None:
    parser.closing = _bench_closing
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="without: all")
    parser.add_argument(
        "--games", type=_words, default=[], help="for example uo,uo-encrypted; else each game once"
    )
    parser.add_argument("--counts", type=_numbers, default=[], help="characters, for example 25,100")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    _add_rate(parser)
    parser.add_argument(
        "--before",
        type=Path,
        metavar="DIR",
        help="edge: another version's checkout, whose one process is measured beside this one's",
    )
    parser.add_argument(
        "--rounds", type=_count, default=1, metavar="N", help="edge: forth and back so often; else 1"
    )
    parser.add_argument("--anywhere", action="store_true", help="edge: on whatever cores the system likes")
    parser.add_argument("--no-floor", action="store_true", help="leave out the comparison with a server in C")
    parser.add_argument(
        "--nice", type=int, default=0, help="priority of all that is measured; below 0 keeps others' work out"
    )
    parser.add_argument("--profile", action="store_true", help="then show where the server's time goes")
    parser.add_argument("--cprofile", action="store_true", help="and what Python's profiler says of it")


def _add_export(parser: argparse.ArgumentParser) -> None:
    games = sorted(name for name, game in GAMES.items() if game.export is not None)
    either = " or ".join(", ".join(games).rsplit(", ", 1))
    parser.add_argument("game", metavar="GAME", choices=games, help=either)
    parser.add_argument("--realm", metavar="NAME", default="", help="else the one where newcomers appear")
    parser.add_argument("--to", type=Path, metavar="DIR", help="else export/GAME")
    parser.add_argument(
        "--client",
        type=Path,
        metavar="DIR",
        help="the folder of a client: uo takes its map from there, and co its list of maps",
    )
    parser.add_argument(
        "--map", type=int, metavar="N", help="co: the new map's number, else 9000; uo: the facet"
    )
    parser.add_argument(
        "--puzzle",
        metavar="FILE",
        default="",
        help="co: one of the client's pictures instead of ours",
    )


def _add_rate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rate", type=_rate, default=2.5, metavar="N", help="moves of each character in a second; else 2.5"
    )


def _rate(text: str) -> float:
    rate = float(text)
    if not 0 < rate <= 100:
        raise argparse.ArgumentTypeError("must be above 0, and 100 at most")
    return rate


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be 1 at least")
    return count


def _words(text: str) -> list[str]:
    return text.split(",")


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


if __name__ == "__main__":
    command()
