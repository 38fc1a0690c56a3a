"""What fits a question, and how it is put one thing after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.worlds import person, plain_world
from world import dialogs, forms
from world.content import ItemTemplate
from world.dialogs import Button, Choice, Dialog, Line, Number, Option, Reply
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.forms import Given
    from world.mobile import Mobile
    from world.world import World

BREAD = ItemTemplate("bread", "loaf of bread")
WARES = Choice("ware", "What would you like?", [Option(1, "Bread", BREAD, 3), Option(2, "Ale", price=1)])
SIDES = Choice("sides", "And with it?", [Option(n, f"Side {n}") for n in range(1, 9)], several=True)
MANY = Number("many", "How many?", 1, 20)
NAME = Line("name", "For whom?", longest=10)
INPUTS = (WARES, SIDES, MANY, NAME)
BUTTONS = (Button(1, "Buy."), Button(0, "Leave."))


@pytest.fixture
def world() -> World:
    return plain_world()


@attrs.define
class Asked:
    """Somebody who was asked, and what was answered."""

    mobile: Mobile
    replies: list[Reply] = attrs.field(factory=list)

    def ask(self, **more: object) -> Dialog:
        return dialogs.ask(
            self.mobile,
            "Shop",
            title="Shop",
            text="Welcome.",
            buttons=BUTTONS,
            answered=lambda _, reply: self.replies.append(reply),
            **more,  # type: ignore[arg-type]
        )

    @property
    def open(self) -> Dialog:
        (dialog,) = self.mobile.dialogs.values()
        return dialog

    def choose(self, label: str) -> None:
        """Press the answer of that label, which counts once."""
        dialog = self.open
        (way,) = [way for way in forms.step_of(dialog).ways if way.label == label]
        assert dialogs.choose(self.mobile, dialog.serial, dialog.type_id, way.number)
        assert not dialogs.choose(self.mobile, dialog.serial, dialog.type_id, way.number), (
            "a step counts once"
        )

    def write(self, text: str) -> None:
        dialog = self.open
        assert dialogs.write(self.mobile, dialog.serial, dialog.type_id, text)


@pytest.fixture
def asked(world: World) -> Asked:
    return Asked(person(world))


def test_a_plain_dialog_is_one_step(asked: Asked) -> None:
    step = forms.step_of(asked.ask())
    assert step.text == "Welcome."
    assert [(way.number, way.label, way.leads) for way in step.ways] == [(1, "Buy.", 1), (0, "Leave.", 0)]


def test_all_of_it_one_thing_after_the_other(asked: Asked) -> None:
    asked.ask(more=("We have all.", "Look around."), inputs=INPUTS)
    asked.choose("Go on.")
    assert forms.step_of(asked.open).text == "We have all."
    asked.choose("Go on.")
    assert forms.step_of(asked.open).text == "Look around. What would you like?"
    asked.choose("Bread (3 gold coins)")
    asked.choose("[ ] Side 2")
    asked.choose("What else is there?")
    asked.choose("[ ] Side 8")
    asked.choose("What else is there?")
    asked.choose("[x] Side 2")
    asked.choose("[ ] Side 3")
    asked.choose("That is all.")
    assert forms.step_of(asked.open).wanted == "A number from 1 to 20, please."
    asked.write(" 12 ")
    asked.write("Berta")
    assert forms.step_of(asked.open).text == (
        "What would you like? Bread (3 gold coins) And with it? Side 3, Side 8 How many? 12 For whom? Berta"
    )
    assert not asked.replies
    asked.choose("Buy.")
    (reply,) = asked.replies
    assert (reply.button, reply.chosen("ware"), set(reply.chosen("sides"))) == (1, (1,), {3, 8})
    assert (reply.number("many"), reply.line("name")) == (12, "Berta")
    assert not asked.mobile.dialogs


FULL: dict[str, Given] = {"ware": (2,), "sides": (1, 8), "many": "7", "name": "Otto"}


def test_all_of_it_at_once(asked: Asked) -> None:
    dialog = asked.ask(inputs=INPUTS)
    assert dialogs.answer(asked.mobile, dialog.serial, dialog.type_id, 1, FULL)
    assert asked.replies == [Reply(1, {"ware": (2,), "sides": (1, 8), "many": 7, "name": "Otto"})]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("ware", bad) for bad in ((), (1, 2), (3,), (0,), "1", 1)],
        *[("sides", bad) for bad in ((9,), (1, 2, 77))],
        *[
            ("many", bad)
            for bad in ("", "0", "21", "-1", "x", "1.0", "\u0661", 0, 21, (1,), "9" * 11, "9" * 10_000)
        ],
        *[("name", bad) for bad in ("", " \x07", 1, (1,))],
    ],
)
def test_what_does_not_fit_is_asked_anew_and_the_rest_kept(asked: Asked, key: str, value: object) -> None:
    dialog = asked.ask(inputs=INPUTS)
    given = {**FULL, key: value}
    with pytest.raises(Cannot) as cannot:
        dialogs.answer(asked.mobile, dialog.serial, dialog.type_id, 1, given)  # type: ignore[arg-type]
    assert cannot.value.why is Refusal.UNFIT
    again = asked.open
    assert again.serial != dialog.serial, "an answer counts once"
    assert set(again.draft.values) == set(FULL) - {key}
    assert not asked.replies
    assert dialogs.answer(asked.mobile, again.serial, again.type_id, 1, {key: FULL[key]})
    assert len(asked.replies) == 1


def test_who_closes_it_need_not_fill_in_anything(asked: Asked) -> None:
    dialog = asked.ask(inputs=INPUTS)
    assert dialogs.answer(asked.mobile, dialog.serial, dialog.type_id, 0)
    asked.ask(more=("More.",), inputs=INPUTS)
    asked.choose("Go on.")
    asked.choose("Leave.")
    assert asked.replies == [Reply(0), Reply(0)]


def test_steps_are_taken_near_who_asks_only(asked: Asked, world: World) -> None:
    crier = person(world, "Otto", 11, 10)
    asked.ask(more=("More.",), inputs=(MANY,), asker=crier)
    world.warp(crier, world.realms["plain"], 50, 50)
    with pytest.raises(Cannot, match="too far"):
        asked.choose("Go on.")
    world.warp(crier, world.realms["plain"], 11, 10)
    asked.choose("Go on.")
    world.warp(crier, world.realms["plain"], 50, 50)
    with pytest.raises(Cannot, match="too far"):
        asked.write("3")
    assert asked.open.draft.stage == 1


def test_by_words_alone(asked: Asked) -> None:
    def say(text: str) -> list[str]:
        open_ = dialogs.reply_in_words(asked.mobile, text)
        return forms.in_words(open_) if open_ is not None else []

    asked.ask(more=("Well?",), inputs=(WARES, MANY))
    offers = ["answer 1: Bread (3 gold coins)", "answer 2: Ale (1 gold coin)", "answer 0: Leave."]
    assert say("1") == ["Shop", "Well? What would you like?", *offers]
    assert say("al") == ["Shop", "How many?", "answer ...: A number from 1 to 20, please."]
    with pytest.raises(Cannot, match="from 1 to 20"):
        say("many")
    assert say("20")[1] == "What would you like? Ale (1 gold coin) How many? 20"
    with pytest.raises(Cannot, match="no answer to"):
        say("perhaps")
    with pytest.raises(Cannot, match="no answer to"):
        say("9")
    assert say("buy") == []
    assert asked.replies == [Reply(1, {"ware": (2,), "many": 20})]
    with pytest.raises(Cannot, match="Nobody asks"):
        say("1")


def test_no_words_wave_it_aside(asked: Asked) -> None:
    asked.ask(inputs=(NAME,))
    assert dialogs.reply_in_words(asked.mobile, "") is None
    assert asked.replies == [Reply(0)]


@given(texts=st.lists(st.text(max_size=12) | st.integers(0, 9).map(str), max_size=30))
def test_whatever_is_said_what_counts_fits(texts: list[str]) -> None:
    asked = Asked(person(plain_world()))
    asked.ask(more=("More.",), inputs=INPUTS)
    for text in texts:
        try:
            dialogs.reply_in_words(asked.mobile, text)
        except Cannot:
            continue
    for reply in asked.replies:
        if reply.button:
            assert set(reply.values) == {one.key for one in INPUTS}
            assert 1 <= reply.number("many") <= 20
            assert 1 <= len(reply.line("name")) <= 10
            assert reply.chosen("ware") in ((1,), (2,))
