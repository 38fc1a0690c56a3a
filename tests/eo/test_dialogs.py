"""Questions of the world as quest dialogs, read back with eolib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eolib import QuestDialogServerPacket
from hypothesis import given
from hypothesis import strategies as st

from protocol.eo.view import Audience
from world import dialogs
from world.dialogs import Button
from world.events import Asked, Closed

if TYPE_CHECKING:
    from tests.kit.eo_scene import Scene
    from world.mobile import Mobile


def test_a_question(scene: Scene) -> None:
    answers: list[int] = []

    def answered(mobile: Mobile, reply: dialogs.Reply) -> None:
        answers.append(reply.button)

    dialog = dialogs.ask(
        scene.man,
        "Test",
        title="A Question",
        text="Yes\nor no?",
        buttons=[Button(1, "Yes"), Button(0, "No"), Button(1000, "Never shown")],
        answered=answered,
        asker=scene.npc,
    )
    (packet,) = scene.event(Asked(scene.man, dialog, []), Audience.SELF)
    assert isinstance(packet, QuestDialogServerPacket)
    assert packet.dialog_id * 64_000 + packet.session_id == dialog.serial
    assert [entry.quest_name for entry in packet.quest_entries] == ["A Question"]
    assert [entry.line for entry in packet.dialog_entries] == ["Yes or no?", "Yes", "No"]
    links = [entry.entry_type_data.link_id for entry in packet.dialog_entries[1:] if entry.entry_type_data]
    assert links == [2, 1], "a link 0 is none to the client"
    assert scene.event(Closed(scene.man, dialog, []), Audience.SELF) == []


@given(serial=st.integers(1, 2**31 - 1))
def test_every_serial_fits_two_shorts(lasting: Scene, serial: int) -> None:
    dialog = dialogs.Dialog(serial, "Test", "t", "t", (), lambda mobile, button: None)
    (packet,) = lasting.event(Asked(lasting.man, dialog, []), Audience.SELF)
    assert isinstance(packet, QuestDialogServerPacket)
    assert packet.dialog_id * 64_000 + packet.session_id == serial
