"""The world's dialogs as EO's quest dialogs: a text, and links to click on. What other players ask has boxes
of its own, where the game has them.

The client echoes three 16-bit numbers of the dialog it answers. Together the first two are the dialog's
serial, the third is made from its type id, so that an answer is checked as strictly as in any other game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    DialogEntry,
    DialogEntryType,
    DialogQuestEntry,
    DialogReply,
    QuestAcceptClientPacket,
    QuestDialogServerPacket,
)

from protocol.eo import guilds as halls
from protocol.eo import parties, trading
from world import dialogs, guilds, party, trade
from world.forms import step_of
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from eolib import Packet

    from protocol.eo.figures import Figures
    from world.mobile import Dialog, Mobile

_BASE: Final = 64_000
"""Serials have 31 bits: two digits of this base."""

HOW_TO_TYPE: Final = "{} Type $answer and then that."
"""This game's windows have no field to type into."""

NOT_AWAITED: Final = "No answer to that is awaited any more."

LAST_BUTTON: Final = 251
"""A link's number is the button's plus one, because a client takes link 0 for none, and comes back as one
char."""


def question(figures: Figures, dialog: Dialog, behavior_id: int) -> Packet:
    """The box of a question that the game has one for, or the quest dialog."""
    if dialog.asker is not None and dialog.name == trade.TRADE:
        return trading.request(figures, dialog.asker)
    if dialog.asker is not None and dialog.name == party.KIND:
        return parties.request(figures, dialog, dialog.asker)
    if dialog.asker is not None and dialog.name == guilds.GUILD:
        applies = dialog.about == guilds.APPLICATION
        return (halls.application if applies else halls.request)(figures, dialog.asker)
    return quest_dialog(dialog, behavior_id)


def quest_dialog(dialog: Dialog, behavior_id: int) -> QuestDialogServerPacket:
    """The dialog as a packet. `behavior_id` names who asks."""
    dialog_id, session_id = divmod(dialog.serial, _BASE)
    step = step_of(dialog)
    text = f"{step.text} {HOW_TO_TYPE.format(step.wanted)}" if step.typed is not None else step.text
    # Newlines would begin another page for some clients and mean nothing to others.
    entries = [DialogEntry(entry_type=DialogEntryType.Text, line=" ".join(text.split()))]
    entries += [
        DialogEntry(
            entry_type=DialogEntryType.Link,
            entry_type_data=DialogEntry.EntryTypeDataLink(link_id=way.number + 1),
            line=way.label,
        )
        for way in step.ways
        if way.number <= LAST_BUTTON
    ]
    quest_id = _quest_id(dialog)
    return QuestDialogServerPacket(
        behavior_id=behavior_id,
        quest_id=quest_id,
        session_id=session_id,
        dialog_id=dialog_id,
        quest_entries=[DialogQuestEntry(quest_id=quest_id, quest_name=dialog.title)],
        dialog_entries=entries,
    )


def answer(mobile: Mobile, packet: QuestAcceptClientPacket) -> bool:
    """A player's answer; False, and nothing happens, unless it fits an open dialog. OK without a link closes
    it, unless it waits for words, which can be typed only without a window. Raises
    Cannot: no such question is open, who asks is not there to hear it, or something is missing."""
    dialog = mobile.dialogs.get(packet.dialog_id * _BASE + packet.session_id)
    if dialog is None or packet.quest_id != _quest_id(dialog):
        raise Cannot(Refusal.GONE, NOT_AWAITED)
    number = 0
    if packet.reply_type == DialogReply.Link:
        data = packet.reply_type_data
        if not isinstance(data, QuestAcceptClientPacket.ReplyTypeDataLink) or not data.action:
            return False
        number = data.action - 1
    elif step_of(dialog).typed is not None:
        raise Cannot(Refusal.UNFIT, HOW_TO_TYPE.format(step_of(dialog).wanted))  # one cannot type before that
    try:
        return dialogs.choose(mobile, dialog.serial, dialog.type_id, number)
    except Cannot:
        dialogs.remind(mobile, dialog.serial)  # the client has closed its window
        raise


def _quest_id(dialog: Dialog) -> int:
    return dialog.type_id % _BASE + 1
