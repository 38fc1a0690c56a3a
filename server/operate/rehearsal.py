"""`causeway dialog`: a being's dialog played in a terminal, by the rules of the world.

A small world is made of the content, with the being and one player in it; nothing of it is kept.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, TextIO

from protocol.games import GAMES
from protocol.tables import unknown
from server.content.loading import load
from world import (
    conversations,
    dialogs,
    granting,
    holding,
    journals,
    marks,
    newcomers,
    quests,
    residents,
)
from world.clauses import minute_of
from world.content import Resident
from world.daytime import MINUTE_SECONDS
from world.events import Said
from world.forms import step_of
from world.mobile import Mobile
from world.reach import Cannot
from world.serials import Serials
from world.skills import SKILLS, TENTHS
from world.space import Sight
from world.world import World

if TYPE_CHECKING:
    from pathlib import Path

    from world.errands import Quest

KEYS: Final = ("name", "level", "item", "gold", "skill", "mark", "game", "time", "quest")
"""What `--as` may say of the player."""

DONE: Final = "done"
"""In place of a step of a quest: it is behind the player."""

NOON: Final = 12 * 60
"""Minutes of the day at which it is played, unless `--as` says otherwise."""


class RehearsalError(Exception):
    """The dialog cannot be played; `str()` of it says why."""


def play(path: Path, given: str, lines: TextIO, out: TextIO, *, data_dir: Path) -> None:
    """Play the dialog of a being's file. `given` is what `--as` says of the player; `lines` are its answers.
    Raises RehearsalError, and ContentError if the content has mistakes."""
    content = load(data_dir, also=(path,))
    template = content.mobiles[path.stem]
    if template.talk is None:
        raise RehearsalError(f"{path}: has no [dialog.start]")
    world = World(content, Serials(), chance=random.Random(0))
    realm = world.realms[content.start_realm]
    x, y = realm.chart.spawns[0]
    being = residents.place(world, realm, Resident(path.stem, x, y))
    residents.take_up(being)
    player = Mobile(
        world.serials.mobile(), world, "Stranger", template=content.mobiles["player"], account=1, online=True
    )
    player.endow()
    newcomers.bring_up(player)
    pack = holding.make(world, "backpack", stored=False)
    holding.wear(player, pack)
    world.enter(player, realm, x, y)
    world.open_viewport(player, 1, Sight(18))
    world.dawn = NOON * MINUTE_SECONDS
    for part in filter(None, given.split(",")):
        _set(player, *part.partition("=")[::2])
    world.take_changes()
    conversations.hail(being, player)
    _talk(world, player, lines, out)


def _set(player: Mobile, key: str, value: str) -> None:
    """One part of `--as`."""
    world, name, amount = player.world, *value.partition(":")[::2]
    wrong = unknown("--as", key, KEYS)
    if key == "item":
        wrong = unknown("--as: item", name, world.content.items)
    elif key == "skill":
        wrong = unknown("--as: skill", name, SKILLS)
    elif key == "game":
        wrong = unknown("--as: game", name, GAMES)
    elif key == "quest":
        wrong = unknown("--as: quest", name, world.content.quests)
        if not wrong and amount not in ("", DONE):
            steps = [step.key for step in world.content.quests[name].steps]
            wrong = unknown(f"--as: quest: {name}", amount, [*steps, DONE])
    elif key == "time" and minute_of(value) is None:
        wrong = [f'--as: time: must be a time like "20:30", is {value!r}']
    elif key in ("level", "gold") and not (value.isascii() and value.isdigit()):
        wrong = [f"--as: {key}: must be a whole number, is {value!r}"]
    if key in ("item", "skill") and amount and not (amount.isascii() and amount.isdigit() and int(amount)):
        wrong = [f"--as: {key}: must be like {name}:3, is {value!r}"]
    if wrong:
        raise RehearsalError(wrong[0])
    try:
        if key == "name":
            player.name = value
        elif key == "level":
            player.level = int(value)
        elif key == "item":
            granting.make(player, name, int(amount or 1))
        elif key == "gold":
            granting.set_gold(player, int(value))
        elif key == "skill" and player.learner is not None:
            player.learner.learn(name, int(amount or 1) * TENTHS)
        elif key == "mark":
            marks.set_mark(player, value, True)
        elif key == "game":
            player.game = value
        elif key == "quest":
            _be_at(player, world.content.quests[name], amount)
        else:
            world.dawn = (minute_of(value) or 0) * MINUTE_SECONDS - world.now
    except Cannot as cannot:
        raise RehearsalError(f"--as: {key}: {cannot}") from None


def _be_at(player: Mobile, quest: Quest, step: str) -> None:
    """Begin a quest, and go on to a step of it, or to its end; with neither stay at the first."""
    quests.begin(player, quest.key)
    if not step:
        return
    for _ in quest.steps:
        if journals.step_of(player, quest.key) not in (step, ""):
            quests.finish_step(player, quest.key)
    reached = step if step != DONE else ""
    if journals.step_of(player, quest.key) != reached:
        raise RehearsalError(f"--as: quest: {quest.key}: {step!r} is on another way through it")


def _talk(world: World, player: Mobile, lines: TextIO, out: TextIO) -> None:
    """Show one question after the other, and take its answer from the lines."""
    while True:
        for event in world.take_changes().events:
            if isinstance(event, Said):
                who = event.thing.name if event.thing is not None else "*"
                print(f"{who}: {event.text}", file=out)
        dialog = next(reversed(player.dialogs.values()), None)
        if dialog is None:
            return
        step = step_of(dialog)
        print(f"\n{dialog.title}\n  {step.text}", file=out)
        for way in step.ways:
            print(f"  {way.number}. {way.label}", file=out)
        if step.typed is not None:
            print(f"  ({step.wanted})", file=out)
        print("> ", end="", file=out, flush=True)
        line = lines.readline()
        if not line:
            print(file=out)
            return
        _answer(player, dialog.serial, line.strip(), out)


def _answer(player: Mobile, serial: int, line: str, out: TextIO) -> None:
    dialog = player.dialogs[serial]
    try:
        if step_of(dialog).typed is not None and line:
            dialogs.write(player, serial, dialog.type_id, line)
            return
        number = int(line) if line.isascii() and line.isdigit() and len(line) < 6 else -1
        if not dialogs.choose(player, serial, dialog.type_id, number):
            print(f"There is no answer {line!r}: type one of the numbers.", file=out)
    except Cannot as cannot:
        print(f"*: {cannot}", file=out)
