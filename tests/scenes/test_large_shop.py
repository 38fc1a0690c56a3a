"""A shop of two hundred wares, opened by players of all six games at once: each client has them all before it,
by its own reading (Endless Online's is eolib's), and each game makes its window once."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from protocol.co.counters import MORE
from protocol.eq2.packets import WARES as KIND
from protocol.eq2.packets import UpdateMerchant
from protocol.l2.session import L2Session, Side
from tests.kit.actors import ACTORS, make_actor
from tests.kit.co_actor import CoActor
from tests.kit.eo_client import EoClient
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.in_memory import shipped_content
from tests.kit.l2_client import L2Client
from tests.kit.town import Town
from tests.kit.uo_client import UoClient
from tests.kit.wares import MERCHANT, PRICE, with_wares
from tests.kit.web_client import WebClient
from world import counters, shops
from world.offers import Catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import pytest
    import trio
    from trio.testing import MockClock

    from tests.kit.actor import Actor
    from world.mobile import Mobile
    from world.world import World

WARES = 200
OPENINGS = 100


def merchant_of(world: World) -> Mobile:
    return next(one for one in world.mobiles.values() if one.template.key == MERCHANT)


def come_to_it(world: World) -> None:
    """Everybody stands before the merchant."""
    merchant = merchant_of(world)
    assert merchant.realm is not None
    near = merchant.realm.free_near(merchant.x, merchant.y, 2)
    for mobile, place in zip(list(world.online()), near, strict=False):
        world.warp(mobile, merchant.realm, *place)


def open_all(town: Town) -> None:
    """Everybody comes up to the counter; in Lineage II by the link to the wares on its page."""
    merchant = merchant_of(town.app.world)
    for session in town.app.loop.sessions.values():
        if session.mobile is not None:
            if isinstance(session, L2Session):
                session.opens = Side.BUY, town.app.world.now
            counters.at_shop(session.mobile, merchant)


async def shown(actor: Actor, town: Town) -> set[str]:
    """The wares that a client has before it, by our keys."""
    items = town.content.items
    named = {kind.name: key for key, kind in items.items()}
    if isinstance(actor, Eq2Actor):
        told = [one for one in actor.player.of(UpdateMerchant) if one.kind == KIND]  # type: ignore[attr-defined]
        return {named[row.name] for row in told[-1].rows}
    if isinstance(actor, CoActor):
        found: set[str] = set()
        for _ in range(WARES):
            window = actor.client.screen.window
            assert window is not None
            lines = {label.partition(":")[0] for label in window.options.values()} & named.keys()
            if found >= {named[line] for line in lines}:
                break
            found |= {named[line] for line in lines}
            more = next(number for number, label in window.options.items() if label == MORE)
            await actor.sends(actor.client.answer_bytes(more, ""))
            await actor.echo()
        return found
    match actor.client:  # type: ignore[attr-defined] # every actor has one
        case UoClient() as client:
            return {named[name] for name, (_, price) in client.wares().items() if price == PRICE}
        case EoClient() as client:
            assert client.shop is not None
            templates = town.families["eo"].view.figures.looks.templates  # type: ignore[attr-defined]
            return {templates[row.item_id] for row in client.shop.trade_items if row.buy_price == PRICE}
        case L2Client() as client:
            assert client.screen.counter is not None
            sold = reversed(shops.catalogue(merchant_of(town.app.world)).sells)
            kinds = {items[row.item].look["l2"]["item"]: row.item for row in sold}
            listed = {kinds[row.kind] for row in client.screen.counter.rows if row.price == PRICE}
            buyer, merchant = town.mobile(actor.name), merchant_of(town.app.world)
            await town.app.in_world(None, lambda _: counters.at_shop(buyer, merchant))
            await actor.echo()
            assert client.screen.html is not None
            return listed | set(re.findall(r"_Ware (\w+)", client.screen.html.text))  # what looks alike
        case WebClient() as client:
            rows = client.screen.panes.counter.sells
            return {key for key, row in rows.items() if row.price == PRICE}
    raise AssertionError(actor)


async def test_all_wares_are_before_every_client_and_made_once_for_each_game(
    nursery: trio.Nursery, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Counter[str] = Counter()
    kept = Catalogue.kept

    def counted(lists: Catalogue, key: Hashable, make: Callable[[], object]) -> object:
        def once() -> object:
            made[str(key[0] if isinstance(key, tuple) else key)] += 1
            return make()

        return kept(lists, key, once)

    town = Town(nursery, content=with_wares(shipped_content(), WARES))
    await town.open()
    actors = [make_actor(game, town, peer=f"127.0.0.{n}") for n, game in enumerate(ACTORS, 1)]
    for name, actor in zip("abcdef", actors, strict=True):
        await actor.enters(f"buyer{name}", f"Buyer{name}")
    await town.app.in_world(None, come_to_it)
    for actor in actors:
        await actor.echo()
    monkeypatch.setattr(Catalogue, "kept", counted)
    for _ in range(OPENINGS // len(actors)):
        await town.app.in_world(None, lambda _: open_all(town))
    for actor in actors:
        await actor.echo()
    windows = ("uo", "eo", "eq2", "l2 rows", "co rows", "web")
    assert {name: made[name] for name in windows} == dict.fromkeys(windows, 1)
    sold = {row.item for row in shops.catalogue(merchant_of(town.app.world)).sells}
    assert len(sold) == WARES
    for actor in actors:
        assert await shown(actor, town) == sold, actor.game
