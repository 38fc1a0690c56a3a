"""Would the simulation notice? Bugs planted on purpose, and what it says of them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from protocol.co.packets import ItemAction, ItemActionType, MapItem, UserAttrib, Walk
from protocol.co.packets import Message as CoMessage
from protocol.co.view import CoView
from protocol.eq2 import binding, ghosts
from protocol.eq2 import session as eq2_session
from protocol.l2.bound import gone
from protocol.l2.motion import _walks
from protocol.l2.packets import ChangeWaitType, DeleteObject, MoveToLocation
from protocol.l2.versions import L2Version
from protocol.uo import view
from server.net.gateway import Gateway
from server.turn.fanout import Fanout
from server.turn.sight import Sight
from tests.kit import simulation
from tests.kit.actors import ACTORS
from tests.kit.simulation import Broken, Plan, found_by, simulate
from world import hands, holding
from world.delta import MobileDelta
from world.events import Why
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from protocol.co.versions import CoVersion
    from protocol.family import Family
    from protocol.l2.packets import Message
    from protocol.outgoing import Outgoing
    from protocol.session import Session
    from world.item import Item
    from world.mobile import Mobile
    from world.thing import Thing

QUIET = Plan(seconds=60, people=6, faults=False)
STORMY = Plan(seconds=60, people=6)


def play_only(monkeypatch: pytest.MonkeyPatch, *games: str) -> None:
    """Everybody plays one of these."""
    monkeypatch.setattr(simulation, "ACTORS", {game: ACTORS[game] for game in games})


def generous_split(item: Item, amount: int) -> Item:
    """The rest of a split stack is one more than it should be."""
    rest = holding.make(item.world, item.template.key, amount=item.amount - amount + 1, hue=item.hue)
    rest.stored = item.stored
    item.world.register(rest)
    item.amount = amount
    return rest


def forgetful_hide(hide_all: Callable[[Sight, Iterable[tuple[Session, Thing, Why]]], None]) -> object:
    """Nobody is told of what hid."""

    def hides(sight: Sight, leaving: Iterable[tuple[Session, Thing, Why]]) -> None:
        hide_all(sight, [(session, thing, why) for session, thing, why in leaving if why is not Why.HIDDEN])

    return hides


def test_a_split_that_makes_one_more_is_found_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands, "_split", generous_split)
    seed, report = found_by(QUIET)
    assert "after the commit of tick" in report
    assert "instead of" in report
    assert f"--seed {seed}" in report
    with pytest.raises(Broken) as again:
        simulate(seed, QUIET)
    assert str(again.value) == report


def test_a_hide_that_is_not_sent_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sight, "hide_all", forgetful_hide(Sight.hide_all))
    _, report = found_by(STORMY)
    assert "sees" in report
    assert "which is not there" in report


def test_a_step_nobody_is_shown_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = itertools.count(1)
    tell = Fanout._tell_motion

    def forgets_some(fanout: Fanout, event: object) -> None:
        if next(calls) % 50:
            tell(fanout, event)  # type: ignore[arg-type] # handed on as it came

    monkeypatch.setattr(Fanout, "_tell_motion", forgets_some)
    _, report = found_by(QUIET)
    words = "believes the place of", "'s place is", "would not have understood: {'t': 'move'"
    assert any(told in report for told in words), report


@pytest.mark.parametrize(
    ("unnoticed", "words"),
    [
        ("ARMOR", ("clothes is",)),
        ("HITS", ("hits is",)),
        # Endless Online says where one sits with the word that one sits: steps that it forgets, for which its
        # client had no time, are taken back by that.
        ("POSTURE", ("posture is", "its own place is")),
    ],
)
def test_a_change_of_somebody_that_is_not_told_is_found(
    monkeypatch: pytest.MonkeyPatch, unnoticed: str, words: tuple[str, ...]
) -> None:
    """The change has its flag, and the views look for another one."""
    play_only(monkeypatch, "uo", "eo")
    monkeypatch.setattr(MobileDelta, unnoticed, 0)
    _, report = found_by(STORMY)
    assert any(told in report for told in words), report


def test_a_ghost_that_is_not_taken_away_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    play_only(monkeypatch, "eq2")
    monkeypatch.setattr(ghosts.Hide, "bind", lambda message, session: b"")
    _, report = found_by(QUIET)
    assert "which is not there" in report


def test_a_change_of_a_ghost_that_is_not_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    play_only(monkeypatch, "eq2")
    bound = binding.bound

    def forgetful(messages: Sequence[Outgoing], viewer: ghosts.Viewer) -> list[bytes]:
        return bound([message for message in messages if not isinstance(message, ghosts.Change)], viewer)

    monkeypatch.setattr(eq2_session, "bound", forgetful)
    _, report = found_by(STORMY)
    assert any(f"believes {what}" in report for what in ("the clothes of", "the health of", "whether a "))


@pytest.fixture
def nothing_is_kept() -> Iterator[None]:
    """Messages of Lineage II that were kept are made anew, and those that are made here are not kept."""
    kept = gone, _walks
    for function in kept:
        function.cache_clear()
    yield
    for function in kept:
        function.cache_clear()


@pytest.mark.usefixtures("nothing_is_kept")
@pytest.mark.parametrize(
    ("unsent", "words"),
    [(DeleteObject, "which is not there"), (MoveToLocation, "place is"), (ChangeWaitType, "posture is")],
)
def test_a_word_that_lineage_clients_are_not_told_is_found(
    monkeypatch: pytest.MonkeyPatch, unsent: type[Message], words: str
) -> None:
    """Every one of that kind gets lost."""
    encode = L2Version.encode
    monkeypatch.setattr(
        L2Version,
        "encode",
        lambda version, message: (
            b"\x25" if isinstance(message, unsent) else encode(version, message)  # ActionFailed: harmless
        ),
    )
    play_only(monkeypatch, "l2")
    _, report = found_by(STORMY)
    assert words in report


@pytest.mark.parametrize(
    ("unsent", "words"),
    [(Walk, "place is"), (MapItem, "does not see"), (UserAttrib, "hits"), (ItemAction, "what it has")],
)
def test_a_word_that_conquer_clients_are_not_told_is_found(
    monkeypatch: pytest.MonkeyPatch, unsent: type[CoMessage], words: str
) -> None:
    """Every one of that kind gets lost, but for what it waits for."""
    encode = CoMessage.encode

    def lost(message: CoMessage, version: CoVersion) -> bytes:
        heard = isinstance(message, ItemAction) and message.action == ItemActionType.PING
        return encode(message, version) if heard or not isinstance(message, unsent) else b"\4\0\xff\xff"

    monkeypatch.setattr(CoMessage, "encode", lost)
    play_only(monkeypatch, "co")
    _, report = found_by(STORMY)
    assert words in report


def test_who_went_out_of_sight_and_is_not_taken_away_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Conquer client removes by itself only whom it is told a step of."""
    monkeypatch.setattr(CoView, "hide", lambda *_: ())
    play_only(monkeypatch, "co", "uo")
    _, report = found_by(QUIET)
    assert "which is not there" in report


def test_a_bag_whose_window_shows_what_was_once_in_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "knows_content", lambda session, bag: bag is session.mobile.backpack)
    play_only(monkeypatch, "uo")
    _, report = found_by(attrs.evolve(QUIET, people=8), first=45)
    assert "believes what is in" in report


def test_a_task_that_outlives_its_connection_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    serve = Gateway.serve

    async def lingers(gateway: Gateway, family: Family, door: str, *rest: object) -> None:
        await serve(gateway, family, door, *rest)  # type: ignore[arg-type] # passed on
        await trio.sleep_forever()

    monkeypatch.setattr(Gateway, "serve", lingers)
    _, report = found_by(Plan(seconds=10, people=2, faults=False))
    assert "are left, an idle server has 0" in report


def test_what_is_changed_after_it_has_left_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    leave = World.leave

    def leaves(world: World, thing: Mobile | Item, why: Why = Why.LEFT) -> None:
        leave(world, thing, why)
        thing.touch()

    monkeypatch.setattr(World, "leave", leaves)
    _, report = found_by(QUIET)
    assert "was changed after it had left" in report
