"""What clients believe, held against the world.

Each function answers a list of sentences, empty if all is well. They are written against the rules and not
against the code that keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.eo.packets.base import THREE_MAX
from protocol.eo.status import MOST_HP, weight
from protocol.eq2.bars import percent
from protocol.eq2.places import Place
from protocol.eq2.structs import arrow
from protocol.l2.figures import runs
from protocol.uo import figures as look
from protocol.uo import sheets
from protocol.uo.viewers import notoriety, viewer_of
from tests.kit.audits import SITTING
from tests.kit.co_actor import CoActor
from tests.kit.co_client import heading_of
from tests.kit.co_screen import LANDMARKS, LIFE, MAX_LIFE, SILVER, SIT
from tests.kit.company_beliefs import company_faults
from tests.kit.eo_actor import EoActor
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.l2_actor import L2Actor
from tests.kit.l2_shown import CUR_HP, FIRST_PROP, MAX_HP
from tests.kit.sight import UNTOLD, differs, seen_faults
from tests.kit.uo_actor import UoActor
from tests.kit.uo_seen import FIRST_SCENERY
from tests.kit.web_actor import WebActor
from tests.kit.web_fields import LOOK
from world import holding, safes
from world.arms import level_of
from world.containers import counted
from world.item import Item, Layer
from world.mobile import Mobile, Posture
from world.newcomers import all_items

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    from tests.kit.actor import Actor
    from tests.kit.co_seen import Seen as CoSeen
    from tests.kit.eo_picture import Drawn
    from tests.kit.eq2_ghost import Ghost
    from tests.kit.l2_shown import Seen as L2Seen
    from tests.kit.uo_client import UoClient
    from tests.kit.uo_seen import Seen
    from tests.kit.web_fields import Shown


def belief_faults(actor: Actor, session: Session, *, lagged: bool = False) -> list[str]:
    """All that a client believes, against the world: who stands where and wears what, what lies where, its
    own place and what it has. For a client that has received everything and waits for nothing.

    One that has `lagged` may be wrong about its own place where its game does not number steps (Endless
    Online): those it took before it heard that it was put back may happen to fit. Its next step tells.
    """
    faults = seen_faults(actor, session)
    if faults or session.mobile is None:
        return faults
    faults = company_faults(actor, session, session.mobile)
    if isinstance(actor, UoActor):
        return [*faults, *_uo_faults(actor, session, session.mobile)]
    if isinstance(actor, EoActor):
        return [*faults, *_eo_faults(actor, session, session.mobile, lagged=lagged)]
    if isinstance(actor, Eq2Actor):
        return [*faults, *_eq2_faults(actor, session, session.mobile)]
    if isinstance(actor, L2Actor):
        return [*faults, *_l2_faults(actor, session, session.mobile)]
    if isinstance(actor, CoActor):
        return [*faults, *_co_faults(actor, session, session.mobile)]
    if isinstance(actor, WebActor):
        return [*faults, *_web_faults(actor, session, session.mobile)]
    return faults


def _uo_faults(actor: UoActor, session: Session, mobile: Mobile) -> list[str]:
    figures = cast("UoView", session.family.view).figures
    client, who = actor.client, actor.name
    faults: list[str] = []
    me = client.player
    assert me is not None
    x, y, _ = figures.places.of(mobile)
    faults += differs(who, "its own place", (me.x, me.y, me.heading), (x, y, mobile.heading))
    faults += _uo_looks(who, me, mobile, session)
    if me.hits != UNTOLD:
        faults += differs(who, "its own hits", me.hits, (mobile.hits, mobile.hits_max))
    faults += differs(who, "its war", client.war, mobile.war)
    faults += differs(who, "its enemy", client.enemy, mobile.enemy)
    for serial, thing in session.known.items():
        x, y, _ = figures.places.of(thing)
        if isinstance(thing, Mobile):
            seen = client.mobiles.get(serial)
            if seen is None:
                continue  # excused
            there = x, y, thing.heading
            faults += differs(who, f"the place of {thing.name}", (seen.x, seen.y, seen.heading), there)
            faults += _uo_looks(who, seen, thing, session)
            if seen.hits != UNTOLD:
                bar = sheets.scaled_hits(thing), sheets.HITS_SCALE
                faults += differs(who, f"the hits of {thing.name}", seen.hits, bar)
        elif isinstance(thing, Item):
            lies = client.items.get(serial)
            if lies is None:
                continue  # excused
            # The amount of a corpse is the body that it was.
            amount = figures.body_of(thing.remains) if thing.remains is not None else thing.amount
            faults += differs(
                who,
                f"{thing.label} ({serial:#x})",
                (lies.x, lies.y, lies.amount, lies.item),
                (x, y, amount, figures.art(thing)),
            )
    for container in _looked_into(cast("UoSession", session), mobile, client):
        faults += differs(
            who,
            f"what is in {container.label} ({container.serial:#x})",
            # A corpse has hair that is no item of the world.
            {n: there for n, there in client.inside(container.serial).items() if n < FIRST_SCENERY},
            {serial: (figures.art(inner), inner.amount) for serial, inner in container.contents.items()},
        )
    return faults


def _uo_looks(who: str, seen: Seen, mobile: Mobile, session: Session) -> list[str]:
    figures, version = cast("UoView", session.family.view).figures, cast("UoSession", session).dialect
    whose = "its own" if mobile.name == who else f"{mobile.name}'s"
    body = figures.body(mobile)
    skin = figures.skin(mobile, body)
    return [
        *differs(who, f"{whose} body", (seen.body, seen.hue), (body, skin)),
        *differs(
            who,
            f"{whose} flags",
            (seen.flags, seen.notoriety),
            (
                look.flags(mobile, coloured_bars=version.coloured_bars),
                notoriety(mobile, viewer_of(session.mobile, mobile)),
            ),
        ),
        *differs(who, f"{whose} poison", seen.poisoned, mobile.poisoned and version.coloured_bars),
        *differs(who, f"{whose} clothes", _uo_worn(seen.worn), _worn(mobile, figures)),
    ]


def _uo_worn(worn: Mapping[int, tuple[int, int, int]]) -> dict[int, tuple[int, int, int]]:
    """Without what is no item of the world (hair, beard, a ghost's robe), and the box of the bank."""
    return {layer: item for layer, item in worn.items() if item[0] < FIRST_SCENERY and layer != Layer.BANK}


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
        faults += differs(who, "its own place", (me.x, me.y), (mobile.x, mobile.y))
    faults += _eo_looks(who, client.me, mobile, figures)
    faults += differs(who, "its own hits", client.hp, max(0, min(mobile.hits, MOST_HP)))
    for thing in session.known.values():
        handle = actor.handle_of(thing, session.family.view)
        if handle is None:
            continue
        if isinstance(thing, Mobile):
            seen = others[handle]
            there = thing.x, thing.y, thing.heading & ~1
            faults += differs(who, f"the place of {thing.name}", (seen.x, seen.y, seen.heading), there)
            if not figures.is_npc(thing):
                faults += _eo_looks(who, client.characters[figures.player_id(thing)], thing, figures)
        elif isinstance(thing, Item):
            faults += differs(
                who,
                f"{thing.label} ({thing.serial:#x})",
                lying[handle],
                (figures.item_id(mobile, thing), min(thing.amount, THREE_MAX), thing.x, thing.y),
            )
    faults += differs(
        who,
        "what it carries",
        {handle: owned.amount for handle, owned in actor.carries().items()},
        {actor.owned(item_id): amount for item_id, amount in figures.amounts(mobile).items()},
    )
    faults += differs(who, "what it wears", client.equipment, figures.worn_ids(mobile))
    return faults + differs(who, "its weight", client.weight, weight(mobile).current)


def _eq2_faults(actor: Eq2Actor, session: Session, mobile: Mobile) -> list[str]:
    """Its own place it decides itself, as far as the world follows; where the world put it last it knows."""
    view, client, who = cast("Eq2View", session.family.view), actor.client, actor.name
    faults = [f"{who}'s client would not have understood: {fault}" for fault in client.faults]
    faults += _eq2_looks(who, client.me, mobile, view)
    sheet = client.sheet
    hits = (sheet.hits, sheet.max_hits) if sheet is not None else None
    faults += differs(who, "its own hits", hits, (max(0, mobile.hits), max(0, mobile.hits_max)))
    faults += differs(who, "what it has", client.bags.carried(), _eq2_belongings(mobile))
    open_vault = mobile.visit is not None and mobile.visit.service == safes.VAULT
    kept = {item.serial for item in safes.things(mobile)} if open_vault else set()
    faults += differs(who, "what of its bank it does not see", kept - client.bags.kept().keys(), set())
    if not open_vault:
        faults += differs(who, "what it sees of its bank", client.bags.kept(), {})
    worn = {item.serial for item in mobile.worn.values()}
    faults += differs(who, "what it wears of what is no more worn", client.bags.worn() - worn, set())
    for serial, thing in session.known.items():
        ghost = client.others.get(serial)
        if ghost is None:
            continue
        place = view.places.of(thing)
        assert place is not None
        atlas = view.places.atlas(thing.realm)
        assert atlas is not None
        tile = atlas.tile(Place(*ghost.place))
        faults += differs(who, f"the place of {ghost.name}", tile, (thing.x, thing.y))
        if isinstance(thing, Mobile):
            # Where a client of this game looks it says itself; others are told with its next step.
            if not thing.is_character:
                faults += differs(who, f"where {thing.name} looks", ghost.heading, thing.heading)
            faults += _eq2_looks(who, ghost, thing, view)
            if thing.template.fights is not None:
                hard = arrow(level_of(thing), level_of(mobile))
                faults += differs(who, f"the arrow over {thing.name}", ghost.visible.arrow, hard)
        elif isinstance(thing, Item):
            name = counted(thing)
            faults += differs(who, f"what {serial:#x} is", ghost.name, name)
    return faults


def _eq2_belongings(mobile: Mobile) -> dict[int, int]:
    """Amounts by serial, as its client counts: the pack, what is in it but gold, and what is in five bags."""
    pack = mobile.backpack
    if pack is None:
        return {}
    things = [pack, *(item for item in pack.contents.values() if item.template.key != "gold")]
    bags = [item for item in things[1:] if item.template.container][:5]
    return {
        item.serial: min(item.amount, 255)
        for item in (*things, *(inner for bag in bags for inner in bag.contents.values()))
    }


def _eq2_looks(who: str, ghost: Ghost, mobile: Mobile, view: Eq2View) -> list[str]:
    about, worn = ghost.about, view.figures.worn
    health = 100 ^ about.hits_code
    clothes = worn({layer: item.template.key for layer, item in mobile.worn.items()})
    return [
        *differs(who, f"the name of {mobile.serial:#x}", about.name, mobile.name),
        *differs(who, f"the health of {mobile.name}", health, percent(mobile.hits, mobile.hits_max)),
        *differs(who, f"whether {mobile.name} fights", bool(about.auto_attack), mobile.enemy != 0),
        *differs(
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
    around = view.scenery.landmarks.around(mobile, None)
    props = {FIRST_PROP + number for number in around.numbers}
    faults += differs(who, "what stands for walls", {*screen.props}, props)
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
            faults += differs(who, f"{whose} place", atlas.tile(x, y), there)
            if thing is not mobile:
                faults += differs(who, f"whether {whose} pace is a run", seen.running, runs(thing))
            faults += _l2_looks(who, whose, seen, thing, own=thing is mobile)
        elif isinstance(thing, Item):
            lies = screen.ground[serial]
            believed = lies.amount, *atlas.tile(lies.x, lies.y)
            faults += differs(who, f"{thing.label} ({serial:#x})", believed, (thing.amount, thing.x, thing.y))
    owned = [item for item in all_items(mobile) if item is not mobile.backpack]
    owned += [mobile.held] if mobile.held is not None else []
    return faults + differs(
        who,
        "what it has",
        {number: thing.amount for number, thing in screen.pack.items()},
        {item.serial: item.amount for item in owned},
    )


def _l2_looks(who: str, whose: str, seen: L2Seen, mobile: Mobile, *, own: bool) -> list[str]:
    faults = differs(who, f"{whose} name", seen.name, mobile.name)
    faults += differs(
        who, f"whether {whose} posture is upright", seen.standing, mobile.posture == Posture.STANDING
    )
    if own:
        hits = seen.status.get(CUR_HP), seen.status.get(MAX_HP)
        return faults + differs(who, "its own hits", hits, (max(0, mobile.hits), max(1, mobile.hits_max)))
    return faults + differs(who, f"whether {whose} life is over", seen.dead, mobile.dead)


def _co_faults(actor: CoActor, session: Session, mobile: Mobile) -> list[str]:
    view, screen, who = cast("CoView", session.family.view), actor.client.screen, actor.name
    figures = view.figures
    faults = [f"{who}'s client would not have understood: {fault}" for fault in screen.faults]
    me = screen.me
    if me is None:
        return [*faults, f"{who} is nobody"]
    around = view.scenery.landmarks.around(mobile, None)
    landmarks = {LANDMARKS.start + number for number in around.numbers}
    faults += differs(who, "what stands for walls", {*screen.landmarks}, landmarks)
    faults += _co_looks(who, me, mobile, view)
    hits = screen.values.get(LIFE), screen.values.get(MAX_LIFE)
    faults += differs(who, "its own hits", hits, (max(0, mobile.hits), max(0, mobile.hits_max)))
    for thing in session.known.values():
        number = figures.ids.of(thing)
        if isinstance(thing, Mobile):
            faults += _co_looks(who, {**screen.people, **screen.npcs}[number], thing, view)
        elif isinstance(thing, Item):
            lies, place = screen.ground[number], view.places.of(thing)
            assert place is not None
            kind = figures.looks.items[thing.template.key].item
            faults += differs(who, thing.label, (lies.kind, lies.x, lies.y), (kind, place.x, place.y))
    owned = [item for item in all_items(mobile) if item is not mobile.backpack]
    owned += [mobile.held] if mobile.held is not None else []
    bagged = sum(not item.position for item in screen.owned.values())
    worn = {item.serial for item in mobile.worn.values()}
    if len(owned) - len(worn) <= CO_BAG:
        faults += differs(
            who,
            "what it has",
            {number: item.amount for number, item in screen.owned.items()},
            {item.serial: item.amount for item in owned if item.template.key != "gold"},
        )
    faults += [f"{who} has {bagged} things in its bag"] if bagged > CO_BAG else []
    return faults + differs(who, "its silver", screen.values.get(SILVER), holding.gold(mobile))


def _co_looks(who: str, seen: CoSeen, mobile: Mobile, view: CoView) -> list[str]:
    """Of characters their outsides, of residents where they are. Where its own one looks it decides itself,
    until it walks."""
    whose = "its own" if mobile.name == who else f"{mobile.name}'s"
    place = view.places.of(mobile)
    assert place is not None
    faults = differs(who, f"{whose} place", (seen.x, seen.y), (place.x, place.y))
    if whose != "its own":
        faults += differs(who, f"where {whose} face looks", heading_of(seen.direction), mobile.heading)
    if not mobile.is_character:
        return faults
    sits = mobile.posture != Posture.STANDING
    return [
        *faults,
        *differs(who, f"whether {whose} posture is low", seen.pose == SIT, sits),
        *differs(who, f"{whose} name", seen.name, mobile.name),
        *differs(who, f"{whose} look", seen.look, view.figures.look(mobile)),
        *differs(who, f"whether {whose} life is over", seen.ghost, mobile.dead),
        *differs(who, f"{whose} hair", seen.hair, view.figures.hair(mobile)),
    ]


def _web_faults(actor: WebActor, session: Session, mobile: Mobile) -> list[str]:
    """All that a page shows, of everybody and everything."""
    view, screen, who = cast("WebView", session.family.view), actor.screen, actor.name
    faults = [f"{who}'s page would not have understood: {fault}" for fault in screen.faults]
    faults += differs(
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
            enemy = screen.enemies.get(serial, 0)
            faults += differs(who, f"whom {thing.name} fights", enemy, thing.enemy)
        elif isinstance(thing, Item):
            lies = seen.name, seen.x, seen.y, seen.amount, seen.look
            look = _web_look(view.figures.looks.item(thing))
            faults += differs(who, thing.label, lies, (thing.label, thing.x, thing.y, thing.amount, look))
    pack = mobile.backpack
    owned = [item for item in mobile.worn.values() if item is not pack]
    owned += pack.contents.values() if pack is not None else ()
    owned += [mobile.held] if mobile.held is not None else ()
    faults += differs(
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
            faults += differs(who, f"what is in {container.label} ({serial:#x})", told, there)
    hits = screen.sheet.get("hits"), screen.sheet.get("hits_max"), screen.sheet.get("gold")
    return faults + differs(
        who, "its own hits and gold", hits, (mobile.hits, mobile.hits_max, holding.gold(mobile))
    )


def _web_looks(who: str, seen: Shown, mobile: Mobile, view: WebView) -> list[str]:
    whose = "its own" if mobile.name == who else f"{mobile.name}'s"
    told = seen.name, seen.title, seen.game, seen.dead, seen.sitting, seen.notoriety, seen.level
    sits = mobile.posture != Posture.STANDING
    kind = mobile.template.fights
    level = mobile.level if kind is None else kind.level
    true = mobile.name, mobile.title, mobile.game, mobile.dead, sits, mobile.notoriety, level
    faults = differs(who, f"whether {whose} kind is hunted", seen.fights, kind is not None)
    share = 100 * mobile.hits / max(1, mobile.hits_max)
    return [
        *faults,
        *differs(who, f"{whose} place", (seen.x, seen.y, seen.heading), (mobile.x, mobile.y, mobile.heading)),
        *differs(who, f"{whose} look", seen.look, _web_look(view.figures.looks.mobile(mobile))),
        *differs(who, f"{whose} state", told, true),
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
        *differs(who, f"{whose} clothes", tuple(seen.dolls), clothes),
        *differs(who, f"{whose} posture", seen.sitting, SITTING[mobile.posture]),
    ]
