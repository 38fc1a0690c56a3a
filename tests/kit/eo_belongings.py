"""Whether an Endless Online client believes to own what its character owns, and sees what lies around it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from protocol.eo.view import EoView
from tests.kit.eo_client import EoClient, Lying
from world import hands, holding
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from protocol.eo.session import EoSession

UNLUCKY_WEIGHT = 126
"""Is told as 127: eoweb would misread the packet."""
MOST_WEIGHT = 250


def check_belongings(session: EoSession, client: EoClient) -> None:
    """Fail unless it is so."""
    mobile, figures = cast("Mobile", session.mobile), EoView.of(session).figures
    looks, female = figures.looks, mobile.female
    assert mobile.held is None
    carried = {looks.item_id(key, female=female): amount for key, amount in hands.carried(mobile).items()}
    assert client.inventory == carried
    weight = min(holding.weight(mobile), MOST_WEIGHT)
    assert client.weight == weight + (weight == UNLUCKY_WEIGHT)
    paper = figures.equipment_paperdoll(mobile)
    by_slot = [paper.boots, paper.accessory, paper.gloves, paper.belt, paper.armor, paper.necklace]
    by_slot += [paper.hat, paper.shield, paper.weapon, *paper.ring, *paper.armlet, *paper.bracer]
    assert client.equipment == {slot: item_id for slot, item_id in enumerate(by_slot) if item_id}
    assert session.eyes is not None
    assert mobile.realm is not None
    seen = mobile.realm.space.seen_by(session.eyes).values()
    lying = Counter(
        Lying(looks.item_id(thing.template.key, female=female), thing.amount, thing.x, thing.y)
        for thing in seen
        if isinstance(thing, Item)
    )
    assert Counter(client.items.values()) == lying
    for person in [*(thing for thing in seen if isinstance(thing, Mobile)), mobile]:
        if not figures.is_npc(person):
            dolls = figures.dolls(person)
            drawn = client.characters[figures.player_id(person)].dolls
            assert drawn == (dolls.boots, dolls.armor, dolls.hat, dolls.shield, dolls.weapon)
