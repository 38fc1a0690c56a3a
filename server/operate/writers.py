"""The commands of who writes content, `causeway looks`, `new` and `dialog`, from their arguments to an exit
code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from server import exits
from server.content.families import DATA
from server.content.loading import ContentError
from server.content.mobiles import PEOPLE
from server.operate import writing
from server.operate.rehearsal import RehearsalError, play
from server.operate.writing import WritingError

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Run one of them; mistakes are lines on the standard error output."""
    try:
        _run(args, DATA if args.data is None else args.data)
    except ContentError as error:
        return _refuse(*error.problems)
    except (RehearsalError, WritingError) as error:
        return _refuse(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}")
    return exits.GOOD


def _run(args: argparse.Namespace, data_dir: Path) -> None:
    if args.command == "looks":
        print("\n".join(writing.looks(args.kind, data_dir)))
    elif args.command == "new":
        print(f"wrote {_short(writing.new_npc(args.name, data_dir))}")
    else:
        path = args.file if args.file.suffix else data_dir / PEOPLE / f"{args.file}.toml"
        if not path.is_file():
            raise WritingError(f"there is no file {path}")
        play(path, args.player, sys.stdin, sys.stdout, data_dir=data_dir)


def _short(path: Path) -> Path:
    """The path as it is seen from here, if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _refuse(*lines: str) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return exits.REFUSED
