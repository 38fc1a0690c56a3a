"""The pictures of the page in docs/screenshots, from a server of its own with people from all games.

python -m tests.browser.screenshots [FOLDER] [--fights] [--errand]
"""

from __future__ import annotations

import argparse
import io
import itertools
import random
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio
from PIL import Image

from tests.browser import errands, hunts
from tests.browser.guests import ERRAND, MORE, Company, Guest, Host
from tests.browser.settlers import Settlers
from tests.kit import chromium
from world import holding
from world.heading import EAST, NORTH, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playwright.sync_api import Browser

    from tests.browser.guests import Client

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "screenshots"

PEOPLE: Final[Mapping[str, Sequence[str]]] = {
    "uo": ("Aldric", "Maerwen", "Tobias", "Wilmot", "Isolde"),
    "eo": ("Pippa", "Juno", "Marlo", "Tamsin"),
    "eq2": ("Thalor", "Eirwyn", "Bramwell", "Saoirse"),
    "l2": ("Cassius", "Lyrael", "Dorian", "Ysabeau"),
    "co": ("Meilin", "Jianyu", "Rosalind"),
    "web": ("Percival", "Odette"),
}

WOMEN: Final = frozenset(
    {
        *("Maerwen", "Isolde", "Pippa", "Juno", "Tamsin", "Eirwyn", "Saoirse", "Lyrael", "Ysabeau", "Meilin"),
        *("Rosalind", "Odette"),
    }
)

SQUARE: Final = 55, 61
REACH: Final = 10
"""Its middle, and how far around it they are."""

TALK: Final = (
    ("Maerwen", "Has anybody seen my hat?"),
    ("Pippa", "A fine day :)"),
    ("Eirwyn", "Well met, all of you."),
    ("Lyrael", "The healer is north of the square."),
    ("Jianyu", "Is this the way to the river?"),
    ("Percival", "I came in by browser!"),
)
"""Nothing that the town crier answers."""

NOON, NIGHT = 11, 22
"""Hours."""

COLOURS: Final = 255
LARGEST: Final = 400_000
LARGEST_FIGHT: Final = 200_000
"""Bytes of a picture in the repository."""


def settle(state: Path) -> None:
    """Their accounts and characters, each dressed in a way of their own and somewhere about the square, into
    the database of a server that is yet to start."""
    dice = random.Random(5)
    settlers = Settlers(state, dice)
    free = list(settlers.realm.free_near(*SQUARE, REACH))
    places: list[tuple[int, int]] = []
    for name in itertools.chain(*PEOPLE.values()):
        mobile = settlers.dressed(settlers.account(name.lower()), name, female=name in WOMEN)
        if dice.random() < 0.25:
            holding.wear(mobile, holding.make(settlers.world, "feathered_hat", hue=dice.randrange(2, 1001)))
        place = next(it for it in dice.sample(free, len(free)) if all(_apart(it, there) for there in places))
        places.append(place)
        settlers.settle(mobile, *place)
    hunts.settle(settlers)
    settlers.close()


def _apart(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(one[0] - other[0]) >= 3 or abs(one[1] - other[1]) >= 2


def populate(company: Company) -> dict[str, Client]:
    """Everybody comes in and wanders about."""
    people = {name: company.invite(game, name) for game, names in PEOPLE.items() for name in names}
    for number, person in enumerate(people.values()):
        company.begins(partial(wander, person, random.Random(number)))
    return people


async def wander(person: Client, dice: random.Random) -> None:
    """A few steps one way, a pause, and so on, never far from where it began."""
    east = south = 0
    while True:
        await trio.sleep(dice.uniform(0.5, 4))
        heading = dice.choice((NORTH, EAST, SOUTH, WEST))
        if heading in (EAST, WEST):
            heading = EAST if east < 0 else WEST if east > 0 else heading
        elif south:
            heading = SOUTH if south < 0 else NORTH
        for _ in range(dice.randrange(1, 7)):
            await person.actor.step(heading)
            east += (heading == EAST) - (heading == WEST)
            south += (heading == SOUTH) - (heading == NORTH)
            await trio.sleep(0.55)


def keep(window: Guest, path: Path, hour: int = NOON, largest: int = LARGEST) -> None:
    """Take a picture at that hour of the world, with no more colours than a small file needs."""
    window.ask("hour => { causeway.world.apply({ t: 'time', hour, minute: 0 }); return 1; }", int, hour)
    window.picture()
    window.until("hour => document.getElementById('clock-time').textContent === `${hour}:00`", hour)
    with Image.open(io.BytesIO(window.page.screenshot())) as taken:
        small = taken.convert("RGB").quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    path.parent.mkdir(parents=True, exist_ok=True)
    small.save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path} {small.width}x{small.height} {size / 1000:.0f} kB")  # noqa: T201 # it is a command
    assert size < largest


def talk(people: Mapping[str, Client], window: Guest) -> None:
    """Some of them say something, and the window shows what is said within hearing."""
    window.until("() => causeway.world.bubbles.length === 0")
    for name, words in TALK:
        people[name].says(words)
    window.until(
        "words => words.filter(it => causeway.world.bubbles.some(bubble => bubble.words === it"
        " && performance.now() > bubble.since + 200)).length >= 4",
        [words for _, words in TALK],
    )


def take(browser: Browser, host: Host, people: Mapping[str, Client], folder: Path) -> None:
    """All pictures."""
    with Guest(browser, host.page()) as player:
        player.watches()
        player.tries("Wanderer")
        player.page.get_by_role("button", name="Done").click()
        player.says("Good day! Where does this road lead?")
        talk(people, player)
        player.page.evaluate("() => document.activeElement.blur()")
        keep(player, folder / "play.png")
        with Guest(browser, host.page()) as light:
            light.watches()
            talk(people, light)
            keep(light, folder / "map-light.png")
            light.page.click("#tab-connect")
            keep(light, folder / "connect.png")
        with Guest(browser, host.page(), colours="dark") as dark:
            dark.watches()
            talk(people, dark)
            keep(dark, folder / "map-dark.png", NIGHT)
        with Guest(browser, host.page(), width=390, height=844, touch=True, scale=2) as phone:
            phone.watches()
            phone.ask("() => { causeway.canvas.zoomTo(30); return 1; }", int)
            talk(people, phone)
            keep(phone, folder / "phone.png")


def fights(browser: Browser, host: Host, company: Company, folder: Path) -> None:
    """Pictures of fights: one with the sheet of the character, one at night with a corpse open, one on a
    phone."""
    with Guest(browser, host.page()) as light:
        hunts.plays(light, host, hunts.WOODS)
        hunts.begin(light, host, company, hunts.WOODS)
        hunts.shows_sheet(light)
        hunts.stops_time(light, host, hunts.WOODS)
        keep(light, folder / "fight-light.png", largest=LARGEST_FIGHT)
    with Guest(browser, host.page(), colours="dark") as dark:
        hunts.plays(dark, host, hunts.GRAVES)
        hunts.begin(dark, host, company, hunts.GRAVES)
        hunts.opens_corpse(dark, hunts.GRAVES)
        hunts.stops_time(dark, host, hunts.GRAVES)
        keep(dark, folder / "fight-dark.png", NIGHT, largest=LARGEST_FIGHT)
    with Guest(browser, host.page(), width=390, height=844, touch=True, scale=2) as phone:
        hunts.plays(phone, host, hunts.CAMP, zoom=44, touch=True)
        hunts.begin(phone, host, company, hunts.CAMP)
        hunts.stops_time(phone, host, hunts.CAMP)
        keep(phone, folder / "fight-phone.png", largest=LARGEST_FIGHT)


def errand(browser: Browser, host: Host, company: Company, folder: Path) -> None:
    """Pictures of the first errand: the shop beside the map, and on a phone what is asked."""
    friend = company.invite("uo", "Aldric")
    with Guest(browser, host.page()) as player:
        player.watches()
        errands.accepts(player, touch=False, name="Wanderer")
        player.page.get_by_role("button", name="Done").click()
        friend.says("Greta has bread, and Edwin pays well for it.")
        errands.opens_shop(player)
        player.page.get_by_label("How many: bread loaf").fill("3")
        player.page.evaluate("() => document.activeElement.blur()")
        keep(player, folder / "errand.png")
    with Guest(browser, host.page(), width=390, height=844, touch=True, scale=2) as phone:
        phone.watches()
        phone.page.tap("#panel-handle")
        phone.tries("Wayfarer", asked=True)
        phone.page.locator("#dialog-title", has_text=ERRAND).wait_for()
        keep(phone, folder / "errand-phone.png")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Take the pictures of the page.")
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--fights", action="store_true", help="only those of fights")
    parser.add_argument("--errand", action="store_true", help="only those of the first errand")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as state, chromium.running() as browser:
        host = Host(Path(state), MORE)
        text = host.config.read_text().replace('name = "Process"', 'name = "Causeway"')
        for game, port in (("uo", 2593), ("eo", 8078)):  # as a server that people elsewhere can reach
            text = text.replace(f"[listen.{game}]", f'[listen.{game}]\nadvertise = "203.0.113.7:{port}"')
        host.config.write_text(text)
        settle(host.state)
        host.start()
        company = Company(host.addresses())
        try:
            if not args.fights:
                errand(browser, host, company, args.folder)
            if not args.errand:
                fights(browser, host, company, args.folder)
            if not (args.fights or args.errand):
                take(browser, host, populate(company), args.folder)
        finally:
            company.close()
            host.close()


if __name__ == "__main__":
    main()
