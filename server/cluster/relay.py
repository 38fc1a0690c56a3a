"""The relay: between a world that knows no network and a bus that knows no rules.

What the world says to others (`world.elsewhere.Ways`) becomes a message in the queue of the bus; nothing
waits, and the turn pays for an append. What comes from others is laid down here by the bus's task, and handed
to the world as one call of a turn, however much there is of it. Each message is heard for itself: one that
the world cannot bear is logged, and costs the others nothing.

Beside words there is one question between worlds: to let go of a character (`release`). It is asked and
answered here, at most once and perhaps never; what lasts is in the database, and who owns whom is decided
there.
"""

from __future__ import annotations

import itertools
import logging
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs
import trio

from server.cluster.bus import BEAT_SECONDS, Bus
from server.cluster.messages import (
    MOST_FARES,
    Altered,
    Beat,
    Began,
    Fares,
    Faring,
    Heard,
    Invite,
    Release,
    Released,
    Roster,
    ToAll,
    ToCompany,
    ToOne,
    Who,
)
from server.cluster.presence import Others, Own
from world import afar, invites, party_afar, party_asking
from world.events import Speech
from world.reach import Cannot, Refusal
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from server.cluster.bus import Line
    from server.cluster.messages import Message
    from world.elsewhere import Person
    from world.timers import Timer
    from world.world import World

log = logging.getLogger("cluster")

T = TypeVar("T")

ANSWER_SECONDS: Final = 3.0
"""How long words to one elsewhere may stay unanswered; then their speaker is told that nobody heard them."""

INVITE_SECONDS: Final = invites.ANSWER_SECONDS + ANSWER_SECONDS
"""The same of a question, which who is asked may think about."""

MOST_PENDING: Final = 1_000
"""Words to single others, and characters to be let go of, that wait for their answers."""

MOST_NAMED: Final = 1_000
"""Members, and guilds, that words to a company are for."""

MOST_HELD: Final = 2_000
"""Messages that wait for a turn; of more the oldest are lost."""

UNHEARD: Final = "{} may not have heard you."


class InWorld(Protocol):
    """The way of a call into a turn (`server.turn.loop.Loop.in_world`)."""

    async def __call__(self, session: None, run: Callable[[World], T], /) -> T:
        """Run it as one input of the next turn."""


@attrs.frozen
class Pending:
    """Words that wait to be answered by a world."""

    world: int
    answered: Callable[[str, str], None]
    timer: Timer


@attrs.define(eq=False)
class Question:
    """A question to a world, and whoever waits for the answer."""

    world: int
    done: trio.Event = attrs.field(factory=trio.Event)
    answer: bool | None = None


async def _keeps(character: int, login: int) -> bool:
    """Lets go of nobody."""
    return False


def _plays_on(account: int, login: int = 0) -> bool:
    """Ends nobody."""
    return False


class Relay:
    """Of one world, whose number is `number`. `token` are letters that no other start has."""

    def __init__(
        self,
        world: World,
        line: Line,
        number: int,
        *,
        in_world: InWorld,
        token: str,
        clock: Callable[[], float] = trio.current_time,
    ) -> None:
        self.bus = Bus(line, number, heard=self._heard, clock=clock)
        self.others = Others()
        self.releases: Callable[[int, int], Awaitable[bool]] = _keeps
        """Called with a character that another world needs, and the number of the login for which: lets go of
        it, and returns whether it has."""
        self.outplay: Callable[[int, int], object] = _plays_on
        """Called with an account that has logged in elsewhere, and the number of that login."""
        self.altered: Callable[[int], object] = _plays_on
        """Called with an account that another process has banned, removed or given another password."""
        self._world = world
        self._in_world = in_world
        self._clock = clock
        self._own = Own(token)
        self._numbers = itertools.count(1)
        self._pending: dict[int, Pending] = {}
        self._questions: dict[int, Question] = {}
        self._came: deque[Message] = deque()
        self._rosters: dict[int, list[Person]] = {}
        """Who is played in other worlds, of those that have told it since the last turn."""
        self._wake = trio.Event()
        self._pulses = itertools.count(1)
        self._nursery: trio.Nursery | None = None
        self._releasing = 0
        world.elsewhere.ways = self
        world.timers.every(BEAT_SECONDS, self._pulse, priority=Priority.MS250)

    async def run(self) -> None:
        """Pass on what is said, for ever."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            nursery.start_soon(self.bus.run)
            while True:
                await self._wake.wait()
                self._wake = trio.Event()
                came, self._came = self._came, deque()
                rosters, self._rosters = self._rosters, {}
                await self._in_world(None, partial(self._hear, came, rosters))

    def line(self) -> str:
        """A line for `causeway status`."""
        counts = self.bus.counts
        state = "up" if self.bus.up else "DOWN: what is said to them is lost"
        lost = sum(counts.dropped.values())
        return (
            f"the line to other worlds is {state}; this is world {self.bus.world}, others: "
            f"{len(self.others.worlds)} with {len(self._world.elsewhere.people)} players; messages: "
            f"{counts.sent} sent, {counts.received} received, {lost} lost"
        )

    # From the world: see world.elsewhere.Ways

    def to_all(self, speaker: Person, text: str, *, announce: bool) -> None:
        """See Ways."""
        self.bus.say(ToAll(Who.of(speaker), text, announce))

    def to_one(
        self,
        speaker: Person,
        hearer: Person,
        text: str,
        answered: Callable[[str, str], None],
        *,
        answers: bool,
    ) -> bool:
        """See Ways."""
        number = next(self._numbers)
        question = ToOne(number, Who.of(speaker), hearer.serial, text, answers)
        return self._asks(question, hearer, answered, ANSWER_SECONDS, UNHEARD)

    def invite(
        self,
        asker: Person,
        hearer: Person,
        loot: str,
        answered: Callable[[str, str], None],
        *,
        joins: bool = False,
    ) -> bool:
        """See Ways."""
        rule = next(one for one in ("finder", "turns", "leader") if one == loot)
        question = Invite(next(self._numbers), Who.of(asker), hearer.serial, rule, joins)
        return self._asks(question, hearer, answered, INVITE_SECONDS, invites.NO_ANSWER)

    def _asks(
        self,
        question: ToOne | Invite,
        hearer: Person,
        answered: Callable[[str, str], None],
        seconds: float,
        unheard: str,
    ) -> bool:
        """Send something to somebody elsewhere that is answered, or has lapsed after so many seconds."""
        to = self._world.elsewhere.world_of(hearer.serial)
        if to is None or not self.bus.up or len(self._pending) >= MOST_PENDING:
            return False
        if not self.bus.say(question, to):
            return False
        words = unheard.format(hearer.name)
        timer = self._world.timers.after(
            seconds, self._lapse, question.number, words, priority=Priority.MS250
        )
        self._pending[question.number] = Pending(to, answered, timer)
        return True

    def to_company(
        self, speaker: Person, kind: str, members: Sequence[int], guilds: Sequence[int], text: str, hue: int
    ) -> None:
        """See Ways."""
        channel = next(one for one in ("party", "guild", "alliance") if one == kind)
        self.bus.say(
            ToCompany(
                Who.of(speaker),
                channel,
                text,
                list(members)[:MOST_NAMED],
                list(guilds)[:MOST_NAMED],
                hue & 0xFFFF,
            )
        )

    def _lapse(self, number: int, words: str) -> None:
        pending = self._pending.pop(number, None)
        if pending is not None:
            pending.answered(Refusal.NOBODY.name, words)

    def _pulse(self) -> None:
        """Once a second, in the world: who is here, and who is not there any more."""
        try:
            if self._own.look(self._world):
                self.bus.show(self._own.roster)
            for gone in self.others.expired(self._clock()):
                afar.meet(self._world, gone, [])
            afar.miss(self._world)
        except Exception:
            log.exception("other worlds cannot be told who is here")
        try:
            self._tell_parties()
        except Exception:
            log.exception("other worlds cannot be told how members of parties fare")

    def _tell_parties(self) -> None:
        """Tell other worlds how those fare who are here, of the parties of which they have others. Talk goes
        first: what is not told now is a second later."""
        turn = next(self._pulses)
        if not self.bus.up or self.bus.busy:
            return
        news = party_afar.news(self._world, turn)
        for number, states in news.items():
            for at in range(0, len(states), MOST_FARES):
                self.bus.say(Fares([Faring.of(state) for state in states[at : at + MOST_FARES]]), number)

    # From other worlds: in the bus's task

    def _heard(self, message: Message) -> None:
        body = message.body
        match body:
            case Beat():
                if self.others.beat(message.world, body.mark, self._clock()):
                    self.bus.fetch(message.world)
            case Began():
                self.outplay(body.account, body.login)
            case Altered():
                self.altered(body.account)
            case Release():
                self._ask(message.world, body)
            case Released():
                question = self._questions.get(body.number)
                if question is not None and question.world == message.world:
                    question.answer = body.done
                    question.done.set()
            case Roster():
                people = self.others.read(message.world, body)
                if people is not None:
                    self._rosters[message.world] = people
                    self._wake.set()
            case _:
                if len(self._came) >= MOST_HELD:
                    self._came.popleft()
                    self.bus.counts.dropped["held"] += 1
                self._came.append(message)
                self._wake.set()

    # In the world's turn

    def _hear(self, messages: Sequence[Message], rosters: Mapping[int, list[Person]], world: World) -> None:
        for number, people in rosters.items():
            try:
                afar.meet(world, number, people)
            except Exception:
                log.exception("the world cannot bear the players of world %d", number)
        for message in messages:
            try:
                self._hear_one(world, message)
            except Exception:
                log.exception("the world cannot bear a %s of world %d", type(message.body), message.world)

    def _hear_one(self, world: World, message: Message) -> None:
        body = message.body
        match body:
            case ToAll():
                afar.hear_all(world, body.speaker.person(), body.text, announce=body.announce)
            case ToOne():
                self.bus.say(_answer(world, body), message.world)
            case Invite():
                self._ask_here(world, body, message.world)
            case Heard():
                pending = self._pending.get(body.number)
                if pending is not None and pending.world == message.world:
                    del self._pending[body.number]
                    pending.timer.cancel()
                    pending.answered(body.why, body.words)
            case Fares():
                party_afar.hear(world, message.world, [one.state() for one in body.members])
            case ToCompany():
                speaker, kind = body.speaker.person(), Speech(body.channel)
                afar.hear_company(world, speaker, kind, body.members, body.guilds, body.text, body.hue)
            case _:
                pass

    def _ask_here(self, world: World, body: Invite, number: int) -> None:
        def answered(why: str, words: str) -> None:
            self.bus.say(Heard(body.number, why, words[:256]), number)

        try:
            asker = body.asker.person()
            party_asking.hear(world, asker, body.hearer, body.loot, answered, joins=body.joins)
        except Cannot as cannot:
            answered(cannot.why.name, str(cannot) if cannot.says_more else "")

    # Letting go of a character

    async def release(
        self, character: int, world: int, login: int = 0, *, seconds: float = 1.0
    ) -> bool | None:
        """Ask another world to let go of a character, for a login of that number; whether it has. None: it
        did not answer in time, which says nothing."""
        if len(self._questions) >= MOST_PENDING:
            return None
        number, question = next(self._numbers), Question(world)
        self._questions[number] = question
        try:
            if self.bus.say(Release(number, character, login), world):
                with trio.move_on_after(seconds):
                    await question.done.wait()
            return question.answer
        finally:
            del self._questions[number]

    def _ask(self, world: int, body: Release) -> None:
        if self._nursery is None or self._releasing >= MOST_PENDING:
            return
        self._releasing += 1
        self._nursery.start_soon(self._let_go, world, body)

    async def _let_go(self, world: int, body: Release) -> None:
        try:
            done = await self.releases(body.character, body.login)
        except Exception:
            log.exception(
                "world %d asked for character %d, and it could not be let go", world, body.character
            )
            done = False
        finally:
            self._releasing -= 1
        self.bus.say(Released(body.number, done), world)


def _answer(world: World, body: ToOne) -> Heard:
    """Let one hear what is said to it; what its speaker is told of that."""
    try:
        afar.hear_one(world, body.speaker.person(), body.hearer, body.text, answers=body.answers)
    except Cannot as cannot:
        return Heard(body.number, cannot.why.name, str(cannot)[:256] if cannot.says_more else "")
    return Heard(body.number)
