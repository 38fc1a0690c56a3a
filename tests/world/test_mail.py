"""Letters and parcels: whole before and after every deed, and nothing of them is lost or made."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.kit.worlds import lines_of, plain_content, plain_world
from tests.world.test_corpses import packed
from tests.world.test_shops import put
from world import company, holding, ignoring, life, mail, postage, residents
from world.content import Resident
from world.directory import Known
from world.events import Asked, MailArrived, MailListed
from world.item import KEPT
from world.letter import Letter
from world.reach import Cannot, Refusal
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.item import Item
    from world.mobile import Mobile
    from world.world import World


def office() -> tuple[World, Mobile, Mobile]:
    """A world with a banker, and two players beside it."""
    world = plain_world(plain_content(residents=(Resident("banker", 11, 10),)))
    world.epoch = 1_000_000.0
    company.settle(world, ())
    residents.settle(world)
    found = []
    for name, x in (("Alric", 10), ("Berta", 12)):
        mobile = packed(world, name, x, 10, 100)
        mobile.online = True
        world.open_viewport(mobile, mobile.serial, Sight(18))
        found.append(mobile)
    world.take_changes()
    return world, found[0], found[1]


def sums(world: World) -> Counter[str]:
    """All there is of each kind, boxes left out."""
    found: Counter[str] = Counter()
    for item in world.items.values():
        if item.template.key != "bank_box":
            found[item.template.key] += item.amount
    return found


def inside(mobile: Mobile) -> Counter[str]:
    pack = mobile.backpack
    assert pack is not None
    found: Counter[str] = Counter()
    for item in pack.contents.values():
        found[item.template.key] += item.amount
    return found


def refused(world: World, why: Refusal, deed: Callable[[], object]) -> None:
    before = sums(world), [one.number for one in world.letters.all()], [*world.items]
    with pytest.raises(Cannot) as caught:
        deed()
    assert caught.value.why is why
    assert (sums(world), [one.number for one in world.letters.all()], [*world.items]) == before


def later(world: World, days: float) -> None:
    """Let days pass."""
    world.begin(world.now + days * mail.DAY)
    world.run_timers()
    world.begin(world.now + mail.SWEEPS)
    world.run_timers()


def test_a_letter_is_told_read_and_thrown_away() -> None:
    world, alric, berta = office()
    berta.windows = frozenset({mail.MAIL})
    letter = mail.send(alric, "berta", " Hello \x07there ", subject="")
    assert world.promises == [(alric, "Your letter to Berta is on its way.")]
    events = world.take_changes().events
    (told,) = [one for one in events if isinstance(one, MailArrived)]
    assert told.thing is berta
    assert told.words(own=True) == "A letter from Alric has come for you: (no subject)."
    (shown,) = [one for one in events if isinstance(one, MailListed)]
    assert [(one.number, one.text, one.read) for one in shown.envelopes] == [(1, "Hello there", False)]
    assert mail.read(berta, mail.numbered(berta, 1)).read
    assert mail.by_id(berta, shown.envelopes[0].serial) is letter
    refused(world, Refusal.NO_LETTER, lambda: mail.by_id(alric, letter.number))
    refused(world, Refusal.EMPTY_LETTER, lambda: mail.take(berta, letter))
    refused(world, Refusal.EMPTY_LETTER, lambda: mail.refuse(berta, letter))
    refused(world, Refusal.NO_LETTER, lambda: mail.read(alric, letter))
    mail.discard(berta, letter)
    assert not world.records.all(Letter)
    refused(world, Refusal.NO_LETTER, lambda: mail.numbered(berta, 1))
    refused(world, Refusal.NO_LETTER, lambda: mail.discard(berta, letter))


def test_no_letter_is_taken_in_where_no_records_are_kept() -> None:
    world, alric, _ = office()
    world.records.kept = False
    before = sums(world)
    with pytest.raises(Cannot, match="another part of this world"):
        mail.send(alric, "Berta", "Hello", gold=50)
    assert sums(world) == before
    assert not world.records.all(Letter)


def test_a_window_opens_where_letters_are_handed_in_and_may_be_all_that_does() -> None:
    world, alric, _ = office()
    asked: list[bool] = []
    for windows in (set(), {mail.MAIL}, {mail.MAIL, mail.MAIL_OPENS}):
        alric.windows = frozenset(windows)
        world.take_changes()
        postage.at_counter(alric)
        events = world.take_changes().events
        shown = [one.at for one in events if isinstance(one, MailListed)]
        assert shown == ([mail.counter(alric)] if windows else [])
        asked.append(any(isinstance(one, Asked) for one in events))
    assert asked == [True, True, False]
    alric.dead = True
    refused(world, Refusal.DEAD, lambda: mail.counter(alric))


def test_what_may_go_with_a_letter_is_known_before() -> None:
    world, alric, berta = office()
    bread, theirs = put(world, alric, "bread", 5), put(world, berta, "dagger")
    before = sums(world)
    mail.check_parcel(alric, [(bread, 5)], 100)
    refused(world, Refusal.AMOUNT, lambda: mail.check_parcel(alric, [(bread, 6)], 0))
    refused(world, Refusal.AMOUNT, lambda: mail.check_parcel(alric, (), -1))
    refused(world, Refusal.POOR, lambda: mail.check_parcel(alric, (), 101))
    refused(world, Refusal.NOT_YOURS, lambda: mail.check_parcel(alric, [(theirs, 1)], 0))
    assert sums(world) == before


def test_a_parcel_reaches_one_who_is_away() -> None:
    world, alric, _ = office()
    bread, dagger = put(world, alric, "bread", 5), put(world, alric, "dagger")
    sam = packed(world, "Old Sam", 10, 11, 0)
    before = sums(world)
    sam.online = False
    letter = mail.send(alric, "old sam", "for you", things=[(bread, 3), (dagger, 1)], gold=60)
    assert inside(alric) == {"gold": 40, "bread": 2}
    box = mail.box_of(world, letter)
    assert box is not None
    assert (box.keeper, letter.box) == (KEPT, box.serial)
    assert sums(world) == before
    assert not [one for one in world.take_changes().events if isinstance(one, MailArrived)]
    sam.online = True
    world.open_viewport(sam, sam.serial, Sight(18))
    mail.arrived(sam)
    assert lines_of(sam) == ["A letter waits for you: `mail` lists what you have."]
    (envelope,) = mail.envelopes(sam)
    assert dict(envelope.parcel) == {"bread": 3, "dagger": 1, "gold": 60}
    refused(world, Refusal.OPEN_BAG, lambda: mail.discard(sam, letter))
    mail.take(sam, letter)
    assert inside(sam) == {"gold": 60, "bread": 3, "dagger": 1}
    assert sums(world) == before
    assert letter.box == 0
    assert box.serial not in world.items
    refused(world, Refusal.EMPTY_LETTER, lambda: mail.take(sam, letter))


def test_what_is_asked_for_a_parcel_is_paid_when_it_is_taken() -> None:
    world, alric, berta = office()
    dagger = put(world, alric, "dagger")
    before = sums(world)
    letter = mail.send(alric, "Berta", "", things=[(dagger, 1)], price=101)
    refused(world, Refusal.POOR, lambda: mail.take(berta, letter))
    letter.price = 70
    mail.take(berta, letter)
    assert inside(berta) == {"gold": 30, "dagger": 1}
    assert letter not in world.letters.all(), "there are no words to keep"
    (paid,) = mail.letters_of(alric)
    assert paid.subject == "Paid: (no subject)"
    mail.take(alric, paid)
    assert inside(alric) == {"gold": 170}
    assert sums(world) == before


def test_what_was_paid_waits_without_an_end() -> None:
    """Berta has the dagger; what she gave for it is Alric's, however long he is away."""
    world, alric, berta = office()
    dagger = put(world, alric, "dagger")
    letter = mail.send(alric, "Berta", "", things=[(dagger, 1)], price=70)
    mail.take(berta, letter)
    later(world, mail.DAYS + 1)
    (paid,) = mail.letters_of(alric)
    assert not mail.letters_of(berta)
    mail.take(alric, paid)
    assert inside(alric) == {"gold": 170}


def test_nobody_is_paid_who_is_deleted() -> None:
    world, alric, berta = office()
    dagger = put(world, alric, "dagger")
    letter = mail.send(alric, "Berta", "", things=[(dagger, 1)], price=70)
    world.directory.forget(alric.serial)
    mail.take(berta, letter)
    assert inside(berta) == {"gold": 100, "dagger": 1}


def test_after_fourteen_days_parcels_go_back_and_letters_away() -> None:
    world, alric, berta = office()
    dagger = put(world, alric, "dagger")
    before = sums(world)
    parcel = mail.send(alric, "Berta", "take it", things=[(dagger, 1)], gold=10, price=50)
    mail.send(alric, "Berta", "only words")
    later(world, 13.9)
    assert len(mail.letters_of(berta)) == 2
    later(world, 0.1)
    assert not mail.letters_of(berta)
    assert mail.letters_of(alric) == [parcel]
    assert (parcel.sender_name, parcel.price, parcel.returned) == ("Berta", 0, True)
    assert parcel.subject == "Back: (no subject)"
    refused(world, Refusal.NOBODY, lambda: mail.refuse(alric, parcel))
    later(world, 100)
    mail.take(alric, parcel)
    assert sums(world) == before
    assert inside(alric) == {"gold": 100, "dagger": 1}


def test_nobody_looks_for_old_letters_where_none_wait() -> None:
    world, alric, berta = office()
    before = len(world.timers)
    letter = mail.send(alric, "Berta", "only words")
    mail.send(alric, "Berta", "more words")
    assert len(world.timers) == before + 1
    mail.discard(berta, letter)
    later(world, mail.DAYS)
    assert not world.letters.all()
    assert len(world.timers) == before


def test_a_parcel_can_be_sent_back() -> None:
    world, alric, berta = office()
    dagger = put(world, alric, "dagger")
    parcel = mail.send(alric, "Berta", "take it", things=[(dagger, 1)], price=50)
    mail.refuse(berta, parcel)
    assert not mail.letters_of(berta)
    mail.take(alric, mail.numbered(alric, 1))
    assert inside(alric) == {"gold": 100, "dagger": 1}


def test_what_a_deleted_character_would_have_received_goes_back() -> None:
    world, alric, berta = office()
    dagger, bread = put(world, alric, "dagger"), put(world, berta, "bread", 2)
    parcel = mail.send(alric, "Berta", "take it", things=[(dagger, 1)])
    own = mail.send(berta, "Alric", "mine", things=[(bread, 2)])
    company.forget(world, [berta.serial])
    world.leave(berta)
    world.directory.forget(berta.serial)
    assert mail.letters_of(alric) == [own, parcel]
    mail.take(alric, own)
    company.forget(world, [alric.serial])
    assert not world.records.all(Letter)
    assert "dagger" not in sums(world), "it has ceased to exist with both"


def test_what_was_sent_while_somebody_was_deleted_goes_back_too() -> None:
    """A deletion takes a moment, in which letters still find the character."""
    world, alric, berta = office()
    dagger = put(world, alric, "dagger")
    company.forget(world, [berta.serial])
    parcel = mail.send(alric, "Berta", "take it", things=[(dagger, 1)])
    world.leave(berta)
    world.directory.forget(berta.serial)
    later(world, 0)
    assert mail.letters_of(alric) == [parcel]
    world.directory.forget(alric.serial)
    later(world, 0)
    assert not world.records.all(Letter)


def test_what_waits_for_nobody_goes_back_at_the_start() -> None:
    world, alric, _ = office()
    dagger = put(world, alric, "dagger")
    parcel = mail.send(alric, "Berta", "take it", things=[(dagger, 1)])
    parcel.receiver = 9000
    again = plain_world()
    again.records.load([parcel])
    again.items.update(world.items)
    again.directory.note(Known(alric.serial, "Alric"))
    mail.settle(again)
    assert again.letters.of(alric.serial) == [parcel]


def test_what_is_refused() -> None:
    world, alric, berta = office()
    pack = alric.backpack
    assert pack is not None
    bread, sack, shirt = put(world, alric, "bread", 5), put(world, alric, "sack"), put(world, alric, "shirt")
    theirs, coins = put(world, berta, "dagger"), next(iter(pack.contents.values()))
    apple = holding.make(world, "apple", stored=False)
    world.register(apple)
    holding.put(sack, apple)
    send = partial(mail.send, alric, "Berta", "words")
    many = [(put(world, alric, "dagger"), 1) for _ in range(mail.MOST_THINGS + 1)]
    for why, deed in (
        (Refusal.NOBODY, lambda: mail.send(alric, "nobody", "words")),
        (Refusal.ONESELF, lambda: mail.send(alric, "alric", "words")),
        (Refusal.NO_WORDS, lambda: mail.send(alric, "Berta", " ")),
        (Refusal.TOO_LONG, lambda: mail.send(alric, "Berta", "w" * (mail.LONGEST_TEXT + 1))),
        (Refusal.TOO_LONG, lambda: mail.send(alric, "Berta", "w", subject="s" * (mail.LONGEST_SUBJECT + 1))),
        (Refusal.AMOUNT, lambda: send(things=[(bread, 6)])),
        (Refusal.AMOUNT, lambda: send(things=[(bread, 0)])),
        (Refusal.AMOUNT, lambda: send(things=[(bread, 1), (bread, 1)])),
        (Refusal.AMOUNT, lambda: send(things=[(coins, 1)])),
        (Refusal.AMOUNT, lambda: send(things=many)),
        (Refusal.AMOUNT, lambda: send(gold=-1)),
        (Refusal.POOR, lambda: send(gold=101)),
        (Refusal.AMOUNT, lambda: send(price=5)),
        (Refusal.AMOUNT, lambda: send(things=[(shirt, 1)], price=-5)),
        (Refusal.AMOUNT, lambda: send(things=[(shirt, 1)], price=mail.MOST_PRICE + 1)),
        (Refusal.OPEN_BAG, lambda: send(things=[(sack, 1)])),
        (Refusal.NOT_YOURS, lambda: send(things=[(theirs, 1)])),
        (Refusal.FIXED, lambda: send(things=[(pack, 1)])),
    ):
        refused(world, why, deed)
    ignoring.ignore(berta, "Alric")
    refused(world, Refusal.IGNORED, send)
    ignoring.heed(berta, "Alric")
    world.warp(alric, world.realms["plain"], 40, 40)
    refused(world, Refusal.NO_COUNTER, send)
    world.warp(alric, world.realms["plain"], 10, 10)
    life.kill(alric)
    refused(world, Refusal.DEAD, send)


def test_limits() -> None:
    world, alric, berta = office()
    for number in range(mail.MOST_WAITING):
        world.begin(world.now + 20)
        mail.send(alric, "Berta", f"letter {number}")
    world.begin(world.now + 20)
    refused(world, Refusal.FULL, lambda: mail.send(alric, "Berta", "one more"))
    mail.arrived(berta)
    world.gags[alric.account] = world.now + 60
    refused(world, Refusal.GAGGED, lambda: mail.send(berta, "Alric", "words"))
    del world.gags[alric.account]
    for _ in range(mail.LIMIT.lines):
        mail.send(berta, "Alric", "words")
    refused(world, Refusal.FLOODING, lambda: mail.send(berta, "Alric", "words"))


def test_what_is_too_heavy_or_too_much_stays_in_the_letter() -> None:
    world, alric, berta = office()
    dagger = put(world, alric, "dagger")
    parcel = mail.send(alric, "Berta", "take it", things=[(dagger, 1)])
    berta.strength = -1000
    refused(world, Refusal.HEAVY, lambda: mail.take(berta, parcel))
    berta.strength = 10
    for _ in range(130):
        put(world, berta, "shoes")
    berta.strength = 10_000
    refused(world, Refusal.FULL, lambda: mail.take(berta, parcel))


class Post(RuleBasedStateMachine):
    """Two who send one another all they have, take it, send it back and let it lie."""

    def __init__(self) -> None:
        super().__init__()
        self.world, *self.players = office()
        for mobile in self.players:
            for kind, amount in (("bread", 9), ("dagger", 1), ("apple", 3)):
                put(self.world, mobile, kind, amount)
        self.before = sums(self.world)

    def _tries(self, deed: Callable[[], object]) -> None:
        self.world.begin(self.world.now + 13)
        try:
            deed()
        except Cannot:
            return

    @rule(
        who=st.integers(0, 1),
        picks=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4),
        gold=st.integers(-1, 60),
        price=st.integers(-1, 60),
    )
    def send(self, who: int, picks: list[tuple[int, int]], gold: int, price: int) -> None:
        actor, other = self.players[who], self.players[1 - who]
        pack = actor.backpack
        assert pack is not None
        things: list[Item] = list(pack.contents.values())
        chosen = [(things[at % len(things)], amount) for at, amount in picks if things]
        self._tries(lambda: mail.send(actor, other.name, "x", things=chosen, gold=gold, price=price))

    @rule(
        who=st.integers(0, 1),
        number=st.integers(1, 4),
        what=st.sampled_from([mail.take, mail.refuse, mail.discard]),
    )
    def deal(self, who: int, number: int, what: Callable[[Mobile, Letter], None]) -> None:
        actor = self.players[who]
        self._tries(lambda: what(actor, mail.numbered(actor, number)))

    @rule(days=st.integers(1, 15))
    def wait(self, days: int) -> None:
        later(self.world, days)

    @invariant()
    def nothing_is_lost_or_made(self) -> None:
        assert sums(self.world) == self.before

    @invariant()
    def every_box_belongs_to_one_letter(self) -> None:
        boxes = [item.serial for item in self.world.items.values() if item.keeper == KEPT]
        assert sorted(boxes) == sorted(one.box for one in self.world.letters.all() if one.box)


TestPost = Post.TestCase
TestPost.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
