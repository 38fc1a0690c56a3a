"""Duels: blows by consent, and how they end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, lines_of, person, plain_content, plain_world, player
from world import duels, fighting, ignoring, invites, law, life
from world.events import Died, DuelCounted, DuelEnded
from world.mobile import Notoriety
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.mobile import Mobile
    from world.world import World


def peaceful() -> World:
    """A world in which players do not fight."""
    content = plain_content()
    peace = {name: attrs.evolve(chart, fights=False) for name, chart in content.charts.items()}
    return plain_world(attrs.evolve(content, charts=peace))


def two(world: World) -> tuple[Mobile, Mobile]:
    alric, berta = player(world, "Alric", 10, 10), player(world, "Berta", 11, 10)
    for one in (alric, berta):
        one.endow()
    return alric, berta


def agreed(world: World) -> tuple[Mobile, Mobile]:
    """Two whose duel has begun."""
    alric, berta = two(world)
    duels.ask(alric, berta)
    invites.accept(berta, duels.DUEL)
    goes_on(world, 3.5)
    assert law.are_duelling(alric, berta)
    return alric, berta


def ends(world: World, *mobiles: Mobile) -> list[tuple[bool | None, str]]:
    """How it ended for each of them, since that was asked last."""
    events = [one for one in world.take_changes().events if isinstance(one, DuelEnded)]
    return [(one.won, one.why) for mobile in mobiles for one in events if one.thing is mobile]


def test_seconds_are_counted_and_then_blows_are_lawful() -> None:
    world = peaceful()
    alric, berta = two(world)
    with pytest.raises(Cannot) as refused:
        fighting.attack(alric, berta)
    assert refused.value.why in (Refusal.PEACE, Refusal.YOUNG)
    duels.ask(alric, berta)
    assert "You ask Berta to a duel." in lines_of(alric)
    invites.accept(berta, duels.DUEL)
    goes_on(world, 2.5)
    assert not law.are_duelling(alric, berta)
    with pytest.raises(Cannot):
        fighting.attack(alric, berta)
    goes_on(world, 1)
    counted = [one for one in world.take_changes().events if isinstance(one, DuelCounted)]
    assert [(one.thing, one.seconds) for one in counted] == [
        (who, seconds) for seconds in (3, 2, 1, 0) for who in (alric, berta)
    ]
    fighting.attack(alric, berta)
    fighting.attack(berta, alric)
    carl = player(world, "Carl", 12, 10)
    carl.endow()
    for one, other in ((carl, alric), (alric, carl)):
        with pytest.raises(Cannot):
            fighting.attack(one, other)


def test_the_last_blow_leaves_one_hit_and_has_won_without_a_crime() -> None:
    world = peaceful()
    alric, berta = agreed(world)
    fighting.attack(alric, berta)
    world.take_changes()
    assert not life.hurt(berta, 1000, alric)
    assert (berta.hits, berta.dead) == (1, False)
    events = world.take_changes().events
    assert not [one for one in events if isinstance(one, Died)]
    ended = [one for one in events if isinstance(one, DuelEnded)]
    assert {(one.thing.name, one.won) for one in ended} == {("Alric", True), ("Berta", False)}
    assert {one.words(own=True) for one in ended} == {"Alric has beaten Berta."}
    assert not alric.enemy
    assert alric.notoriety == Notoriety.INNOCENT
    assert not berta.aggressors
    assert not berta.wounds
    assert not alric.assailant
    with pytest.raises(Cannot):
        fighting.attack(alric, berta)


def test_a_fight_to_the_end_by_blows() -> None:
    world = peaceful()
    alric, berta = agreed(world)
    fighting.attack(alric, berta)
    fighting.attack(berta, alric)
    goes_on(world, 200)
    (won, _), (lost, _) = sorted(ends(world, alric, berta), reverse=True)
    assert (won, lost) == (True, False)
    assert not alric.dead
    assert not berta.dead


def _leaves(mobile: Mobile) -> None:
    mobile.online = False
    mobile.world.leave(mobile)


def _runs(mobile: Mobile) -> None:
    mobile.world.warp(mobile, mobile.world.realms["plain"], 40, 40)


def _is_elsewhere(mobile: Mobile) -> None:
    mobile.world.warp(mobile, mobile.world.realms["cave"], 5, 5)


@pytest.mark.parametrize(
    ("deed", "won"),
    [
        (duels.give_up, True),
        (_leaves, True),
        (_runs, None),
        (_is_elsewhere, None),
        (life.kill, None),
        (lambda mobile: goes_on(mobile.world, duels.LONGEST), None),
    ],
    ids=["gives up", "leaves", "runs", "is elsewhere", "dies", "waits"],
)
def test_how_else_it_ends(deed: object, won: bool | None) -> None:
    world = peaceful()
    alric, berta = agreed(world)
    assert callable(deed)
    deed(berta)
    goes_on(world, 1)
    assert [one[0] for one in ends(world, alric)] == [won]
    assert alric.duel is berta.duel is None
    with pytest.raises(Cannot) as refused:
        duels.give_up(alric)
    assert refused.value.why is Refusal.NO_DUEL


def test_one_that_has_not_begun_is_called_off() -> None:
    world = peaceful()
    alric, berta = two(world)
    duels.ask(alric, berta)
    duels.ask(berta, alric)
    assert duels.opponent(alric) is berta
    duels.give_up(alric)
    goes_on(world, 5)
    assert ends(world, alric, berta) == [(None, "Alric calls the duel off.")] * 2
    assert not law.are_duelling(alric, berta)


def refusals(alric: Mobile, *others: Mobile) -> Iterable[Refusal]:
    for other in others:
        with pytest.raises(Cannot) as refused:
            duels.ask(alric, other)
        yield refused.value.why


def test_what_is_refused() -> None:
    world = peaceful()
    alric, berta = two(world)
    ghost, far = player(world, "Ghost", 12, 10), player(world, "Far", 40, 40)
    life.kill(ghost)
    away = person(world, "Away", 9, 9)
    away.online = False
    deaf = player(world, "Deaf", 9, 10)
    ignoring.ignore(deaf, "Alric")
    assert list(refusals(alric, alric, ghost, far, away, deaf)) == [
        *(Refusal.ONESELF, Refusal.DEFEATED, Refusal.FAR, Refusal.NOBODY, Refusal.IGNORED)
    ]
    assert list(refusals(ghost, alric)) == [Refusal.DEAD]
    duels.ask(alric, berta)
    invites.accept(berta, duels.DUEL)
    carl = player(world, "Carl", 12, 11)
    assert list(refusals(carl, alric)) == list(refusals(alric, carl)) == [Refusal.DUELLING]


def test_who_is_not_fit_any_more_when_it_is_accepted_is_told() -> None:
    world = peaceful()
    alric, berta = two(world)
    duels.ask(alric, berta)
    world.warp(alric, world.realms["plain"], 40, 40)
    invites.accept(berta, duels.DUEL)
    assert lines_of(berta)[-1] == str(Cannot(Refusal.FAR))
    assert alric.duel is None
