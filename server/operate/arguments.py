"""Arguments of the commands of who writes content; light, because every command of `causeway` imports it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

PLAYER = (
    "the player: for example level=5,item=bread:3,gold=20,skill=swords:30,mark=met,game=uo,time=20:00,"
    "quest=bread_for_edwin:bring"
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
