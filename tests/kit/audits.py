"""What must be true of a running server, asked of it from outside: who sees what, what each client believes,
who holds each item, and whether the database says the same.

Each function answers a list of sentences, empty if all is well. They are written against the rules and not
against the code that keeps them: sight is worked out by looking at everything there is.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import func, select

from protocol.eo.packets.base import THREE_MAX
from protocol.eo.status import MOST_HP, weight
from protocol.eq2.figures import percent
from protocol.eq2.places import Place
from protocol.l2.figures import runs
from protocol.uo import figures as look
from server.store.check import check_database
from server.store.rows import ITEM_COLUMNS, character_of, select_characters, skills_of
from server.store.tables import item
from tests.kit.co_actor import CoActor
from tests.kit.co_client import heading_of
from tests.kit.co_screen import LIFE, MAX_LIFE, SILVER, SIT
from tests.kit.eo_actor import EoActor
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.l2_actor import L2Actor
from tests.kit.l2_screen import CUR_HP, MAX_HP
from tests.kit.uo_actor import UoActor
from tests.kit.uo_client import FIRST_SCENERY
from tests.kit.web_actor import WebActor
from tests.kit.web_screen import LOOK
from world import holding
from world.containers import counted
from world.item import Item
from world.mobile import Mobile, Posture
from world.newcomers import all_items
from world.snapshot import CharacterRow, ItemRow, character_row, item_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.co.view import CoView
    from protocol.eo.figures import Figures
    from protocol.eo.session import EoSession
    from protocol.eo.view import EoView
    from protocol.eq2.view import Eq2View
    from protocol.l2.view import L2View
    from protocol.session import Session
    from protocol.uo.figures import Figures as UoFigures
    from protocol.uo.session import UoSession
    from protocol.uo.view import UoView
    from protocol.web.packets.people import Appearance as WebLook
    from protocol.web.session import WebSession
    from protocol.web.view import WebView
    from server.store.database import Database
    from tests.kit.actor import Actor
    from tests.kit.co_screen import Seen as CoSeen
    from tests.kit.eo_client import Drawn
    from tests.kit.eq2_client import Ghost
    from tests.kit.l2_screen import Seen as L2Seen
    from tests.kit.uo_client import Seen, UoClient
    from tests.kit.web_screen import Shown
    from world.thing import Thing
    from world.world import World


UNTOLD: Final = (0, 0)
"""Hits of somebody whose bar an Ultima Online client has never been sent."""


def placed_things(world: World) -> list[Thing]:
    """Everything that stands or lies somewhere."""
    return [
        thing
        for registry in (world.mobiles, world.items)
        for thing in registry.values()
        if thing.realm is not None
    ]


def visible(session: Session, placed: Iterable[Thing]) -> set[int]:
    """The serials of what a client is to see, by its view's field of view and the rule that nobody sees the
    hidden."""
    viewport = session.viewport
    if viewport is None:
        return set()
    mobile, radius, shape = viewport.mobile, viewport.sight.radius, viewport.sight.shape
    realm, x, y = mobile.realm, mobile.x, mobile.y
    return {
        thing.serial
        for thing in placed
        if thing.realm is realm
        and thing is not mobile
        and -radius <= thing.x - x <= radius
        and -radius <= thing.y - y <= radius
        and not thing.hidden
        and (shape is None or shape(thing.x - x, thing.y - y))
    }


def sight_faults(session: Session, placed: Iterable[Thing]) -> list[str]:
    """What the server thinks a client knows, against what it should see. For the moment after a turn that
    left nothing to tell."""
    if session.viewport is None or session.loading or session.blind:
        return []
    wanted = visible(session, placed)
    if session.known.keys() == wanted:
        return []
    who = session.mobile.name if session.mobile is not None else "?"
    return [
        *(f"{who} should be shown {serial:#x}" for serial in sorted(wanted - session.known.keys())),
        *(
            f"{who} still knows {session.known[serial].name or serial} ({serial:#x})"
            for serial in sorted(session.known.keys() - wanted)
        ),
    ]


def seen_faults(actor: Actor, session: Session) -> list[str]:
    """The things a client believes in, against what the server thinks it knows."""
    view = session.family.view
    wanted = {actor.handle_of(thing, view): thing for thing in session.known.values()}
    believed: set[int | None] = {*actor.sees()}
    excused = actor.excused()
    if believed == wanted.keys():
        return []
    return [
        *(
            f"{actor.name} does not see {_described(wanted[handle])}"
            for handle in wanted
            if handle not in believed and handle not in excused
        ),
        *(f"{actor.name} sees {handle:#x}, which is not there" for handle in believed - wanted.keys()),
    ]


def belief_faults(actor: Actor, session: Session, *, lagged: bool = False) -> list[str]:
    """All that a client believes, against the world: who stands where and wears what, what lies where, its
    own place and what it has. For a client that has received everything and waits for nothing.

    One that has `lagged` may be wrong about its own place where its game does not number steps (Endless
    Online): those it took before it heard that it was put back may happen to fit. Its next step tells.
    """
    faults = seen_faults(actor, session)
    if faults or session.mobile is None:
        return faults
    if isinstance(actor, UoActor):
        return list(_uo_faults(actor, session, session.mobile))
    if isinstance(actor, EoActor):
        return list(_eo_faults(actor, session, session.mobile, lagged=lagged))
    if isinstance(actor, Eq2Actor):
        return list(_eq2_faults(actor, session, session.mobile))
    if isinstance(actor, L2Actor):
        return list(_l2_faults(actor, session, session.mobile))
    if isinstance(actor, CoActor):
        return list(_co_faults(actor, session, session.mobile))
    if isinstance(actor, WebActor):
        return list(_web_faults(actor, session, session.mobile))
    return []


def _described(thing: Thing) -> str:
    return f"{thing.name or getattr(thing, 'label', '?')} ({thing.serial:#x}) at {thing.x} {thing.y}"


def _differs(who: str, what: str, believed: object, true: object) -> list[str]:
    return [] if believed == true else [f"{who} believes {what} is {believed}, it is {true}"]


def _uo_faults(actor: UoActor, session: Session, mobile: Mobile) -> list[str]:
    figures = cast("UoView", session.family.view).figures
    client, who = actor.client, actor.name
    faults: list[str] = []
    me = client.player
    assert me is not None
    x, y, _ = figures.places.of(mobile)
    faults += _differs(who, "its own place", (me.x, me.y, me.heading), (x, y, mobile.heading))
    faults += _uo_looks(who, me, mobile, figures)
    if me.hits != UNTOLD:
        faults += _differs(who, "its own hits", me.hits, (mobile.hits, mobile.hits_max))
    for serial, thing in session.known.items():
        x, y, _ = figures.places.of(thing)
        if isinstance(thing, Mobile):
            seen = client.mobiles.get(serial)
            if seen is None:
                continue  # excused
            there = x, y, thing.heading
            faults += _differs(who, f"the place of {thing.name}", (seen.x, seen.y, seen.heading), there)
            faults += _uo_looks(who, seen, thing, figures)
            if seen.hits != UNTOLD:
                bar = look.scaled_hits(thing), look.HITS_SCALE
                faults += _differs(who, f"the hits of {thing.name}", seen.hits, bar)
        elif isinstance(thing, Item):
            lies = client.items.get(serial)
            if lies is None:
                continue  # excused
            faults += _differs(
                who,
                f"{thing.label} ({serial:#x})",
                (lies.x, lies.y, lies.amount, lies.item),
                (x, y, thing.amount, figures.art(thing)),
            )
    for container in _looked_into(cast("UoSession", session), mobile, client):
        faults += _differs(
            who,
            f"what is in {container.label} ({container.serial:#x})",
            client.inside(container.serial),
            {serial: (figures.art(inner), inner.amount) for serial, inner in container.contents.items()},
        )
    return faults


def _uo_looks(who: str, seen: Seen, mobile: Mobile, figures: UoFigures) -> list[str]:
    whose = "its own" if mobile.name == who else f"{mobile.name}'s"
    body = figures.body(mobile)
    skin = figures.skin(mobile, body)
    return [
        *_differs(who, f"{whose} body", (seen.body, seen.hue), (body, skin)),
        *_differs(
            who, f"{whose} flags", (seen.flags, seen.notoriety), (look.flags(mobile), mobile.notoriety)
        ),
        *_differs(who, f"{whose} clothes", _uo_worn(seen.worn), _worn(mobile, figures)),
    ]


def _uo_worn(worn: Mapping[int, tuple[int, int, int]]) -> dict[int, tuple[int, int, int]]:
    """Without what is no item of the world: hair, beard, a ghost's robe."""
    return {layer: item for layer, item in worn.items() if item[0] < FIRST_SCENERY}


def _worn(mobile: Mobile, figures: UoFigures) -> dict[int, tuple[int, int, int]]:
    return {
        layer: (worn.serial, figures.art(worn), figures.hue(worn))
        for layer, worn in mobile.worn.items()
        if look.wears_visibly(mobile, layer)
    }


def _looked_into(session: UoSession, mobile: Mobile, client: UoClient) -> list[Item]:
    """The containers whose content a client knows, among those that it knows itself."""
    world = mobile.world
    found = [mobile.backpack, *(world.items.get(serial) for serial in sorted(session.opened))]
    return [item for item in found if item is not None and client.knows(item.serial)]


def _eo_faults(actor: EoActor, session: Session, mobile: Mobile, *, lagged: bool) -> list[str]:
    figures = cast("EoView", session.family.view).figures
    client, who = actor.client, actor.name
    faults: list[str] = []
    others, lying = actor.others(), actor.lying()
    me = actor.place()
    if not (lagged or cast("EoSession", session).resync_waits):
        faults += _differs(who, "its own place", (me.x, me.y), (mobile.x, mobile.y))
    faults += _eo_looks(who, client.me, mobile, figures)
    faults += _differs(who, "its own hits", client.hp, max(0, min(mobile.hits, MOST_HP)))
    for thing in session.known.values():
        handle = actor.handle_of(thing, session.family.view)
        if handle is None:
            continue
        if isinstance(thing, Mobile):
            seen = others[handle]
            there = thing.x, thing.y, thing.heading & ~1
            faults += _differs(who, f"the place of {thing.name}", (seen.x, seen.y, seen.heading), there)
            if not figures.is_npc(thing):
                faults += _eo_looks(who, client.characters[figures.player_id(thing)], thing, figures)
        elif isinstance(thing, Item):
            faults += _differs(
                who,
                f"{thing.label} ({thing.serial:#x})",
                lying[handle],
                (figures.item_id(mobile, thing), min(thing.amount, THREE_MAX), thing.x, thing.y),
            )
    faults += _differs(
        who,
        "what it carries",
        {handle: owned.amount for handle, owned in actor.carries().items()},
        {actor.owned(item_id): amount for item_id, amount in figures.amounts(mobile).items()},
    )
    faults += _differs(who, "what it wears", client.equipment, figures.worn_ids(mobile))
    return faults + _differs(who, "its weight", client.weight, weight(mobile).current)


def _eq2_faults(actor: Eq2Actor, session: Session, mobile: Mobile) -> list[str]:
    """Its own place it decides itself, as far as the world follows; where the world put it last it knows."""
    view, client, who = cast("Eq2View", session.family.view), actor.client, actor.name
    faults = [f"{who}'s client would not have understood: {fault}" for fault in client.faults]
    faults += _eq2_looks(who, client.me, mobile, view)
    sheet = client.sheet
    hits = (sheet.hits, sheet.max_hits) if sheet is not None else None
    faults += _differs(who, "its own hits", hits, (max(0, mobile.hits), max(0, mobile.hits_max)))
    for serial, thing in session.known.items():
        ghost = client.others.get(serial)
        if ghost is None:
            continue
        place = view.places.of(thing)
        assert place is not None
        atlas = view.places.atlas(thing.realm)
        assert atlas is not None
        tile = atlas.tile(Place(*ghost.place))
        faults += _differs(who, f"the place of {ghost.name}", tile, (thing.x, thing.y))
        if isinstance(thing, Mobile):
            # Where a client of this game looks it says itself; others are told with its next step.
            if not thing.is_character:
                faults += _differs(who, f"where {thing.name} looks", ghost.heading, thing.heading)
            faults += _eq2_looks(who, ghost, thing, view)
        elif isinstance(thing, Item):
            name = counted(thing)
            faults += _differs(who, f"what {serial:#x} is", ghost.name, name)
    return faults


def _eq2_looks(who: str, ghost: Ghost, mobile: Mobile, view: Eq2View) -> list[str]:
    about, worn = ghost.about, view.figures.worn
    health = 100 ^ about.hits_code
    clothes = worn({layer: item.template.key for layer, item in mobile.worn.items()})
    return [
        *_differs(who, f"the name of {mobile.serial:#x}", about.name, mobile.name),
        *_differs(who, f"the health of {mobile.name}", health, percent(mobile.hits, mobile.hits_max)),
        *_differs(
            who,
            f"the clothes of {mobile.name}",
            {place: model for place, model in enumerate(about.equipment) if model},
            {place: model for place, model in clothes.items() if model}
            if view.looks.mobiles[mobile.template.key].is_person
            else {},
        ),
    ]


def _l2_faults(actor: L2Actor, session: Session, mobile: Mobile) -> list[str]:
    """Who is on the way is somewhere between two places for a client that draws lines: what counts is where
    its line ends."""
    view, screen, who = cast("L2View", session.family.view), actor.client.screen, actor.name
    faults = [f"{who}'s client would not have understood: {fault}" for fault in screen.faults]
    for serial, thing in [(mobile.serial, mobile), *session.known.items()]:
        atlas = view.places.atlas(thing.realm)
        assert atlas is not None
        whose = "its own" if thing is mobile else f"{thing.name or thing.serial:}'s"
        if isinstance(thing, Mobile):
            seen = screen.everybody().get(serial)
            if seen is None:
                faults.append(f"{who} does not see {thing.name}")
                continue
            journey, (x, y, _) = thing.gait.journey, seen.goal or (seen.x, seen.y, seen.z)
            there = (journey.x, journey.y) if journey is not None else (thing.x, thing.y)
            faults += _differs(who, f"{whose} place", atlas.tile(x, y), there)
            if thing is not mobile:
                faults += _differs(who, f"whether {whose} pace is a run", seen.running, runs(thing))
            faults += _l2_looks(who, whose, seen, thing, own=thing is mobile)
        elif isinstance(thing, Item):
            lies = screen.ground[serial]
            believed = lies.amount, *atlas.tile(lies.x, lies.y)
            faults += _differs(
                who, f"{thing.label} ({serial:#x})", believed, (thing.amount, thing.x, thing.y)
            )
    owned = [item for item in all_items(mobile) if item is not mobile.backpack]
    owned += [mobile.held] if mobile.held is not None else []
    return faults + _differs(
        who,
        "what it has",
        {number: thing.amount for number, thing in screen.pack.items()},
        {item.serial: item.amount for item in owned},
    )


def _l2_looks(who: str, whose: str, seen: L2Seen, mobile: Mobile, *, own: bool) -> list[str]:
    faults = _differs(who, f"{whose} name", seen.name, mobile.name)
    faults += _differs(
        who, f"whether {whose} posture is upright", seen.standing, mobile.posture == Posture.STANDING
    )
    if own:
        hits = seen.status.get(CUR_HP), seen.status.get(MAX_HP)
        return faults + _differs(who, "its own hits", hits, (max(0, mobile.hits), max(1, mobile.hits_max)))
    return faults + _differs(who, f"whether {whose} life is over", seen.dead, mobile.dead)


def _co_faults(actor: CoActor, session: Session, mobile: Mobile) -> list[str]:
    view, screen, who = cast("CoView", session.family.view), actor.client.screen, actor.name
    figures = view.figures
    faults = [f"{who}'s client would not have understood: {fault}" for fault in screen.faults]
    me = screen.me
    if me is None:
        return [*faults, f"{who} is nobody"]
    faults += _co_looks(who, me, mobile, view)
    hits = screen.values.get(LIFE), screen.values.get(MAX_LIFE)
    faults += _differs(who, "its own hits", hits, (max(0, mobile.hits), max(0, mobile.hits_max)))
    for thing in session.known.values():
        number = figures.ids.of(thing)
        if isinstance(thing, Mobile):
            faults += _co_looks(who, {**screen.people, **screen.npcs}[number], thing, view)
        elif isinstance(thing, Item):
            lies, place = screen.ground[number], view.places.of(thing)
            assert place is not None
            kind = figures.looks.items[thing.template.key].item
            faults += _differs(who, thing.label, (lies.kind, lies.x, lies.y), (kind, place.x, place.y))
    owned = [item for item in all_items(mobile) if item is not mobile.backpack]
    owned += [mobile.held] if mobile.held is not None else []
    bagged = sum(not item.position for item in screen.owned.values())
    worn = {item.serial for item in mobile.worn.values()}
    if len(owned) - len(worn) <= CO_BAG:
        faults += _differs(
            who,
            "what it has",
            {number: item.amount for number, item in screen.owned.items()},
            {item.serial: item.amount for item in owned if item.template.key != "gold"},
        )
    faults += [f"{who} has {bagged} things in its bag"] if bagged > CO_BAG else []
    return faults + _differs(who, "its silver", screen.values.get(SILVER), holding.gold(mobile))


def _co_looks(who: str, seen: CoSeen, mobile: Mobile, view: CoView) -> list[str]:
    """Of characters their outsides, of residents where they are. Where its own one looks it decides itself,
    until it walks."""
    whose = "its own" if mobile.name == who else f"{mobile.name}'s"
    place = view.places.of(mobile)
    assert place is not None
    faults = _differs(who, f"{whose} place", (seen.x, seen.y), (place.x, place.y))
    if whose != "its own":
        faults += _differs(who, f"where {whose} face looks", heading_of(seen.direction), mobile.heading)
    if not mobile.is_character:
        return faults
    sits = mobile.posture != Posture.STANDING
    return [
        *faults,
        *_differs(who, f"whether {whose} posture is low", seen.pose == SIT, sits),
        *_differs(who, f"{whose} name", seen.name, mobile.name),
        *_differs(who, f"{whose} look", seen.look, view.figures.look(mobile)),
        *_differs(who, f"whether {whose} life is over", seen.ghost, mobile.dead),
        *_differs(who, f"{whose} hair", seen.hair, view.figures.hair(mobile)),
    ]


def _web_faults(actor: WebActor, session: Session, mobile: Mobile) -> list[str]:
    """All that a page shows, of everybody and everything."""
    view, screen, who = cast("WebView", session.family.view), actor.screen, actor.name
    faults = [f"{who}'s page would not have understood: {fault}" for fault in screen.faults]
    faults += _differs(
        who, "its own place", (screen.x, screen.y, screen.heading), (mobile.x, mobile.y, mobile.heading)
    )
    shown = screen.things.get(mobile.serial)
    if shown is None:
        return [*faults, f"{who} does not see itself"]
    faults += _web_looks(who, shown, mobile, view)
    for serial, thing in session.known.items():
        seen = screen.things[serial]
        if isinstance(thing, Mobile):
            faults += _web_looks(who, seen, thing, view)
        elif isinstance(thing, Item):
            lies = seen.name, seen.x, seen.y, seen.amount, seen.look
            look = _web_look(view.figures.looks.item(thing))
            faults += _differs(who, thing.label, lies, (thing.label, thing.x, thing.y, thing.amount, look))
    pack = mobile.backpack
    owned = [item for item in mobile.worn.values() if item is not pack]
    owned += pack.contents.values() if pack is not None else ()
    owned += [mobile.held] if mobile.held is not None else ()
    faults += _differs(
        who,
        "what it has",
        {n: (has.amount, has.worn, has.look) for n, has in screen.owned.items()},
        {
            item.serial: (
                item.amount,
                item.parent is mobile and item is not mobile.held,
                _web_look(view.figures.looks.item(item)),
            )
            for item in owned
        },
    )
    for serial, inside in screen.inside.items():
        container = mobile.world.items.get(serial)
        if container is not None and view.knows_content(cast("WebSession", session), container):
            there = {item.serial: item.amount for item in container.contents.values()}
            told = {number: thing.amount for number, thing in inside.items()}
            faults += _differs(who, f"what is in {container.label} ({serial:#x})", told, there)
    hits = screen.sheet.get("hits"), screen.sheet.get("hits_max"), screen.sheet.get("gold")
    return faults + _differs(
        who, "its own hits and gold", hits, (mobile.hits, mobile.hits_max, holding.gold(mobile))
    )


def _web_looks(who: str, seen: Shown, mobile: Mobile, view: WebView) -> list[str]:
    whose = "its own" if mobile.name == who else f"{mobile.name}'s"
    told = seen.name, seen.title, seen.game, seen.dead, seen.sitting, seen.notoriety, seen.level
    sits = mobile.posture != Posture.STANDING
    true = mobile.name, mobile.title, mobile.game, mobile.dead, sits, mobile.notoriety, mobile.level
    share = 100 * mobile.hits / max(1, mobile.hits_max)
    return [
        *_differs(
            who, f"{whose} place", (seen.x, seen.y, seen.heading), (mobile.x, mobile.y, mobile.heading)
        ),
        *_differs(who, f"{whose} look", seen.look, _web_look(view.figures.looks.mobile(mobile))),
        *_differs(who, f"{whose} state", told, true),
        *([] if abs(seen.hits - share) <= 1 else [f"{who} believes {whose} hits are {seen.hits} %"]),
    ]


def _web_look(look: WebLook) -> Mapping[str, object]:
    return {name: getattr(look, name) for name in LOOK}


CO_BAG: Final = 40
"""Things that a Conquer client has room for beside what it wears."""


def _eo_looks(who: str, seen: Drawn, mobile: Mobile, figures: Figures) -> list[str]:
    whose = "its own" if mobile.name == who else f"{mobile.name}'s"
    dolls = figures.dolls(mobile)
    clothes = dolls.boots, dolls.armor, dolls.hat, dolls.shield, dolls.weapon
    return [
        *_differs(who, f"{whose} clothes", tuple(seen.dolls), clothes),
        *_differs(who, f"{whose} posture", seen.sitting, _SITTING[mobile.posture]),
    ]


_SITTING: Final = {Posture.STANDING: 0, Posture.CHAIR: 1, Posture.FLOOR: 2}
"""As Endless Online's client numbers them."""


# Who holds what


def holder_faults(world: World) -> list[str]:
    """Every item has exactly one holder, who knows of it, and every holder is somewhere."""
    faults = []
    claims: Counter[int] = Counter()
    for mobile in world.mobiles.values():
        if mobile.realm is None:
            faults.append(f"{mobile.name} is in the world and nowhere")
        elif mobile.realm.space.at(mobile.x, mobile.y).things.get(mobile.serial) is not mobile:
            faults.append(f"{mobile.name} is not where it says: {mobile.x} {mobile.y}")
        claims.update(worn.serial for worn in mobile.worn.values())
        faults += [
            f"{worn.label} ({worn.serial:#x}) is worn on {layer} and says {worn.layer}"
            for layer, worn in mobile.worn.items()
            if worn.layer != layer or worn.parent is not mobile
        ]
        held = mobile.held
        if held is not None:
            claims[held.serial] += 1
            if held.parent is not mobile or held.layer:
                faults.append(f"{held.label} ({held.serial:#x}) is in a hand and does not know")
    for thing in world.items.values():
        claims.update(thing.contents.keys())
        faults += [
            f"{inner.label} ({inner.serial:#x}) is in {thing.serial:#x} and does not know"
            for inner in thing.contents.values()
            if inner.parent is not thing
        ]
        if thing.realm is not None:
            claims[thing.serial] += 1
            if thing.parent is not None:
                faults.append(f"{thing.label} ({thing.serial:#x}) lies there and is held")
            if thing.realm.space.at(thing.x, thing.y).things.get(thing.serial) is not thing:
                faults.append(f"{thing.label} ({thing.serial:#x}) is not where it says: {thing.x} {thing.y}")
        if thing.amount < 1:
            faults.append(f"{thing.label} ({thing.serial:#x}): amount {thing.amount}")
    faults += [f"{serial:#x} is held and unknown" for serial in sorted(claims.keys() - world.items.keys())]
    for serial, thing in world.items.items():
        if claims[serial] != 1:
            faults.append(f"{thing.label} ({serial:#x}) has {claims[serial]} holders")
        elif isinstance(thing.root, Item) and thing.root.realm is None:
            faults.append(f"{thing.label} ({serial:#x}) is nowhere")
        elif isinstance(thing.root, Mobile) and thing.root.serial not in world.mobiles:
            faults.append(f"{thing.label} ({serial:#x}) is held by {thing.root.name}, who is gone")
    return faults


def census(world: World) -> Counter[str]:
    """Amounts of all stored items in memory, by kind."""
    total: Counter[str] = Counter()
    for thing in world.items.values():
        if thing.stored:
            total[thing.template.key] += thing.amount
    return total


def stored_census(database: Database) -> Counter[str]:
    """Amounts of all items in the database, by kind."""
    with database.read() as connection:
        rows = connection.execute(select(item.c.template, func.sum(item.c.amount)).group_by(item.c.template))
        return Counter({template: int(amount) for template, amount in rows})


def census_faults(found: Counter[str], expected: Counter[str]) -> list[str]:
    """Conservation: nothing comes from nowhere, nothing goes there."""
    return [
        f"{found[kind]} {kind} instead of {expected[kind]}"
        for kind in sorted(found.keys() | expected.keys())
        if found[kind] != expected[kind]
    ]


# What is on disk


def stale_faults(world: World) -> list[str]:
    """Nothing waits to be written that left the world: it would be written over what has come back since."""
    return [
        f"{thing.name or getattr(thing, 'label', '?')} ({serial:#x}) was changed after it had left"
        for serial, thing in world.dirty.items()
        if world.mobiles.get(serial) is not thing and world.items.get(serial) is not thing
    ]


def stored_faults(database: Database, world: World) -> list[str]:
    """The database means something, in the words of this world."""
    findings = check_database(
        database, realms=world.content.charts.keys(), templates=world.content.items.keys()
    )
    return [f"database: {finding.kind} {finding.serial:#x}: {finding.detail}" for finding in findings]


def durable_faults(database: Database, world: World) -> list[str]:
    """Memory and database agree. For a moment at which everything is on disk."""
    with database.read() as connection:
        characters = {
            row.serial: character_of(row, skills_of(connection, row.serial))
            for row in connection.execute(select_characters())
        }
        items = {row.serial: ItemRow._make(row) for row in connection.execute(select(*ITEM_COLUMNS))}
    faults = []
    for mobile in world.mobiles.values():
        if mobile.stored:
            faults += _row_faults(mobile.name, characters.get(mobile.serial), character_row(mobile))
    for thing in world.items.values():
        if thing.stored:
            label = f"{thing.label} ({thing.serial:#x})"
            faults += _row_faults(label, items.get(thing.serial), item_row(thing))
    for serial, row in items.items():
        if serial not in world.items:
            root = _root(row, items)
            if root is None or root in world.mobiles or root not in characters:
                faults.append(f"the database has {row.template} {serial:#x}, the world has not")
    return faults


def _row_faults(
    label: str, stored: ItemRow | CharacterRow | None, wanted: ItemRow | CharacterRow
) -> list[str]:
    if stored == wanted:
        return []
    if stored is None:
        return [f"{label} is not in the database"]
    differing = [
        f"{field} {old!r} instead of {new!r}"
        for field, old, new in zip(wanted._fields, stored, wanted, strict=True)
        if old != new
    ]
    return [f"{label} in the database: {', '.join(differing)}"]


def _root(row: ItemRow, items: Mapping[int, ItemRow]) -> int | None:
    """The serial of the outermost holder; None if that is the ground."""
    for _ in range(len(items)):
        if row.parent is None:
            return None
        if row.parent not in items:
            return row.parent
        row = items[row.parent]
    return None
