"""Letters in this game's window: what its client reads there (`tests.kit.eq2_post`), and what becomes of what
its player does in it. The bytes are in `test_mail_golden.py`, two clients of a whole server in
`test_mail_town.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eq2 import packets as eq2
from protocol.eq2.handlers.counters import WHOLE_COINS
from protocol.eq2.handlers.letters import BY_DIALOG, CANCELED, LESS_IN_IT, NOT_OPEN, NOTHING_IN_IT
from protocol.eq2.handlers.table import run_word
from protocol.eq2.mail import FIRST_NUMBER, WINDOWS, ListWindow
from protocol.eq2.packets import (
    DialogOpen,
    DisplayText,
    EntityVerbsReply,
    EntityVerbsRequest,
    EntityVerbsVerb,
    MailDeleteMessage,
    MailGetHeaders,
    MailGetMessage,
    MailHeaders,
    MailMessage,
    MailRemoveAttachments,
    MailSendMessage,
    MailSendReply,
    UpdatePlayerMail,
)
from protocol.eq2.view import Eq2View
from tests.eq2.test_handlers_counters import resident
from tests.kit.eq2_desk import Desk, Player
from tests.kit.eq2_player import newest_version
from tests.kit.eq2_post import Enclosed, Postbox
from world import hands, holding, mail, speech
from world.reach import Refusal

if TYPE_CHECKING:
    from world.item import Item
    from world.letter import Letter

NOTHING = Enclosed((0, 0, 0, 0), 0, "", "")
TWO_WEEKS = 14 * 86_400


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


def to(name: str, text: str = "well?", subject: str = "", rest: bytes = b"") -> MailSendMessage:
    """A letter as the client sends it."""
    return MailSendMessage(name, subject, text, 1, 0x0102030405060708, 9, rest)


class Office:
    """Anna before a banker, with 100 gold coins and nothing else, and Bert beside her."""

    def __init__(self, desk: Desk, anna: Player, bert: Player) -> None:
        self.desk = desk
        self.anna = anna
        self.bert = bert
        self.banker = resident(desk, "banker", 20, 21)

    @classmethod
    async def opened(cls, *, window: bool = True) -> Office:
        """`window`: Anna has come up to the banker."""
        desk = Desk()
        office = cls(desk, await desk.enter("anna"), await desk.enter("bert", (21, 20)))
        for player in (office.anna, office.bert):
            pack = player.mobile.backpack
            assert pack is not None
            for item in list(pack.contents.values()):
                desk.world.delete(item)
        office.anna.gives("gold", 100)
        await desk.wait(0.1)
        if window:
            await office.anna.types("start_mail")
        office.forget()
        return office

    def forget(self) -> None:
        self.anna.got.clear()
        self.bert.got.clear()

    async def gets(self, kind: str, amount: int = 1) -> Item:
        """Something new in Anna's pack, of which her client knows."""
        item = self.anna.gives(kind, amount)
        await self.desk.wait(0.1)
        self.forget()
        return item

    async def wrote(self, text: str = "hm", subject: str = "so", **rest: object) -> Letter:
        """A letter from Bert to Anna, which has come."""
        self.bert.mobile.spoken = None
        letter = mail.send(self.bert.mobile, "anna", text, subject=subject, **rest)  # type: ignore[arg-type]
        await self.desk.wait(0.1)
        return letter

    def box(self) -> Postbox:
        """What Anna's client has of its letters, from what it was sent since `forget`."""
        box = Postbox(newest_version())
        box.hear(self.anna.got)
        return box

    async def refused(self, *sent: str | eq2.Message) -> str:
        """The one line in which something is refused, upon which Anna has what she had."""
        before, post = dict(hands.carried(self.anna.mobile)), attrs.evolve(self.anna.session.post)
        waiting = list(self.desk.world.letters.all())
        self.anna.got.clear()
        for one in sent:
            await (self.anna.types(one) if isinstance(one, str) else self.anna.says(one))
        assert dict(hands.carried(self.anna.mobile)) == before
        assert attrs.evolve(self.anna.session.post, listed=None) == attrs.evolve(post, listed=None)
        assert list(self.desk.world.letters.all()) == waiting
        (told,) = [line.text for line in self.anna.took(DisplayText)]
        return told


def number(letter: Letter) -> int:
    """By which the client knows it."""
    return FIRST_NUMBER + letter.number


# The list


async def test_the_window_opens_at_a_banker_and_lists_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    office = await Office.opened(window=False)
    bread = office.bert.gives("bread", 4)
    first = await office.wrote(things=[(bread, 3)], subject="for you")
    second = await office.wrote()
    office.forget()
    await office.anna.types("start_mail")
    box = office.box()
    assert box.kiosk == office.banker.serial
    assert [one.number for one in box.letters] == [number(first), number(second)]
    parcel, plain = box.letters
    assert (parcel.texts, plain.texts) == (("for you", "Bert", ""), ("so", "Bert", ""))
    assert (parcel.is_read, parcel.to) == (0, office.anna.mobile.serial)
    assert TWO_WEEKS - 60 <= parcel.seconds <= TWO_WEEKS
    assert (parcel.brings.amount, parcel.brings.name, plain.brings) == (3, bread.template.name, NOTHING)
    assert office.anna.took(DialogOpen) == [], "the window is all that is asked"


async def test_the_banker_and_the_order_open_it_too() -> None:
    office = await Office.opened(window=False)
    speech.say(office.anna.mobile, "banker, mail")
    await office.desk.wait(3)
    assert office.box().kiosk == office.banker.serial
    assert len(office.anna.took(MailHeaders)) == 1
    assert office.anna.took(DialogOpen) == []
    office.forget()
    await office.anna.types("causeway mail")
    assert len(office.anna.took(MailHeaders)) == 1


async def test_a_board_has_letters_in_its_menu() -> None:
    office = await Office.opened(window=False)
    office.desk.world.warp(office.banker, office.desk.world.realms["plain"], 50, 50)
    board = holding.make(office.desk.world, "notice_board", stored=False)
    office.desk.world.register(board)
    office.desk.world.enter(board, office.desk.world.realms["plain"], 20, 22)
    await office.desk.wait(0.1)
    await office.anna.says(EntityVerbsRequest(board.serial))
    assert "start_mail" in [verb.command for verb in office.anna.only(EntityVerbsReply).verbs]
    await office.anna.says(EntityVerbsVerb(board.serial, "start_mail"))
    assert office.box().kiosk == board.serial


async def test_an_open_list_follows_and_a_closed_one_does_not_open() -> None:
    office = await Office.opened()
    await office.wrote()
    assert len(office.box().letters) == 1
    await office.anna.types("cancel_mail")
    office.forget()
    await office.wrote()
    assert office.anna.took(MailHeaders) == []
    assert any("from Bert has come for you" in line for line in lines(office.anna)), "a line tells it"
    await office.anna.says(MailGetHeaders(0))
    assert len(office.box().letters) == 2
    office.forget()
    await office.anna.says(MailGetHeaders(0))
    assert len(office.anna.took(MailHeaders)) == 1, "who asks is answered, whether or not it has changed"


async def test_nothing_opens_away_from_where_letters_are_handed_in() -> None:
    office = await Office.opened(window=False)
    office.desk.world.warp(office.anna.mobile, office.desk.world.realms["plain"], 50, 50)
    await office.desk.wait(0.1)
    for sent in ("start_mail", MailGetHeaders(office.banker.serial)):
        assert await office.refused(sent) == mail.NO_COUNTER
        assert office.anna.took(MailHeaders) == []
    assert await office.refused("add_mail_gold 1") == NOT_OPEN


# Reading


async def test_a_letter_is_read_behind_the_list_in_which_it_is() -> None:
    office = await Office.opened()
    letter = await office.wrote("it is sharp", "a dagger", gold=0)
    for sent in (
        MailGetMessage(77, office.banker.serial, number(letter), 5),
        f"getmailmessage {number(letter)}",
    ):
        office.forget()
        await (office.anna.types(sent) if isinstance(sent, str) else office.anna.says(sent))
        box = office.box()
        assert box.opened is not None, "no list comes behind it"
        assert box.kiosk == office.banker.serial
        assert box.opened.texts == ("Bert", "a dagger", "it is sharp")
        assert box.opened.is_read == 1
        assert box.asked_by == ((0, 0) if isinstance(sent, str) else (77, 5))
    assert letter.read
    office.forget()
    await office.anna.types("getmailmessage 1")
    assert office.anna.took(MailMessage) == []
    assert "it is sharp" in lines(office.anna), "who types its place reads lines"


async def test_a_list_that_the_client_has_is_not_sent_again() -> None:
    office = await Office.opened()
    letter = await office.wrote()
    for listed in (1, 0):
        office.forget()
        await office.desk.wait(30)
        await office.anna.types(f"getmailmessage {number(letter)}")
        assert len(office.anna.took(MailHeaders)) == listed, "it is not new any more, and then as it was"
        assert len(office.anna.took(MailMessage)) == 1


async def test_what_is_asked_for_a_parcel_and_all_that_is_in_it_is_named() -> None:
    office = await Office.opened()
    things = [(office.bert.gives(kind), 1) for kind in ("dagger", "lantern")]
    letter = await office.wrote(things=things, price=12, subject="wares")
    office.forget()
    await office.anna.types(f"getmailmessage {number(letter)}")
    opened = office.box().opened
    assert opened is not None
    assert opened.texts[1] == "wares (costs 12 gold coins)"
    assert ("dagger" in opened.brings.name, "lantern" in opened.brings.name) == (True, True)
    assert opened.brings.about.endswith("It is yours for 12 gold coins.")


async def test_what_it_brings_is_taken_and_it_is_thrown_away() -> None:
    office = await Office.opened()
    dagger = office.bert.gives("dagger")
    office.bert.gives("gold", 7)
    one = await office.wrote(things=[(dagger, 1)], gold=7)
    other = await office.wrote()
    assert await office.refused(f"deletemailmessage {number(one)}") == Refusal.OPEN_BAG.value
    await office.anna.says(MailRemoveAttachments("anna", number(one), 0))
    assert dagger.root is office.anna.mobile
    assert holding.gold(office.anna.mobile) == 107
    assert [letter.brings for letter in office.box().letters] == [NOTHING, NOTHING]
    await office.anna.says(MailDeleteMessage(office.banker.serial, number(one)))
    await office.anna.types(f"deletemailmessage {number(other)}")
    assert mail.letters_of(office.anna.mobile) == []
    assert office.box().letters == ()


async def test_a_parcel_is_sent_back_by_word() -> None:
    office = await Office.opened()
    letter = await office.wrote(things=[(office.bert.gives("dagger"), 1)])
    await office.anna.types(f"refusemailmessage {number(letter)}")
    assert mail.letters_of(office.bert.mobile) == [letter]


@pytest.mark.parametrize("named", [0, 1, FIRST_NUMBER, 0xFFFF_FFFF])
async def test_no_letters_that_are_none(named: int) -> None:
    office = await Office.opened()
    theirs = mail.send(office.anna.mobile, "bert", "mine no more")
    await office.wrote()
    for first in (named, number(theirs)):
        for sent in (
            MailGetMessage(0, first, 0, 0),
            MailDeleteMessage(first, first),
            MailRemoveAttachments("bert", 0, first),
        ):
            assert await office.refused(sent) == Refusal.NO_LETTER.value
    for word in ("getmailmessage", "deletemailmessage", "takemailattachments", "refusemailmessage"):
        assert await office.refused(f"{word} {max(named, 2)}") == Refusal.NO_LETTER.value
        assert await office.refused(f"{word} -1") == Refusal.AMOUNT.value


# Writing


async def test_a_letter_goes_with_what_was_put_into_it() -> None:
    office = await Office.opened()
    bread = await office.gets("bread", 10)
    await office.anna.types("add_mail_gold 5")
    await office.anna.types("add_mail_silver 200")
    await office.anna.types("remove_mail_copper 10000")
    await office.anna.types(f"set_mail_item {office.anna.row_of(bread)} 4")
    assert office.box().draft == Enclosed((0, 0, 6, 0), 4, bread.template.name, office.box().draft.about)  # type: ignore[union-attr]
    assert lines(office.anna)[-1] == "In your letter: 4 bread loaves and 6 gold coins."
    assert dict(hands.carried(office.anna.mobile)) == {"gold": 100, "bread": 10}, "it is hers until then"
    await office.anna.says(to("bert", "eat", "bread", bytes(100)))
    box = office.box()
    assert (box.outcome, box.draft) == ((eq2.MAIL_SENT, "Bert"), NOTHING)
    assert box.asked_by == (0x0102030405060708, 9)
    assert dict(hands.carried(office.anna.mobile)) == {"gold": 94, "bread": 6}
    (envelope,) = mail.envelopes(office.bert.mobile)
    assert sorted(envelope.parcel) == [("bread", 4), ("gold", 6)]
    assert (envelope.subject, envelope.text, envelope.price) == ("bread", "eat", 0)
    office.anna.mobile.spoken = None
    await office.anna.says(to("bert", "and no more"))
    assert mail.envelopes(office.bert.mobile)[1].parcel == ()


async def test_what_moved_or_was_split_since_does_not_go() -> None:
    office = await Office.opened()
    bread = await office.gets("bread", 10)
    await office.anna.types(f"set_mail_item {office.anna.row_of(bread)} 0")
    assert office.anna.session.post.count == 10
    hands.transfer(bread, 1, office.bert.mobile.backpack)  # type: ignore[arg-type]
    assert await office.refused(to("bert")) == Refusal.AMOUNT.value
    hands.transfer(bread, 9, office.bert.mobile.backpack)  # type: ignore[arg-type]
    assert await office.refused(to("bert")) == Refusal.NOT_YOURS.value
    await office.anna.types("set_mail_item")
    office.anna.got.clear()
    await office.anna.says(to("bert"))
    assert office.box().outcome == (eq2.MAIL_SENT, "Bert")
    assert hands.carried(office.bert.mobile)["bread"] == 10


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("add_mail_gold 0", Refusal.AMOUNT.value),
        ("add_mail_gold -5", Refusal.AMOUNT.value),
        ("add_mail_gold", Refusal.AMOUNT.value),
        ("add_mail_gold 101", Refusal.POOR.value),
        ("add_mail_gold 4294967296", Refusal.POOR.value),
        ("add_mail_plat 99999999999999999999", Refusal.POOR.value),
        ("add_mail_copper 1", WHOLE_COINS),
        ("remove_mail_gold 1", LESS_IN_IT),
        ("set_mail_item x 1", Refusal.UNFIT.value),
        ("set_mail_item 1 2 3", Refusal.UNFIT.value),
        ("set_mail_item 249 1", Refusal.GONE.value),
    ],
)
async def test_nothing_goes_in_that_cannot_be(line: str, words: str) -> None:
    office = await Office.opened()
    assert await office.refused(line) == words


async def test_no_things_go_in_that_may_not() -> None:
    office = await Office.opened()
    bread = await office.gets("bread", 5)
    row = office.anna.row_of(bread)
    assert await office.refused(f"set_mail_item {row} 6") == Refusal.AMOUNT.value
    assert await office.refused(f"set_mail_item {row} -1") == Refusal.AMOUNT.value
    bag = await office.gets("bag")
    holding.put(bag, holding.make(office.desk.world, "apple", stored=False))
    await office.desk.wait(0.1)
    assert await office.refused(f"set_mail_item {office.anna.row_of(bag)} 1") == Refusal.OPEN_BAG.value
    assert office.box().draft == NOTHING, "the window is told what is in it"


async def test_coins_of_a_bag_go_in_as_coins() -> None:
    office = await Office.opened()
    bag = await office.gets("bag")
    coins = holding.make(office.desk.world, "gold", amount=30, stored=False)
    office.desk.world.register(coins)
    holding.put(bag, coins)
    await office.desk.wait(0.1)
    row = office.anna.row_of(coins)
    assert await office.refused(f"set_mail_item {row} -1") == Refusal.AMOUNT.value
    assert await office.refused(f"set_mail_item {row} 131") == Refusal.POOR.value
    await office.anna.types(f"set_mail_item {row} 0")
    await office.anna.types(f"set_mail_item {row} 5")
    assert (office.anna.session.post.gold, office.anna.session.post.thing) == (35, 0)


async def test_the_window_is_told_what_is_in_the_letter_by_then() -> None:
    """A client may be slow: it reads that the window opens after more was put into the letter before."""
    office = await Office.opened()
    session = office.anna.session
    session.queue(ListWindow(office.anna.mobile, [], office.banker.serial))
    run_word(session, office.anna.mobile, "add_mail_gold", "5")
    await office.desk.wait(0.1)
    draft = office.box().draft
    assert draft is not None
    assert draft.coins[2] == session.post.gold


@pytest.mark.parametrize(
    ("name", "outcome", "words"),
    [
        ("", eq2.MAIL_TO_NOBODY, None),
        ("nobody", eq2.MAIL_TO_UNKNOWN, None),
        ("bert, anna", eq2.MAIL_TO_UNKNOWN, None),
        ("x" * 60_000, eq2.MAIL_TO_UNKNOWN, None),
        ("anna", eq2.MAIL_TO_ONESELF, Refusal.ONESELF.value),
    ],
)
async def test_why_a_letter_does_not_go(name: str, outcome: int, words: str | None) -> None:
    office = await Office.opened()
    await office.anna.types("add_mail_gold 5")
    # What the message says of coins and things decides nothing, however much of it there is.
    told = await office.refused(to(name, rest=b"\xff" * 300))
    assert words in (None, told)
    assert office.box().outcome == (outcome, name[:40])
    assert office.anna.session.post.gold == 5, "it may be sent to somebody else"


async def test_no_letter_without_words_nor_too_many_nor_from_afar() -> None:
    office = await Office.opened()
    assert await office.refused(to("bert", "")) == Refusal.NO_WORDS.value
    assert office.box().outcome == (eq2.MAIL_NOT_SENT, "bert")
    assert await office.refused(to("bert", "x" * 501)) == "A letter has 500 characters at most."
    assert office.box().outcome == (eq2.MAIL_NOT_SENT, "bert"), "it can still be made shorter"
    for _ in range(mail.MOST_WAITING):
        office.anna.mobile.spoken = None
        mail.send(office.anna.mobile, "bert", "!")
    office.anna.mobile.spoken = None
    assert await office.refused(to("bert")) == mail.THEIRS_FULL
    assert office.box().outcome == (eq2.MAIL_TO_FULL, "bert")
    await office.anna.types("add_mail_gold 100")
    office.desk.world.warp(office.anna.mobile, office.desk.world.realms["plain"], 50, 50)
    await office.desk.wait(0.5)
    assert await office.refused(to("bert")) == mail.NO_COUNTER


async def test_what_was_put_in_is_forgotten_when_no_letter_is_written() -> None:
    office = await Office.opened()
    for word in ("cancel_send_mail", "cancel_mail", "start_mail"):
        await office.anna.types("start_mail")
        await office.anna.types("add_mail_gold 5")
        office.anna.got.clear()
        await office.anna.types(word)
        assert office.anna.session.post.gold == 0
        if word == "cancel_send_mail":
            assert lines(office.anna) == [CANCELED]
    await office.anna.types("set_mail_item")
    assert lines(office.anna)[-1] == NOTHING_IN_IT


# Without the window


async def test_without_the_window_letters_are_words_and_dialogs() -> None:
    office = await Office.opened(window=False)
    view = office.desk.view
    assert view.windows >= WINDOWS
    view.figures.rendering = attrs.evolve(view.figures.rendering, mail_window=False)
    plain = Eq2View(view.versions, view.figures, view.scenery)
    assert not plain.windows & WINDOWS
    for player in (office.anna, office.bert):
        player.mobile.windows -= WINDOWS
    letter = await office.wrote()
    office.forget()
    await office.anna.types("start_mail")
    assert office.anna.only(DialogOpen).title == "Letters and parcels"
    for line in ("add_mail_gold 5", "set_mail_item 1 1"):
        assert await office.refused(line) == BY_DIALOG
    for sent in (f"getmailmessage {number(letter)}", MailGetMessage(0, 0, number(letter), 0)):
        office.anna.got.clear()
        await (office.anna.types(sent) if isinstance(sent, str) else office.anna.says(sent))
        assert "hm" in lines(office.anna)
    await office.anna.says(to("bert", "by hand"))
    assert [one.text for one in mail.letters_of(office.bert.mobile)] == ["by hand"]
    for kind in (MailHeaders, MailMessage, MailSendReply, UpdatePlayerMail):
        assert office.anna.took(kind) == []
