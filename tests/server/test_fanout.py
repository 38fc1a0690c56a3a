"""What each client believes after every turn, against what its eyes cover; with crowds that step, jump, hide,
leave and change their sight at random, several times a turn."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, cast

import attrs
import pytest

from protocol.wire.body import Body
from server.turn import sight
from server.turn.fanout import Fanout, tell_own_motions
from server.turn.rendering import Rendering, kinds_of
from tests.kit.meadow import Meadow, Player, SharingView
from tests.kit.toys import Heard, Put, Show, Stepping, ToyView, brook, toy_decode
from world import audience, holding, leaps, motion
from world.audience import Relation, relation
from world.companions import Party
from world.delta import ItemDelta
from world.events import Event
from world.heading import WEST
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.outgoing import Outgoing
    from protocol.session import Session
    from world.mobile import Mobile, Viewport
    from world.thing import Thing


class OpenView(ToyView):
    """A toy that tells of every item that changed."""

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        self.renderings.append(("changed", thing.serial, audience))
        return super().changed(thing, flags, audience, dialect)


@pytest.mark.parametrize("stirs", [3, 30, 120], ids=["calm", "busy", "wild"])
@pytest.mark.parametrize("seed", range(8))
def test_beliefs_are_what_the_eyes_cover(seed: int, stirs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where some know few things and others many."""
    monkeypatch.setattr(sight, "FEW", sight.FEW if seed % 2 else 6)
    meadow = Meadow(seed, 40)
    for _ in range(40):
        for _ in range(stirs):
            meadow.stir()
        meadow.turn()
        for player in meadow.players:
            session = player.session
            assert session.viewport is not None
            space = meadow.world.realms["plain"].space
            seen = space.seen_by(session.viewport)
            assert session.known == seen
            assert player.places == {serial: (thing.x, thing.y) for serial, thing in seen.items()}


@pytest.mark.parametrize("stirs", [3, 30])
@pytest.mark.parametrize("seed", range(4))
def test_whose_socket_is_elsewhere_is_told_the_same_and_in_a_right_order(seed: int, stirs: int) -> None:
    """Beside a meadow where all sockets are here. Who had an answer waiting hears that first."""
    here, afar = Meadow(seed, 40), Meadow(seed, 40, edges=2)
    chance, answer = random.Random(seed), Body(Heard(0, b"here you are").encode())
    for _ in range(40):
        for _ in range(stirs):
            here.stir()
            afar.stir()
        answered = set(chance.sample(range(40), 5))
        for number in answered:
            here.players[number].session.outbox.append(answer)
            afar.players[number].session.outbox.append(answer)
        for meadow in (here, afar):
            meadow.tell()
        for number, (one, other) in enumerate(zip(here.players, afar.players, strict=True)):
            other.flush()
            one.flush()
            said = [[cast("Body", message).raw for message in player.sent] for player in (one, other)]
            assert sorted(said[0]) == sorted(said[1])
            assert (said[1][0] == answer.raw) if number in answered else (answer.raw not in said[1])
            one.read()
            other.read()
            assert one.places == other.places
    assert all(edge.casts > 40 for edge in afar.edges)


@pytest.mark.parametrize("stirs", [3, 30, 120])
@pytest.mark.parametrize("seed", range(4))
def test_who_is_told_its_own_motions_before_all_else_is_told_the_same(seed: int, stirs: int) -> None:
    """Beside a meadow where nobody is. Its motions come in the same order, and before anything else unless it
    was put elsewhere before."""
    late, soon = Meadow(seed, 40), Meadow(seed, 40)
    chance, early = random.Random(seed), 0
    for _ in range(30):
        for _ in range(stirs):
            late.stir()
            soon.stir()
        hasty = [soon.players[number] for number in chance.sample(range(40), 20)]
        hasty = [player for player in hasty if player.session not in soon.woken]
        soon.tell(tell_own_motions([player.session for player in hasty], soon.world.events))
        late.tell()
        for one, other in zip(late.players, soon.players, strict=True):
            assert one.session.mobile is not None
            own = one.session.mobile.serial
            raws = [[cast("Body", message).raw for message in each.session.outbox] for each in (one, other)]
            assert sorted(raws[0]) == sorted(raws[1])
            packets = [list(map(toy_decode, raw)) for raw in raws]
            steps = [[packet for packet in some if is_step_of(own, packet)] for some in packets]
            assert steps[0] == steps[1]
            if other in hasty and steps[1] and not any(isinstance(packet, Put) for packet in packets[1]):
                assert packets[1][: len(steps[1])] == steps[1]
                early += packets[0][: len(steps[0])] != steps[0]
            for player in (one, other):
                player.read()
    assert early, "it made a difference"


def is_step_of(serial: int, packet: object) -> bool:
    """Whether it tells a step of that mobile."""
    return isinstance(packet, Stepping) and packet.serial == serial


def test_a_way_that_begins_where_its_mobile_was_put_is_told_behind_that() -> None:
    meadow = Meadow(1, 2)
    session, other = (player.session for player in meadow.players)
    mobile, another = session.mobile, other.mobile
    assert mobile is not None
    assert another is not None
    realm = meadow.world.realms["plain"]
    for one in (mobile, another):
        meadow.world.warp(one, realm, 20, 20)
    meadow.turn()
    assert motion.step(mobile, WEST)
    meadow.world.warp(mobile, realm, 22, 20)
    assert motion.step(mobile, WEST)
    assert motion.step(another, WEST)
    first, *_ = events = meadow.world.events
    told = tell_own_motions([session], events)
    assert told == {id(first)}
    assert [type(toy_decode(cast("Body", message).raw)) for message in session.outbox] == [Stepping]
    meadow.tell(told)
    packets = [toy_decode(cast("Body", message).raw) for message in session.outbox]
    own = [type(packet) for packet in packets if isinstance(packet, Put) or is_step_of(mobile.serial, packet)]
    assert own == [Stepping, Put, Stepping]
    session.loading = True
    assert motion.step(mobile, WEST)
    assert not tell_own_motions([session], meadow.world.events), "who loads is told when it has"


def viewers_of(meadow: Meadow, mobile: Mobile) -> list[Player]:
    """Those that see it."""
    return [player for player in meadow.players if mobile.serial in player.session.known]


def test_a_step_among_bystanders_is_one_message_object_for_all() -> None:
    meadow = Meadow(1, 40)
    family = meadow.families[1]
    mobile = max(
        (player.session.mobile for player in meadow.players if player.session.mobile is not None),
        key=lambda mobile: len(viewers_of(meadow, mobile)),
    )
    before = {player.session.id for player in viewers_of(meadow, mobile) if player.session.family is family}
    motion.turn(mobile, (mobile.heading + 1) % 8)
    motion.step(mobile, mobile.heading)
    Fanout(meadow.sessions, meadow.world.take_changes()).run([])
    steps = [
        message
        for number in before
        for message in meadow.sessions[number].outbox
        if toy_decode(cast("Body", message).raw).opcode == Stepping.opcode
    ]
    assert len(steps) > 1
    assert len(set(map(id, steps))) == 1


@pytest.mark.parametrize("jump", [False, True], ids=["step", "jump"])
def test_whoever_moved_is_shown_anew_who_came_from_where_it_sees_no_more(jump: bool) -> None:
    """Its client may have dropped that one by itself before it hears of it."""
    meadow = Meadow(1, 2)
    first, second = (player.session for player in meadow.players)
    assert first.mobile is not None
    assert second.mobile is not None
    assert first.viewport is not None
    plain, first.viewport.sight = meadow.world.realms["plain"], Sight(8)
    meadow.world.warp(first.mobile, plain, 20, 20)
    meadow.world.warp(second.mobile, plain, 28, 20)
    meadow.turn()
    assert second.mobile.serial in first.known
    for mobile in (first.mobile, second.mobile):
        assert leaps.jump(mobile, mobile.x - 3, 20) if jump else motion.step(mobile, WEST)
    Fanout(meadow.sessions, meadow.world.take_changes()).run([])
    told = [toy_decode(cast("Body", message).raw) for message in first.outbox]
    assert [packet for packet in told if getattr(packet, "serial", 0) == second.mobile.serial] == [
        Show(second.mobile.serial, second.mobile.x, 20)
    ]


def test_to_show_a_container_does_not_show_what_is_put_into_it() -> None:
    meadow = Meadow(1, 1)
    [player], world, view = meadow.players, meadow.world, OpenView()
    player.session.family = attrs.evolve(brook(), view=view)
    mobile = player.session.mobile
    assert mobile is not None
    bag, candle = (holding.make(world, key, stored=False) for key in ("backpack", "candle"))
    for item in (bag, candle):
        world.register(item)
    world.enter(bag, world.realms["plain"], mobile.x, mobile.y)
    bag.mark(ItemDelta.UPDATE)
    holding.put(bag, candle)
    meadow.turn()
    assert view.renderings == [("show", bag.serial, "other"), ("changed", candle.serial, "other")]


class PartyView(SharingView):
    """A toy that draws whoever is of the viewer's party otherwise than all others."""

    apart = frozenset({Relation.PARTY})
    asked = 0

    def audience(self, session: Session, thing: Thing) -> Hashable:
        self.asked += 1
        found = relation(session.mobile, thing)
        if found in self.apart:
            return found
        return "self" if found is Relation.SELF else "other"


def test_a_view_may_draw_its_party_apart() -> None:
    """Also of steps, of which bystanders are not asked one by one where nobody stands apart."""
    meadow = Meadow(1, 0)
    view = PartyView()
    meadow.families = [attrs.evolve(brook(), view=view)]
    for number in range(1, 5):
        meadow._join(number, meadow.families[0])
    mobiles = [player.session.mobile for player in meadow.players]
    for mobile in mobiles:
        assert mobile is not None
        meadow.world.warp(mobile, meadow.world.realms["plain"], 20, 20)
    meadow.turn()
    walker, fellow, *_ = mobiles

    def step() -> list[tuple[object, ...]]:
        view.renderings.clear()
        view.asked = 0
        assert walker is not None
        assert motion.step(walker, WEST)
        meadow.turn()
        return view.renderings

    assert sorted(map(str, step())) == sorted(map(str, [("Stepped", "other"), ("Stepped", "self")]))
    assert view.asked == 1, "bystanders of whom nobody stands apart are not asked"
    assert walker is not None
    assert fellow is not None
    walker.party = fellow.party = Party([walker.serial, fellow.serial])
    kinds = [("Stepped", "other"), ("Stepped", "self"), ("Stepped", Relation.PARTY)]
    assert sorted(map(str, step())) == sorted(map(str, kinds))
    assert view.asked == 3, "its own player, a fellow, and one for all those of no party"


@pytest.mark.parametrize("moves", [True, False])
def test_of_those_who_are_apart_one_of_each_company_is_asked_and_all_are_told_theirs(moves: bool) -> None:
    """In whatever order they stand there."""
    meadow, view = Meadow(1, 8), PartyView()
    sessions = [player.session for player in meadow.players]
    parties = (Party([1]), Party([2]), None)
    for number, session in enumerate(sessions):
        session.family = attrs.evolve(brook(), view=view)
        assert session.mobile is not None
        session.mobile.party = parties[number % 3]
        session.outbox.clear()
    walker, *others = sessions
    assert walker.mobile is not None
    view.asked = 0
    rendering = Rendering(walker.mobile, lambda view, audience, dialect: [Body(str(audience).encode())])
    rendering.queue_all(kinds_of(others), walker.mobile, moves=moves)
    assert view.asked == 3
    for number, session in enumerate(others, start=1):
        told = [cast("Body", message).raw.decode() for message in session.outbox]
        assert told == [str(Relation.PARTY) if number % 3 == 0 else "other"]


@attrs.define
class Rumour(Event):
    """What a group hears, wherever its members are."""

    thing: Mobile
    viewers: Sequence[Viewport]
    anywhere = True


def test_what_is_told_anywhere_reaches_those_far_away_and_those_who_load_afterwards() -> None:
    meadow = Meadow(1, 3)
    first, far, loading = (player.session for player in meadow.players)
    assert first.mobile is not None
    for session, x in ((first, 2), (far, 37), (loading, 37)):
        assert session.mobile is not None
        meadow.world.warp(session.mobile, meadow.world.realms["plain"], x, 2)
    meadow.turn()
    loading.loading = True
    group = audience.members(
        session.mobile for session in (first, far, loading) if session.mobile is not None
    )
    told = {session.id: 0 for session in (first, far, loading)}

    def turn() -> dict[int, int]:
        Fanout(meadow.sessions, meadow.world.take_changes()).run(meadow.woken)
        for session in (first, far, loading):
            told[session.id] += sum(
                isinstance(toy_decode(cast("Body", message).raw), Heard) for message in session.outbox
            )
        for player in meadow.players:
            player.read()
        return told

    meadow.world.events.append(Rumour(first.mobile, group))
    assert [*turn().values()] == [1, 1, 0]
    loading.loading, loading.blind = False, True
    meadow.woken = [loading]
    assert [*turn().values()] == [1, 1, 1]
