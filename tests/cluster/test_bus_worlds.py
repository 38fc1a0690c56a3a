"""Two worlds whose players hear and find one another, through all games, each in its own words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from server.cluster.bus import BEAT_SECONDS, TTL_SECONDS
from server.cluster.relay import ANSWER_SECONDS
from tests.kit.neighbours import two as two
from tests.kit.square import FIRST, SECOND
from world import friends, ignoring, news, speech
from world.companions import Party
from world.elsewhere import GRACE
from world.events import Speech
from world.guild import Bond, Guild, Member, Tie
from world.mobile import Access
from world.reach import Refusal

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.neighbours import Two
    from tests.kit.square import Guest, Square

NOT_ONLINE: Final = {
    "uo": Refusal.NOBODY.value,
    "eq2": "There is no {} here",
    "co": "{} is not online.",
    "l2": "{}",
    "web": "{} is not online.",
}
"""What it is told whose words reached nobody, in the words of its game; Endless Online has a packet."""


def lines(guest: Guest) -> list[str]:
    return [*guest.game.heard(guest.player), *guest.wishes.notices()]


def is_refused(guest: Guest, name: str) -> bool:
    """Whether it was told that nobody of that name is online, as its game tells it."""
    if guest.game.name == "eo":
        return guest.wishes.refusals() == [Refusal.NOBODY]
    words = NOT_ONLINE[guest.game.name].format(name)
    return any(words in line for line in lines(guest))


def told(square: Square, how: str) -> dict[str, set[tuple[str, str]]]:
    """What each was told by others in one way: by whom, and the words. In Lineage II one's own words to
    another come back as well, with an arrow before the name."""
    return {
        guest.name: {
            (line.who, line.words)
            for line in guest.game.spoken_to(guest.player)
            if line.how == how and line.who != guest.name and not line.who.startswith("->")
        }
        for guest in square
    }


async def test_all_games_hear_and_tell_one_another_across_worlds(two: Two, autojump_clock: MockClock) -> None:
    north, south = await two.gather(FIRST, SECOND)
    everybody = [*north, *south]
    for guest in everybody:
        await guest.does(guest.wishes.to_all(f"from {guest.name} to all"))
    for square in (north, south):
        for name, heard in told(square, "global").items():
            assert heard == {(o.name, f"from {o.name} to all") for o in everybody if o.name != name}, name

    expected: dict[str, set[tuple[str, str]]] = {guest.name: set() for guest in everybody}
    for mine, theirs in ((north, south), (south, north)):
        for at, guest in enumerate(mine):
            hearers = list(theirs)
            for other in (hearers[at], hearers[(at + 1) % len(hearers)]):
                words = f"from {guest.name} to {other.name}"
                await guest.does(guest.wishes.tell(other.name, words))
                expected[other.name].add((guest.name, words))
    for square in (north, south):
        assert told(square, "tell") == {guest.name: expected[guest.name] for guest in square}
        square.is_well()
    for guest in everybody:
        await guest.does(guest.wishes.tell("Nobody", "are you there"))
        assert is_refused(guest, "Nobody"), guest
    # Its own words come back to whom its game shows them so, after they were heard there.
    assert any(f"You tell {SECOND[0]}: from" in line for line in lines(north[FIRST[0]]))


COMPANIES: Final = {Speech.PARTY: "Anna", Speech.GUILD: "Bert", Speech.ALLIANCE: "Cora"}
"""Who speaks to which company."""


async def test_companies_are_spoken_to_across_worlds_in_the_words_of_each_game(
    two: Two, autojump_clock: MockClock
) -> None:
    north, south = await two.gather(("Anna", "Bert", "Cora"), SECOND)
    everybody = [guest.mobile for guest in (*north, *south)]
    # A company is the same in all worlds: what each has read of the one database.
    for world, square in ((two.north.app.world, north), (two.south.app.world, south)):
        guild = world.records.add(Guild(name="Weavers", tag="WV"))
        ally = world.records.add(Guild(name="Smiths", tag="SM"))
        tie = world.records.add(Tie(guild.number, ally.number, Bond.ALLIED.value))
        guild.ties[ally.number] = ally.ties[guild.number] = tie
        guild.members = {mobile.serial: Member(guild.number, mobile.serial) for mobile in everybody}
        party = Party(leader=everybody[0].serial, members=[mobile.serial for mobile in everybody])
        for guest in square:
            guest.mobile.guild, guest.mobile.party = guild, party
    for kind, speaker in COMPANIES.items():
        speech.to_company(north[speaker].mobile, kind, f"{kind.value} hello")
    two.north.app.loop.wake()
    await trio.sleep(1)
    for guest in south:
        shown = guest.game.heard(guest.player)
        for kind in COMPANIES:
            found = [line for line in shown if f"{kind.value} hello" in line]
            assert len(found) == 1, (guest.name, kind, shown)
    assert "[guild][Bert] guild hello" in " ".join(lines(south["Arno"]))


async def test_who_is_there_counts_those_elsewhere_and_each_game_lists_them(
    two: Two, autojump_clock: MockClock
) -> None:
    north, south = await two.gather(("Anna", "Bert", "Cora"), ("Dora", "Walt"))
    anna, walt = north["Anna"].mobile, south["Walt"].mobile
    assert news.who(anna) == "About today: Bert, Cora, Dora, Walt."
    walt.hidden = True
    await trio.sleep(3 * BEAT_SECONDS)
    assert news.who(anna) == "About today: Bert, Cora, Dora."
    cora = north["Cora"]
    await cora.does(cora.player.client.command_bytes("who", "all"))  # type: ignore[attr-defined]
    assert any("Dora (level 1)" in line and "Walt" not in line for line in lines(cora))
    for guest in (*north, south["Dora"]):
        await guest.does(guest.wishes.order("who"))
        assert any("4 online: Anna, Bert, Cora, Dora" in line for line in lines(guest)), guest


async def test_friends_come_and_go_and_a_world_that_dies_fades(two: Two, autojump_clock: MockClock) -> None:
    north, south = await two.gather(("Anna", "Wanda"), ("Dora",))
    anna, dora = north["Anna"], south["Dora"]
    friends.befriend(anna.mobile, "Dora")
    assert friends.is_here(two.north.app.world, dora.mobile.serial)
    await dora.leaves()
    await trio.sleep(15 + 3 * BEAT_SECONDS + GRACE)
    assert sum("Your friend Dora has left" in line for line in lines(anna)) == 1
    dora.sits_at(dora.part)
    await dora.enters()
    await trio.sleep(3 * BEAT_SECONDS)
    assert sum("Your friend Dora is here" in line for line in lines(anna)) == 1
    two.exchange.cut()  # as good as the death of the other
    await trio.sleep(TTL_SECONDS + 2 * BEAT_SECONDS + GRACE)
    assert sum("Your friend Dora has left" in line for line in lines(anna)) == 2
    assert news.who(anna.mobile) == "About today: Wanda."
    await anna.does(anna.wishes.tell("Dora", "are you there"))
    assert is_refused(anna, "Dora")
    await anna.does(anna.wishes.to_all("play goes on"))
    assert ("Anna", "play goes on") in told(north, "global")["Wanda"]
    two.exchange.mend()
    await trio.sleep(3)
    assert news.who(anna.mobile) == "About today: Dora, Wanda."


async def test_the_ignored_and_the_hidden_are_as_in_one_world(two: Two, autojump_clock: MockClock) -> None:
    north, south = await two.gather(("Anna", "Bert", "Karl"), ("Dora", "Walt"))
    anna, karl, dora, walt = north["Anna"], north["Karl"], south["Dora"], south["Walt"]
    ignoring.ignore(dora.mobile, "Anna")
    walt.mobile.access, walt.mobile.hidden = Access.GAME_MASTER, True
    await trio.sleep(3 * BEAT_SECONDS)
    await anna.does(anna.wishes.to_all("to all"))
    await anna.does(anna.wishes.tell("Dora", "to you"))
    assert told(south, "global") == {"Dora": set(), "Walt": {("Anna", "to all")}}
    assert told(south, "tell")["Dora"] == set()
    assert any(Refusal.IGNORED.value in line for line in lines(anna))
    assert not any("You tell Dora" in line for line in lines(anna))
    await karl.does(karl.wishes.tell("Walt", "I see you"))
    assert is_refused(karl, "Walt")
    assert told(south, "tell")["Walt"] == set()
    await walt.does(walt.wishes.tell("Karl", "who looks for me?"))
    await karl.does(karl.wishes.tell("Walt", "I did"))
    assert told(north, "tell")["Karl"] == {("Walt", "who looks for me?")}
    assert told(south, "tell")["Walt"] == {("Karl", "I did")}


async def test_words_that_nobody_answers_are_said_to_have_been_heard_by_nobody(
    two: Two, autojump_clock: MockClock
) -> None:
    north, south = await two.gather(("Anna", "Bert"), ("Dora",))
    two.exchange.silent = True
    anna, bert = north["Anna"], north["Bert"]
    await anna.does(anna.wishes.tell("Dora", "hello?"))
    await bert.does(bert.wishes.tell("Dora", "hello?"))
    await trio.sleep(ANSWER_SECONDS + 1)
    assert sum("Dora may not have heard you." in line for line in lines(anna)) == 1
    assert bert.wishes.refusals() == [Refusal.NOBODY]
    assert told(south, "tell")["Dora"] == set()


async def test_a_world_is_asked_to_let_go_of_a_character(two: Two, autojump_clock: MockClock) -> None:
    asks, owns = two.north.app.relay, two.south.app.relay
    assert asks is not None
    assert owns is not None
    await trio.sleep(1)
    assert await asks.release(77, 2) is False  # it lets go of nobody unless it knows how
    asked: list[tuple[int, int]] = []

    async def lets_go(character: int, login: int) -> bool:
        asked.append((character, login))
        await trio.sleep(0.5)
        if character == 79:
            raise ValueError("a fault of ours")
        return True

    owns.releases = lets_go
    assert await asks.release(78, 2, 5) is True
    assert await asks.release(79, 2) is False
    assert asked == [(78, 5), (79, 0)]
    assert await asks.release(80, 9) is None  # nobody is there
    assert await asks.release(81, 2, seconds=0.1) is None
    assert await asks.release(82, 2) is True  # the late answer to another question is none to this


async def test_the_status_and_the_metrics_tell_of_the_line(two: Two, autojump_clock: MockClock) -> None:
    await two.gather(("Anna",), ("Dora",))
    (line,) = [line for line in two.north.app.statistics() if "other worlds" in line]
    assert line.startswith("the line to other worlds is up; this is world 1, others: 1 with 1 players; ")
    two.exchange.cut()
    await trio.sleep(1)
    assert any("is DOWN" in line for line in two.north.app.statistics())
