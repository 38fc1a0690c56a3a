"""`causeway looks` and `causeway new`: help for who writes content.

`looks` says what each game draws for a kind; `new npc` writes a being's file to be filled in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from protocol.games import GAMES
from protocol.tables import nearest
from server.content.loading import ContentError, load
from server.content.mobiles import PEOPLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from world.content import Chart, Content

NAME: Final = re.compile(r"[A-Za-z][A-Za-z' -]{0,29}")

AROUND: Final = 8
"""Tiles from a spawn within which a new being is put."""

NEW: Final = """\
# data/people/{key}.toml: {name}, as everybody meets {name} in all six games.
# Lines that begin with # are for you; take the # away to make one count. `causeway check` says what is wrong.

name = "{name}"
title = "the newcomer"
kind = "villager"          # whose looks; `causeway looks` lists the kinds
# female = true
# hair = 2                 # 0 (bald) to 20
# hair_hue = 1118          # 1102 to 1149
# worn = [{{ item = "shirt", hue = 1440 }}, {{ item = "pants" }}, {{ item = "boots" }}]
says = "Good day, {{name}}."

[[place]]
realm = "{realm}"
x = {x}
y = {y}
# wander = 3               # tiles

# [role.merchant]
# sells = [{{ item = "bread", price = 4, stock = 20, restock = 60 }}]
# buys = [{{ item = "apple", price = 2 }}]

# [role.talker]
# hears = [{{ words = ["weather"], says = "It will rain, {{name}}." }}]

[dialog.start]
text = "What can I do for you, {{name}}?"
answers = [
#   {{ text = "Show me your wares.", do = ["shop"] }},
    {{ text = "Nothing, thank you." }},
]
"""


class WritingError(Exception):
    """It cannot be done; `str()` of it says why."""


def looks(kind: str, data_dir: Path) -> list[str]:
    """Tell what each game draws for a kind of being or thing, in lines; all kinds there are, if it is empty.
    Raises WritingError for an unknown kind, ContentError if the content has mistakes."""
    content = load(data_dir)
    if not kind:
        beings = ", ".join(key for key in content.mobiles)
        return [f"beings: {beings}", f"things: {', '.join(content.items)}"]
    found = content.mobiles.get(kind) or content.items.get(kind)
    if found is None:
        raise WritingError(f"no kind {kind!r}{nearest(kind, [*content.mobiles, *content.items])}")
    drawn_as = getattr(found, "drawn_as", "")
    words = f" (drawn as {drawn_as})" if drawn_as else ""
    return [f"{kind}: {found.name}{words}", *_rows(content, kind, found.look)]


def _rows(content: Content, kind: str, look: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    dressed = kind in content.mobiles and not content.mobiles[kind].creature
    for name, game in GAMES.items():
        row = look.get(name, {})
        numbers = [f"{key.replace('_', ' ')} {value}" for key, value in row.items() if value]
        drawn = ", ".join(numbers) or "drawn as a person"
        if dressed and _is_person(name, row):
            drawn += "; with its own hair, skin and clothes"
        yield f"  {game.title}: {drawn}"


def _is_person(game: str, row: Mapping[str, object]) -> bool:
    """Whether a game draws it from hair, skin and clothes, and not as a figure of its own."""
    figures = {"eo": "graphic", "l2": "npc", "co": "npc"}
    return game not in figures or not row.get(figures[game])


def new_npc(name: str, data_dir: Path) -> Path:
    """Write the file of a new being. Raises WritingError if there is one, or the name is none."""
    if not NAME.fullmatch(name):
        raise WritingError(f"a name has 1 to 30 letters, blanks, apostrophes and hyphens, not {name!r}")
    key = re.sub(r"[^a-z]+", "_", name.lower()).strip("_")
    path = data_dir / PEOPLE / f"{key}.toml"
    realm, x, y = _place(data_dir)
    path.parent.mkdir(exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(NEW.format(key=key, name=name, realm=realm, x=x, y=y))
    except FileExistsError:
        raise WritingError(f"{path} is there already: nothing was changed") from None
    return path


def _place(data_dir: Path) -> tuple[str, int, int]:
    """A free tile near where newcomers appear. If the content has mistakes, one that is as good as any."""
    try:
        content = load(data_dir)
    except ContentError:
        return "confluence", 1, 1
    chart = content.charts[content.start_realm]
    return (chart.name, *_free(chart))


def _free(chart: Chart) -> tuple[int, int]:
    left, top = chart.spawns[0]
    taken = {*chart.spawns, *chart.warps, *chart.doors}
    near = [(one.x, one.y) for one in chart.residents]
    around = sorted(
        ((left + dx, top + dy) for dx in range(-AROUND, AROUND + 1) for dy in range(-AROUND, AROUND + 1)),
        key=lambda tile: (abs(max(abs(tile[0] - left), abs(tile[1] - top)) - 4), tile),
    )
    for x, y in around:
        crowded = any(max(abs(x - a), abs(y - b)) < 2 for a, b in near)
        if chart.stands(x, y) and (x, y) not in taken and not crowded:
            return x, y
    return left, top
