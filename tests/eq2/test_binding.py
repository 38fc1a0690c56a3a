"""Messages as they leave for an edge: put together there, they are what the client of one process gets."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eq2 import ghosts
from protocol.eq2.binding import bound, parted
from protocol.eq2.ghosts import Change, Ghosts, Hide, Move, Show
from protocol.eq2.mentions import About
from protocol.eq2.structs import MOST_HELD
from protocol.wire.body import Body
from server.edge.batches import FROM_WORLD, Incoming, Outgoing
from server.edge.words import Sent
from server.edge.worlds import _filled
from tests.kit.eq2_fight import fighting_content
from tests.kit.eq2_screen import Scene
from world import motion
from world.heading import EAST, WEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.structs import Ghost
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing as Message
    from protocol.outgoing import Share
    from world.mobile import Mobile


@attrs.define
class Eye:
    """A client, as far as its ghosts go."""

    dialect: Eq2Version
    level: int
    ghosts: Ghosts = attrs.Factory(Ghosts)
    known: frozenset[int] = frozenset()
    target: int = 0
    id: int = attrs.field(factory=itertools.count(1).__next__)
    client: int = 1


def across(eye: Eye, messages: list[Message]) -> list[bytes]:
    """What a client of an edge is sent."""
    out, incoming, numbers = Outgoing(), Incoming(FROM_WORLD), list[bytes]()
    out.send(1, parted(messages, eye, numbers), numbers)
    incoming.feed(out.packed())
    ((bodies, (word,)),) = incoming.batches()
    assert isinstance(word, Sent)
    return [body.raw for body in _filled(bodies, word)]


def together(eyes: Sequence[Eye], messages: list[Message]) -> list[list[bytes]]:
    """What several clients of an edge are sent, of whom the world tells at once where somebody is."""
    sent: list[list[bytes]] = [[] for _ in eyes]
    for number, eye in enumerate(eyes):
        eye.client = number
    for message in messages:
        if not isinstance(message, Move):
            for said, eye in zip(sent, eyes, strict=True):
                said += across(eye, [message])
            continue
        for part, clients, numbers in message.shares(eyes):
            assert isinstance(part, tuple)
            for place, client in enumerate(clients):
                tail = part[1]
                sent[client].append(part[0] + numbers[place] + tail if isinstance(tail, bytes) else part[0])
                assert bool(numbers) == isinstance(tail, bytes)
    return sent


def told(scene: Scene, things: list[Mobile], chance: random.Random) -> list[Message]:
    """What viewers are told of things that came, walked, were hurt and went since they were told last."""
    figures, version = scene.view.figures, scene.version
    messages: list[Message] = []
    for _ in range(chance.randrange(6)):
        thing = chance.choice(things)
        figure = figures.of(thing, version)
        match chance.randrange(7):
            case 0 | 1:
                messages.append(Show(figure))
            case 2 | 3:
                motion.step(thing, chance.choice((EAST, WEST)))
                figures.walk(thing, figure, version, run=False)
                messages.append(Move(figure))
            case 4:
                thing.hits = chance.randrange(1, thing.hits_max + 1)
                thing.notoriety = chance.choice((1, thing.notoriety))
                messages.append(Change(figures.of(thing, version)))
            case 5:
                messages.append(Hide(thing.serial))
            case _:
                messages += [About(thing.serial, b"known", b"stranger", droppable=True), Body(b"all")]
    return messages


def test_what_is_put_together_at_an_edge_is_what_one_process_sends() -> None:
    """Four who see the same: of two levels, who know things by short numbers and by long ones; whoever is
    told first finds nothing kept."""
    scene, chance = Scene(fighting_content()), random.Random(7)
    things = [scene.resident(kind, 20 + number, 20) for number, kind in enumerate(("sheep", "wolf", "wolf"))]
    eyes = [(Eye(scene.version, level), Eye(scene.version, level)) for level in (1, 12, 1, 12)]
    for here, there in eyes[2:]:
        here.ghosts._next = there.ghosts._next = 253
    kinds: set[bytes] = set()
    for _ in range(300):
        messages = told(scene, things, chance)
        if chance.random() < 0.5:
            first = chance.random() < 0.5  # whether one process is first, and keeps what it makes
            alone = [bound(messages, here) for here, _ in eyes] if first else []
            sent_together = together([there for _, there in eyes], messages)
            alone = alone or [bound(messages, here) for here, _ in eyes]
            assert sent_together == alone
            continue
        for here, there in eyes:
            if chance.random() < 0.5:
                sent = across(there, messages)
                assert bound(messages, here) == sent
            else:
                sent = bound(messages, here)
                assert across(there, messages) == sent
            assert here.ghosts.written() == there.ghosts.written()
            kinds.update(raw[:3] for raw in sent)
    assert len(kinds) >= 5, "ghosts are made, changed and destroyed, and there are words"


def test_what_a_crowd_is_told_of_a_walker_crosses_once() -> None:
    scene = Scene()
    sheep = scene.resident("sheep", 22, 20)
    figures, figure = scene.view.figures, scene.view.figures.of(sheep, scene.version)
    eyes = [Eye(scene.version, 1) for _ in range(40)]
    for number, eye in enumerate(eyes):
        eye.ghosts._next += number
    for messages in ([Show(figure)], [Move(figure)], [Hide(sheep.serial)]):
        out, incoming = Outgoing(), Incoming(FROM_WORLD)
        if isinstance(messages[0], Move):
            motion.step(sheep, EAST)
            figures.walk(sheep, figure, scene.version, run=False)
        for client, eye in enumerate(eyes):
            numbers: list[bytes] = []
            out.send(client, parted(messages, eye, numbers), numbers)
        incoming.feed(out.packed())
        ((bodies, words),) = incoming.batches()
        assert len(bodies) == 1
        assert [word.own for word in words if isinstance(word, Sent)] == [
            [bytes((2 + number,))] for number in range(40)
        ]


def test_when_a_position_cannot_be_told_to_one_those_before_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """They count as told, so that nothing would make up for it."""
    scene = Scene()
    sheep = scene.resident("sheep", 22, 20)
    figures, figure = scene.view.figures, scene.view.figures.of(sheep, scene.version)
    eyes = [Eye(scene.version, 1, client=number) for number in range(4)]
    eyes[3].ghosts._next = 300  # a number of another form, of which nothing is kept
    for eye in eyes:
        bound([Show(figure)], eye)
    motion.step(sheep, EAST)
    figures.walk(sheep, figure, scene.version, run=False)
    made = ghosts.moved

    def fails(ghost: Ghost, *rest: object) -> bytes:
        if ghost.wide:
            raise ValueError("too wide")
        return made(ghost, *rest)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(ghosts, "moved", fails)
    said: list[Share] = []

    def says() -> None:
        for share in Move(figure).shares(eyes):
            said.append(share)  # noqa: PERF402 # what came before it fails counts

    with pytest.raises(ValueError, match="too wide"):
        says()
    assert [clients for _, clients, _ in said] == [[0, 1, 2]]
    monkeypatch.setattr(ghosts, "moved", made)
    assert [len(bound([Move(figure)], eye)) for eye in eyes] == [0, 0, 0, 1]


def test_a_ghost_that_is_made_somewhere_else_is_as_if_all_of_it_were_written_anew() -> None:
    """Only where it stands is, and packed that has many lengths."""
    scene, chance = Scene(fighting_content()), random.Random(3)
    wolf, sizes = scene.resident("wolf", 22, 20), set[int]()
    figures, version = scene.view.figures, scene.version
    for number in range(120):
        if chance.random() < 0.1:
            wolf.hits = chance.randrange(1, wolf.hits_max + 1)
        motion.step(wolf, chance.choice((EAST, WEST)))
        figure = figures.of(wolf, version)
        figures.walk(wolf, figure, version, run=chance.random() < 0.5)
        level = chance.choice((1, 12))
        eye = Eye(version, level)
        eye.ghosts._next = chance.choice((2, 3, 254, 255, 300 + number))
        index = eye.ghosts._next
        whole = version.encode(figure.create(index, level))
        assert bound([Show(figure)], eye) == [whole]
        sizes.add(len(whole))
    assert len(sizes) > 2


def test_a_figure_forgets_the_ghosts_of_viewers_that_went() -> None:
    """Not those of any that it has: whoever comes later is told as well."""
    scene = Scene(fighting_content())
    sheep = scene.resident("sheep", 20, 20)
    figure = scene.view.figures.of(sheep, scene.version)
    for _ in range(3 * MOST_HELD):
        eye = Eye(scene.version, 1)
        across(eye, [Show(figure)])
        motion.step(sheep, EAST if sheep.x < 40 else WEST)
        scene.view.figures.walk(sheep, figure, scene.version, run=False)
        assert len(together([eye], [Move(figure)])[0]) == 1
        assert len(figure.held) <= MOST_HELD + 3
