"""What players ask of one another: who may ask whom, how often, and all the ways in which it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, lines_of, plain_world, player
from world import dialogs, invites, life
from world.events import Asked, Closed
from world.mobile import Access, Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.world import World


@pytest.fixture
def world() -> World:
    """An empty plain."""
    return plain_world()


@pytest.fixture
def alric(world: World) -> Mobile:
    """Somebody who asks."""
    return player(world, "Alric")


@pytest.fixture
def berta(world: World) -> Mobile:
    """Somebody who is asked."""
    return player(world, "Berta", 11)


@pytest.fixture
def carl(world: World) -> Mobile:
    """Somebody else."""
    return player(world, "Carl", 12)


@attrs.define
class Asks:
    """Notes what came of an invite."""

    said: list[str] = attrs.field(factory=list)
    fails: bool = False

    def __call__(self, actor: Mobile, other: Mobile, kind: str = "dance") -> dialogs.Dialog | None:
        """Ask somebody to dance."""
        return invites.ask(
            actor,
            other,
            kind,
            title="Dance",
            text=f"{actor.name} asks you to dance.",
            told=f"You ask {other.name} to dance.",
            accepted=self.accepted,
            refused=lambda: self.said.append("refused"),
        )

    def accepted(self) -> None:
        """What a rule does that has to check everything again."""
        if self.fails:
            raise Cannot(Refusal.TIRED)
        self.said.append("accepted")


def why(actor: Mobile, other: Mobile, kind: str = "dance") -> Refusal:
    """Why it cannot ask; nothing is asked then."""
    before = dict(other.dialogs)
    with pytest.raises(Cannot) as refused:
        Asks()(actor, other, kind)
    assert dict(other.dialogs) == before
    return refused.value.why


def test_it_is_a_question_that_is_answered_from_anywhere(world: World, alric: Mobile, berta: Mobile) -> None:
    asks = Asks()
    dialog = asks(alric, berta)
    assert dialog is not None
    assert invites.pending(berta, "dance") is invites.pending(berta, "dance", alric) is dialog
    assert (dialog.asker, dialog.title, [one.label for one in dialog.buttons]) == (
        alric,
        "Dance",
        ["Yes", "No"],
    )
    assert [type(one) for one in world.events if isinstance(one, Asked)] == [Asked]
    assert lines_of(alric) == ["You ask Berta to dance."]
    world.warp(alric, world.realms["cave"], 5, 5)
    dialogs.answer(berta, dialog.serial, dialog.type_id, 1)
    assert asks.said == ["accepted"]
    assert invites.pending(berta, "dance") is None
    goes_on(world, 31)
    assert asks.said == ["accepted"]
    assert lines_of(alric) == ["You ask Berta to dance."]


def test_it_is_accepted_and_declined_in_words(world: World, alric: Mobile, berta: Mobile) -> None:
    asks = Asks()
    for asker in (None, alric):
        asks(alric, berta)
        invites.accept(berta, "dance", asker)
        asks(alric, berta)
        invites.refuse(berta, "dance", asker)
    assert sum(isinstance(event, Closed) for event in world.events) == 4, "the windows are closed"
    assert asks.said == ["accepted", "refused"] * 2
    assert lines_of(alric).count("Berta does not want to.") == 2
    asks(alric, berta)
    for call in (invites.accept, invites.refuse):
        for kind, asker in (("duel", None), ("dance", berta)):
            with pytest.raises(Cannot, match=Refusal.NOT_ASKED.value):
                call(berta, kind, asker)
    assert invites.pending(berta, "dance") is not None


def test_who_asks_back_has_answered(alric: Mobile, berta: Mobile) -> None:
    asks = Asks()
    asks(alric, berta)
    assert Asks()(berta, alric) is None
    assert asks.said == ["accepted"]
    assert not alric.dialogs
    assert not berta.dialogs


def test_what_nobody_answers_is_over_after_thirty_seconds(world: World, alric: Mobile, berta: Mobile) -> None:
    asks = Asks()
    dialog = asks(alric, berta)
    goes_on(world, 29)
    assert asks.said == []
    assert dialog in berta.dialogs.values()
    goes_on(world, 2)
    assert asks.said == ["refused"]
    assert not berta.dialogs
    assert lines_of(alric)[-1] == "Berta does not answer."
    assert any(isinstance(one, Closed) and one.dialog is dialog for one in world.events)


def test_who_dies_or_leaves_does_not_answer(world: World, alric: Mobile, berta: Mobile, carl: Mobile) -> None:
    asks = Asks()
    asks(alric, berta)
    asks(alric, carl)
    life.kill(berta)
    world.leave(carl)
    goes_on(world, 31)
    assert asks.said == ["refused", "refused"]
    assert lines_of(alric)[-2:] == ["Berta does not answer.", "Carl does not answer."]


def test_what_somebody_asked_who_is_gone_counts_no_more(world: World, alric: Mobile, berta: Mobile) -> None:
    asks = Asks()
    asks(alric, berta)
    alric.online = False
    invites.accept(berta, "dance")
    assert asks.said == []
    assert lines_of(berta) == ["Alric is not there any more."]
    alric.online = True
    asks(alric, berta)
    world.leave(alric)
    assert not berta.dialogs
    goes_on(world, 31)
    assert asks.said == []


def test_what_cannot_be_granted_any_more_is_told_to_who_accepts(alric: Mobile, berta: Mobile) -> None:
    asks = Asks(fails=True)
    asks(alric, berta)
    invites.accept(berta, "dance")
    assert asks.said == []
    assert lines_of(berta) == [Refusal.TIRED.value]


def test_who_cannot_be_asked(world: World, alric: Mobile, berta: Mobile, carl: Mobile) -> None:
    baker = Mobile(world.serials.mobile(), alric.world, template=world.content.mobiles["baker"])
    assert why(alric, alric) is Refusal.ONESELF
    assert why(alric, baker) is Refusal.NO_PLAYER
    carl.online = False
    assert why(alric, carl) is Refusal.NOBODY
    carl.online = True
    Asks()(alric, berta)
    assert why(alric, berta) is Refusal.ASKED
    assert why(carl, berta) is Refusal.ENGAGED
    assert Asks()(carl, berta, "duel") is not None, "one of each kind"


def test_r69_five_invites_of_all_kinds_in_thirty_seconds(world: World, alric: Mobile) -> None:
    others = [player(world, name) for name in "BCDEFGH"]
    for other, kind in zip(others[:5], ("dance", "duel", "trade", "dance", "duel"), strict=True):
        assert Asks()(alric, other, kind)
    assert why(alric, others[5], "duel") is Refusal.ASKING
    with pytest.raises(Cannot) as again:
        Asks()(alric, others[5])
    assert again.value.told, "one line for all of them"
    assert Asks()(others[6], others[5]), "others may"
    goes_on(world, 31)
    assert Asks()(alric, others[5])
    alric.access = Access.GAME_MASTER
    for other in others:
        dialogs.forget_all(other)
        assert Asks()(alric, other), "staff asks as it likes"
