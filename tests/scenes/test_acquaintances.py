"""Friends, letters, duels and who is ignored, between players of all games: what each client is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.square import FIRST, gather
from world import duels, friends, ignoring, invites, mail, speech
from world.reach import Cannot

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.square import Guest, Square
    from tests.kit.town import Town


@pytest.fixture
async def square(town: Town) -> Square:
    """One of each game."""
    return await gather(town, *FIRST)


def heard(guest: Guest) -> str:
    """All it was told so far, as one text."""
    return "\n".join([*guest.game.heard(guest.player), *guest.wishes.notices()])


async def test_each_client_is_told_of_friends_letters_and_duels(
    square: Square, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "check_counter", lambda actor: None)
    guests = list(square)
    for guest, other in zip(guests, [*guests[1:], guests[0]], strict=True):
        friends.befriend(guest.mobile, other.mobile.name)
        mail.send(other.mobile, guest.mobile.name, "see you", subject=f"from {other.mobile.name}")
        friends.stirred(other.mobile)
        await trio.sleep(1)
        text = heard(guest)
        if guest.part.game == "l2":
            # Sentences of the client's own, with the name in them.
            assert other.mobile.name in text
        else:
            assert f"Your friend {other.mobile.name} is here." in text
            assert f"{other.mobile.name} is a friend of yours now." in text
        assert f"A letter from {other.mobile.name} has come for you: from {other.mobile.name}." in text
    for one, other in zip(guests[::2], guests[1::2], strict=True):
        duels.ask(one.mobile, other.mobile)
        await trio.sleep(1)
        assert invites.pending(other.mobile, duels.DUEL, one.mobile) is not None
        invites.accept(other.mobile, duels.DUEL)
        await trio.sleep(4)
        assert one.mobile.duel is other.mobile.duel is not None
        duels.give_up(other.mobile)
        await trio.sleep(1)
        for guest, against in ((one, other), (other, one)):
            text = heard(guest)
            assert "3 ..." in text
            assert f"Your duel with {against.mobile.name} begins: fight!" in text
            assert f"{other.mobile.name} gives up." in text


async def test_who_is_ignored_is_heard_by_all_others(square: Square, autojump_clock: MockClock) -> None:
    guests = list(square)
    for at, guest in enumerate(guests):
        speaker = guests[at - 1]
        ignoring.ignore(guest.mobile, speaker.mobile.name)
        words = f"who hears number {at}"
        speech.say(speaker.mobile, words)
        with pytest.raises(Cannot):
            speech.tell(speaker.mobile, guest.mobile.name, words)
        await trio.sleep(1)
        assert words not in heard(guest)
        for other in guests:
            if other not in (guest, speaker):
                assert words in heard(other), other
