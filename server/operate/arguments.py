"""Arguments of commands that have several; light, because every command of `causeway` imports it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from world.mobile import Access

if TYPE_CHECKING:
    import argparse

PLAYER = (
    "the player: for example level=5,item=bread:3,gold=20,skill=swords:30,mark=met,game=uo,time=20:00,"
    "quest=bread_for_edwin:bring"
)


def add_config(parser: argparse.ArgumentParser) -> None:
    """The configuration that a command is about."""
    parser.add_argument("--config", type=Path, default=Path("config.toml"), metavar="FILE")


def add_account(parser: argparse.ArgumentParser) -> None:
    """Those of `causeway account`, each action with its own."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    def add(
        action: str, about: str, *, named: bool = True, password: bool = False
    ) -> argparse.ArgumentParser:
        added = actions.add_parser(action, help=about, description=about)
        added.set_defaults(action=action, asks_password=password)
        add_config(added)
        if named:
            added.add_argument("name")
        return added

    create = add("create", "make an account; its password is read from standard input", password=True)
    level = create.add_mutually_exclusive_group()
    level.add_argument(
        "--admin", action="store_const", dest="level", const="admin", help="the same as --level admin"
    )
    level.add_argument("--level", help=", ".join(Access.NAMES))
    add("passwd", "change a password; the new one is read from standard input", password=True)
    ban = add("ban", "ban an account")
    ban.add_argument(
        "--for", dest="duration", metavar="DURATION", help="for example 12h, 3d or 2w; else for ever"
    )
    ban.add_argument("--reason")
    add("unban", "lift a ban")
    add("level", "tell or set the level of an account").add_argument("level", nargs="?", metavar="LEVEL")
    add("remove", "delete an account with its characters and all they have")
    add("list", "list all accounts", named=False)


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Those of `causeway cluster`."""
    parser.add_argument(
        "--worlds", type=int, default=2, metavar="N", help="each with a part of the realms; else 2"
    )
    parser.add_argument("--edges", type=int, default=1, metavar="M", help="else 1")
    parser.add_argument(
        "--directory", type=Path, metavar="DIR", help="for all of it; else `cluster` in state_dir"
    )


def add_status(parser: argparse.ArgumentParser) -> None:
    """Those of `causeway status`, as words of the command."""
    about = "also what its world is at, call by call"
    parser.add_argument("--verbose", dest="words", action="store_const", const="verbose", help=about)


def add_trace(parser: argparse.ArgumentParser) -> None:
    """Those of `causeway trace`."""
    parser.add_argument("account", nargs="?", metavar="ACCOUNT", help="without one: list who is traced")
    parser.add_argument("off", nargs="?", choices=["off"], help="end its trace")
    parser.add_argument("--minutes", type=int, metavar="N", help="1 to 60; else 10")


def add_writing(
    looks: argparse.ArgumentParser, new: argparse.ArgumentParser, dialog: argparse.ArgumentParser
) -> None:
    """Give the three commands what they ask for."""
    looks.add_argument("kind", nargs="?", default="", metavar="KIND", help="without one: list all kinds")
    new.add_argument("what", choices=["npc"], help="npc: somebody who lives in a realm")
    new.add_argument("name", metavar="NAME")
    dialog.add_argument("file", type=Path, metavar="FILE", help="of data/people, or its name")
    dialog.add_argument("--as", dest="player", default="", metavar="WHO", help=PLAYER)
    for parser in (looks, new, dialog):
        parser.add_argument("--data", type=Path, metavar="DIR", help="else the folder of the program")
