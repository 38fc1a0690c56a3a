"""New content for a world that goes on: what data/ says now, while everybody stays where they are.

Two steps. `prepare` compares two contents and may take its time, in a thread: what is equal stays the same
record, so that whatever was made of it (ways, pictures, looks) stays right as well, and what the new content
has no more but the world still holds is carried along. `renew` is one call in the world task and touches only
what differs: who came new to data/ appears, who went out of it leaves, whose place is another goes there, who
does something else begins it anew, and everybody else keeps place, hits and errands. Creatures stay where
they are and at what they do, as long as there is an area of their kind.

What was not done: to let everybody leave and come again, which is half as long. Whoever talks to a villager
would then lose it at every save of any file.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar

import attrs

from world import dialogs, fixtures, furniture, life, motion, quests, residents, spawners
from world.content import Resident, Spawner
from world.delta import ItemDelta, MobileDelta
from world.mobile import Mobile, Posture
from world.parts import Mood
from world.timers import cancel_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from world.content import Chart, Content, MobileTemplate
    from world.realm import Realm
    from world.world import World

T = TypeVar("T")

CONDUCT: Final = frozenset({"roles", "says", "hears", "offers", "talk"})
"""Fields of a template that say what somebody does. Whoever differs in others is seen to be another, and is
replaced by that one."""

NEARBY: Final = 24
"""Tiles within which a place is looked for somebody on whose tile nobody can stand any more."""


@attrs.frozen(eq=False)
class Difference:
    """The result of comparing two contents. `content` is the new one, with what is kept of the old."""

    content: Content
    replaced: frozenset[str]
    """Keys of templates of mobiles that look or are otherwise now."""
    retrained: frozenset[str]
    """Keys of those that do something else, and else are the same."""
    items: frozenset[str]
    """Keys of templates of items that differ."""
    charts: frozenset[str]
    """Names of realms whose map or table differs, and of new ones."""
    people: bool
    """Whether hair, skin or the like may look different in some game."""

    @property
    def shown(self) -> bool:
        """Whether anything may look different."""
        return bool(self.replaced or self.items or self.charts or self.people)


def prepare(old: Content, new: Content) -> Difference:
    """Compare two contents. Neither is changed. Called in a thread of its own: it reads nothing else."""
    mobiles = _carried_on(old.mobiles, new.mobiles)
    items = _carried_on(old.items, new.items)
    tiles = _carried_on(old.tiles, new.tiles)
    changed = {key for key in mobiles if key in old.mobiles and mobiles[key] is not old.mobiles[key]}
    retrained = {key for key in changed if _differs_in_conduct_alone(old.mobiles[key], mobiles[key])}
    charts = {
        name: _drawn_on(old.charts[name], chart) if name in old.charts else chart
        for name, chart in new.charts.items()
    }
    return Difference(
        content=attrs.evolve(new, mobiles=mobiles, items=items, tiles=tiles, charts=charts),
        replaced=frozenset(changed - retrained),
        retrained=frozenset(retrained),
        items=frozenset(key for key in items if key in old.items and items[key] is not old.items[key]),
        charts=frozenset(name for name, chart in charts.items() if chart is not old.charts.get(name)),
        people=old.people != new.people,
    )


def _carried_on(old: Mapping[str, T], new: Mapping[str, T]) -> dict[str, T]:
    """The new records, as the old ones where they are equal, and behind them those that went: things in
    packs and bodies on the ground are still made of these."""
    kept = {key: old[key] if key in old and old[key] == record else record for key, record in new.items()}
    return kept | {key: record for key, record in old.items() if key not in new}


def _drawn_on(old: Chart, new: Chart) -> Chart:
    """The new chart, as the old one if it is equal; else with those parts of the old one that are."""
    parts = {field.name: getattr(old, field.name) for field in attrs.fields(type(old)) if field.init}
    same = {name: part for name, part in parts.items() if part == getattr(new, name)}
    return old if len(same) == len(parts) else attrs.evolve(new, **same)


def _differs_in_conduct_alone(old: MobileTemplate, new: MobileTemplate) -> bool:
    same = {name: getattr(old, name) for name in CONDUCT if hasattr(old, name)}
    return attrs.evolve(new, **same) == old


def obstacles(old: Content, new: Content) -> Iterator[str]:
    """Lines for what a running world cannot take over, in the words for a file with mistakes."""
    for name, chart in old.charts.items():
        found = new.charts.get(name)
        if found is None:
            yield f"realms/{name}.toml: is gone: to remove a realm needs a restart"
        elif (found.width, found.height) != (chart.width, chart.height):
            yield (
                f"realms/{name}: {found.width} x {found.height} tiles, and they are {chart.width} x "
                f"{chart.height} now: another size needs a restart"
            )
    for game in sorted({*old.tables, *new.tables}):
        if old.tables.get(game) != new.tables.get(game):
            yield f"{game}/: layouts and numbers of a client's version differ: that needs a restart"


# In the world task


@attrs.define
class Renewal:
    """The number of those who came, left, went to another place and began anew."""

    came: int = 0
    left: int = 0
    moved: int = 0
    anew: int = 0


def renew(world: World, difference: Difference) -> Renewal:
    """Let the world be as the new content says."""
    content, before, done = difference.content, world.content, Renewal()
    world.content = content
    world.scripts.replace(content.scripts)
    for name in difference.charts:
        if name not in world.realms and world.has_all:
            world.add_realm(content.charts[name])
    going = _who_goes(world, difference)
    vacant = {realm.name: Counter(realm.vacant) for realm in world.realms.values()}
    missing = _vacancies(world, content, going)
    _go_on(world, difference, going, missing)
    for realm, posts in missing:
        _wait_on(world, realm, vacant[realm.name] - realm.vacant, posts)
    moving = _who_moves(difference, going, missing)
    for mobile in going:
        _go(mobile)
        done.left += 1
    for name in difference.charts & world.realms.keys():
        _redraw(world, world.realms[name], content.charts[name])
    _repoint(world, difference)
    fixtures.settle(world)
    for mobile, realm, post in moving:
        _move(world, mobile, realm, post)
        done.moved += 1
    done.anew = _retrain(world, difference)
    for realm, posts in missing:
        done.came += sum(_come(world, realm, post) for post in posts)
    if difference.retrained or content.quests != before.quests:
        for mobile in [one for one in world.mobiles.values() if one.is_character]:
            quests.renew(mobile)
    return done


def _wanted(chart: Chart) -> Counter[Resident | Spawner]:
    """How many a chart asks for, by their record."""
    wanted: Counter[Resident | Spawner] = Counter(chart.residents)
    for spawner in chart.spawners:
        wanted[spawner] += spawner.count
    return wanted


def _who_goes(world: World, difference: Difference) -> dict[Mobile, None]:
    """Those whose place is gone, or whose kind looks or is otherwise now."""
    wanted = {name: _wanted(chart) for name, chart in difference.content.charts.items()}
    going: dict[Mobile, None] = {}
    for mobile in world.mobiles.values():
        if mobile.is_character or mobile.realm is None:
            continue
        post, places = mobile.post, wanted[mobile.realm.name]
        if mobile.template.key in difference.replaced or (post is not None and places[post] < 1):
            going[mobile] = None
        elif post is not None:
            places[post] -= 1
    return going


def _vacancies(
    world: World, content: Content, going: Mapping[Mobile, None]
) -> list[tuple[Realm, list[Resident | Spawner]]]:
    """What is to be filled now, by realm: what the new content asks for, without those who are here and stay,
    and without those who died and will be followed. Nobody follows those whose place is gone."""
    present = Counter(
        (mobile.realm.name, mobile.post)
        for mobile in world.mobiles.values()
        if mobile.post is not None and mobile.realm is not None and mobile not in going
    )
    found: list[tuple[Realm, list[Resident | Spawner]]] = []
    for realm in world.realms.values():
        wanted = _wanted(content.charts[realm.name])
        realm.vacant &= wanted
        posts: list[Resident | Spawner] = []
        for post, count in wanted.items():
            posts += [post] * (count - present[realm.name, post] - realm.vacant[post])
        found.append((realm, posts))
    return found


def _go_on(
    world: World,
    difference: Difference,
    going: dict[Mobile, None],
    missing: list[tuple[Realm, list[Resident | Spawner]]],
) -> None:
    """Let creatures whose area is another record now belong to what stands in its place: an area of the same
    tiles, or of those on which they are, that wants one of their kind. Who is at something stays before all
    others. They are taken out of `going`, and their places out of `missing`."""
    wanted = dict(missing)
    for mobile in sorted(going, key=_is_idle):
        before, kind, realm = mobile.post, mobile.template.key, mobile.realm
        if realm is None or not isinstance(before, Spawner) or kind in difference.replaced:
            continue
        areas = [
            area
            for area in wanted[realm]
            if isinstance(area, Spawner) and kind in dict(area.kinds)
            if _same_tiles(area, before) or spawners.holds(area, mobile.x, mobile.y)
        ]
        if areas:
            area = max(areas, key=lambda one: _same_tiles(one, before))
            wanted[realm].remove(area)
            del going[mobile]
            spawners.belong(world, mobile, realm, area)


def _is_idle(mobile: Mobile) -> bool:
    return life.is_whole(mobile) and (mobile.brain is None or mobile.brain.mood is Mood.IDLE)


def _same_tiles(one: Spawner, other: Spawner) -> bool:
    return (one.x, one.y, one.width, one.height) == (other.x, other.y, other.width, other.height)


def _wait_on(
    world: World, realm: Realm, dead: Counter[Resident | Spawner], posts: list[Resident | Spawner]
) -> None:
    """Those who died in an area that is another record now are followed in the time of what stands in its
    place, and not at once: else every save of a file would call them back. `dead`: their number, by area."""
    for before, count in dead.items():
        if isinstance(before, Spawner):
            areas = [area for area in posts if isinstance(area, Spawner) and _same_tiles(area, before)]
            for area in areas[:count]:
                posts.remove(area)
                spawners.expect(world, realm, area)


def _who_moves(
    difference: Difference, going: dict[Mobile, None], missing: list[tuple[Realm, list[Resident | Spawner]]]
) -> list[tuple[Mobile, Realm, Resident]]:
    """Residents who go from a place that is gone to one that is new for their kind, in their own realm before
    all others. They are taken out of `going`, and their places out of `missing`."""
    moving: list[tuple[Mobile, Realm, Resident]] = []
    for mobile in list(going):
        if not isinstance(mobile.post, Resident) or mobile.template.key in difference.replaced:
            continue
        for realm, posts in sorted(missing, key=lambda entry: entry[0] is not mobile.realm):
            kind = mobile.template.key
            post = next((one for one in posts if isinstance(one, Resident) and one.template == kind), None)
            if post is not None:
                posts.remove(post)
                del going[mobile]
                moving.append((mobile, realm, post))
                break
    return moving


def _move(world: World, mobile: Mobile, realm: Realm, post: Resident) -> None:
    """Let a resident live in another place, as hurt and as well known as it is."""
    dialogs.withdraw_all_of(mobile)
    cancel_all(mobile)
    before = mobile.post
    stays = isinstance(before, Resident) and (before.x, before.y) == (post.x, post.y)
    if not stays or mobile.realm is not realm:
        world.warp(mobile, realm, post.x, post.y)
    residents.settle_in(world, mobile, realm, post)


def _go(mobile: Mobile) -> None:
    mobile.after_death = None
    mobile.world.leave(mobile)


def _come(world: World, realm: Realm, post: Resident | Spawner) -> bool:
    if isinstance(post, Resident):
        return residents.move_in(world, realm, post) is not None
    return spawners.spawn_one(world, realm, post) is not None


def _redraw(world: World, realm: Realm, chart: Chart) -> None:
    """Lay the realm out anew; whoever stands where nobody can stands beside it then."""
    realm.redraw(chart)
    for mobile in [one for one in world.mobiles.values() if one.realm is realm]:
        seated = mobile.posture == Posture.CHAIR
        if seated and (mobile.x, mobile.y) not in chart.seats:
            furniture.stay_on_feet(mobile)
            seated = False
        if not seated and not realm.walkable(mobile.x, mobile.y):
            place = next(realm.free_near(mobile.x, mobile.y, NEARBY), None)
            if place is None and chart.spawns:
                place = chart.spawns[0]
            if place is not None:
                world.warp(mobile, realm, *place)
        elif mobile.is_character:
            motion.halt(mobile)


def _repoint(world: World, difference: Difference) -> None:
    """Give everybody and everything its record as it is now, and have shown anew who looks different."""
    content = difference.content
    for mobile in world.mobiles.values():
        mobile.template = content.mobiles[mobile.template.key]
        if mobile.is_character and (difference.people or mobile.template.key in difference.replaced):
            mobile.mark(MobileDelta.BODY)
    if not difference.items:
        return
    for item in world.items.values():
        if item.template.key in difference.items:
            item.template = content.items[item.template.key]
            item.mark(ItemDelta.UPDATE)
            holder = item.root
            if isinstance(holder, Mobile):
                holder.mark(MobileDelta.WEIGHT | (MobileDelta.ARMOR if item.parent is holder else 0))


def _retrain(world: World, difference: Difference) -> int:
    """Let residents begin anew who do something else now; returns their number."""
    count = 0
    for mobile in list(world.mobiles.values()):
        realm, post = mobile.realm, mobile.post
        if mobile.template.key in difference.retrained and realm is not None and isinstance(post, Resident):
            dialogs.withdraw_all_of(mobile)
            cancel_all(mobile)
            residents.settle_in(world, mobile, realm, post)
            count += 1
    return count
