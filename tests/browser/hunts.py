"""Fights for the pictures of the page: where they are, who is in them, and which moment is worth one."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, cast

import attrs
from playwright.sync_api import TimeoutError as Late

from tests.browser.guests import PASSWORD, Guest
from tests.browser.scripts import POINT
from tests.kit.wishes import WISHES
from world import holding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.session import Session
    from tests.browser.guests import Client, Company, Host
    from tests.browser.settlers import Settlers

HUNTERS: Final = "hunters"
"""The account of those who are played at the page; the others have one each."""


@attrs.frozen
class Hunt:
    """One fight. Places are tiles from its middle, where the one who is played stands."""

    hero: str
    middle: tuple[int, int]
    friends: Mapping[str, tuple[str, int, int, int]]
    """By game: a name, a place, and which of the prey it strikes."""
    prey: Sequence[tuple[str, int, int]]
    """Kinds and places; who is played attacks the first."""
    fallen: tuple[str, int, int]
    """One that lies there already."""
    words: tuple[str, str]
    """What one of the friends says, by its game."""


WOODS: Final = Hunt(
    "Rowena",
    (110, 98),
    {
        "uo": ("Gareth", 2, 0, 0),
        "eo": ("Fenna", -3, -2, 1),
        "eq2": ("Torvald", -4, 2, 3),
        "l2": ("Selene", 3, -1, 2),
        "co": ("Weilan", -1, -3, 1),
    },
    (("grizzly", 1, 0), ("dire_wolf", -2, -2), ("giant_spider", 3, -2), ("boar", -3, 2)),
    ("giant_spider", -1, 2),
    ("l2", "More spiders behind the trees!"),
)

GRAVES: Final = Hunt(
    "Edric",
    (26, 19),
    {
        "uo": ("Osbert", 3, 0, 4),
        "eo": ("Wenna", -3, -3, 1),
        "eq2": ("Halvard", -5, 0, 2),
        "l2": ("Iselle", 2, 0, 0),
        "co": ("Jinhai", 1, 3, 3),
    },
    (("bone_knight", 1, 0), ("zombie", -2, -3), ("ghost", -4, 0), ("ghoul", 2, 3), ("bat", 4, 0)),
    ("skeleton", -1, 1),
    ("uo", "It bites! Mind the knight!"),
)

CAMP: Final = Hunt(
    "Sunniva",
    (98, 28),
    {
        "uo": ("Radulf", 2, 1, 1),
        "eo": ("Tilda", -2, 1, 2),
        "eq2": ("Sigrun", 0, -3, 3),
        "l2": ("Corvin", 2, 0, 0),
        "co": ("Yulan", -3, 2, 2),
    },
    (("orc_captain", 1, 0), ("orc", 3, 1), ("goblin", -2, 2), ("orc_shaman", -1, -2)),
    ("goblin", -1, 1),
    ("l2", "The captain first!"),
)

HUNTS: Final = WOODS, GRAVES, CAMP

WOMEN: Final = frozenset(
    {"Rowena", "Sunniva", "Fenna", "Selene", "Wenna", "Iselle", "Tilda", "Sigrun", "Yulan"}
)

GEAR: Final = (
    ("long_sword", "leather_tunic"),
    ("axe", "chain_tunic"),
    ("quarterstaff", "robe"),
    ("spear", "leather_tunic"),
    ("mace", "chain_tunic"),
    ("short_sword", "leather_tunic"),
)
"""By the number of somebody in a fight; the first is who is played."""

SKILLS: Final = {
    "swords": 44.7,
    "maces": 42,
    "staves": 42,
    "tactics": 43.1,
    "parry": 21.5,
    "anatomy": 12.4,
    "healing": 31,
}
WEAK: Final = {"swords": 12, "maces": 12, "staves": 12, "tactics": 0}
"""Of the friends, whose prey is not to be dead before the picture is taken."""
EXPERIENCE: Final = 262_000
"""In the middle of level 12."""

WORTHY: Final = """
    (({ fights, self }, now) => {
        const others = [...causeway.world.things.values()].filter(it => it.kind === "mobile");
        if (others.some(it => now - it.since < 1000)) return false; // they are still fading in
        const fresh = fights.numbers.filter(it => now - it.since > 80 && now - it.since < 450);
        const own = fresh.some(it => ["dealt", "critical"].includes(it.kind));
        const part = fights.swing(self, now) ?? 0;
        return own && part > 0.1 && part < 0.75 && new Set(fresh.map(it => it.id)).size >= 2;
    })(causeway.world, performance.now())
"""
"""Whether the map is worth a picture: one's own blow meets just now, and somebody else's did."""

STILL: Final = f"""() => {{
    if (!{WORTHY}) return false;
    const now = performance.now();
    performance.now = () => now;
    return true;
}}"""
"""Stop the page's time as soon as it is: a picture takes longer than a blow."""


def settle(settlers: Settlers) -> None:
    """All of them where they fight, into the database of a server that is yet to start."""
    account = settlers.account(HUNTERS)
    for hunt in HUNTS:
        _settle(settlers, account, hunt.hero, hunt.middle, 0)
        for number, (name, x, y, _) in enumerate(hunt.friends.values(), 1):
            own = settlers.account(name.lower())
            _settle(settlers, own, name, (hunt.middle[0] + x, hunt.middle[1] + y), number)


def _settle(settlers: Settlers, account: int, name: str, place: tuple[int, int], number: int) -> None:
    mobile = settlers.dressed(account, name, female=name in WOMEN)
    dice = random.Random(name)
    weapon, armour = GEAR[number]
    for key in (weapon, armour):
        hue = dice.randrange(2, 1001) if key == "robe" else 0
        thing = holding.make(settlers.world, key, hue=hue)
        holding.wear(mobile, thing)
    assert mobile.learner is not None
    mobile.learner.points = 3 if number == 0 else 0
    settlers.settle(mobile, *place)


def _arm(host: Host, name: str, skills: Mapping[str, float]) -> None:
    """Make somebody good enough at it to live until the picture is taken."""
    host.order(f"set {name} level 12")
    host.order(f"set {name} experience {EXPERIENCE}")
    host.order(f"set {name} vitality 110")
    host.order(f"set {name} strength {30 if skills is SKILLS else 10}")
    for skill, points in skills.items():
        host.order(f"skill {name} {skill} {points}")
    host.order(f"heal {name}")


def begin(window: Guest, host: Host, company: Company, hunt: Hunt) -> None:
    """Everybody there, and blows."""
    friends = {company.invite(game, one[0]): one[3] for game, one in hunt.friends.items()}
    for friend in friends:
        _arm(host, friend.name, WEAK)
        window.knows(friend.name)
    # Those that live there would make a crowd of it.
    for wild in window.ask(
        "() => [...causeway.world.things.values()].filter(it => it.fights).map(it => it.id)", list
    ):
        with suppress(AssertionError):  # it may have died meanwhile
            host.order(f"remove {wild}")
    (fallen,) = _spawn(host, hunt, [hunt.fallen])
    host.order(f"kill {fallen}")
    prey = _spawn(host, hunt, hunt.prey)
    window.until("ids => ids.every(id => causeway.world.things.has(id))", prey)
    for friend, number in friends.items():
        kind = hunt.prey[number][0]
        strike(company, friend, kind)
    _attack(window)
    speaker, words = hunt.words
    next(friend for friend in friends if friend.actor.game == speaker).says(words)


def _spawn(host: Host, hunt: Hunt, prey: Sequence[tuple[str, int, int]]) -> list[int]:
    east, south = hunt.middle
    return [int(host.order(f"spawn {kind} 1 confluence {east + x} {south + y}")) for kind, x, y in prey]


def _attack(window: Guest) -> None:
    """Whom is nearest, by the button of the page."""
    window.page.locator("#actions .attack").click()
    window.page.evaluate("() => document.activeElement.blur()")


def strike(company: Company, friend: Client, kind: str) -> None:
    """Somebody attacks in words: that is the same in all games."""
    actor = friend.actor
    wishes = WISHES[actor.game](actor.player, cast("Session", None))
    data = company.knows(lambda: wishes.order(f"attack {kind}"))
    company.does(partial(actor.sends, data))


def plays(window: Guest, host: Host, hunt: Hunt, *, zoom: int = 50, touch: bool = False) -> None:
    """Who is played comes in."""
    window.watches()
    if touch:
        window.taps("#panel-handle", "() => document.getElementById('panel').dataset.open === 'yes'")
    window.page.click("#play-now")
    window.fills(HUNTERS, PASSWORD)
    window.page.click("#log-in")
    window.enters(hunt.hero)
    _arm(host, hunt.hero, SKILLS)
    window.ask("zoom => { causeway.canvas.zoomTo(zoom); return 1; }", int, zoom)
    window.looks()


def stops_time(window: Guest, host: Host, hunt: Hunt) -> None:
    """Wait for such a moment, and stop the page's time."""
    window.has_pictures()
    for _ in range(5):
        with suppress(Late):
            window.page.wait_for_function(STILL, polling=20, timeout=6_000)
            return
        # The enemy is dead already, or was never so near.
        with suppress(AssertionError):  # somebody stands there
            _spawn(host, hunt, hunt.prey[:1])
        if not window.ask("() => causeway.world.fights.enemies.has(causeway.world.self)", bool):
            _attack(window)
    window.until(STILL)


def shows_sheet(window: Guest) -> None:
    """The numbers of one's character beside the map."""
    window.page.click("#character > summary")
    window.page.locator("#character").evaluate("it => it.scrollIntoView({ block: 'start' })")


def opens_corpse(window: Guest, hunt: Hunt) -> None:
    """What lies there already is looked into, from where one stands."""
    name = "corpse of"
    found = "[...causeway.world.things.values()].find(it => it.corpse)"
    window.until(f"() => {found}")
    window.page.mouse.click(*window.ask(POINT, list, window.ask(f"() => {found}.id", int)))
    window.page.locator("#pack h3", has_text=f"In the {name}").wait_for()
    window.page.mouse.move(2, 2)
