"""The world's dialogs as EO's quest dialogs: a text, and links to click on.

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

from world import dialogs
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.dialog import Dialog
    from world.mobile import Mobile

_BASE: Final = 64_000
"""Serials have 31 bits: two digits of this base."""

NOT_AWAITED: Final = "No answer to that is awaited any more."

LAST_BUTTON: Final = 251
"""A link's number is the button's plus one, because a client takes link 0 for none, and comes back as one
char."""


def quest_dialog(dialog: Dialog, behavior_id: int) -> QuestDialogServerPacket:
    """The dialog as a packet. `behavior_id` names who asks."""
    dialog_id, session_id = divmod(dialog.serial, _BASE)
    # Newlines would begin another page for some clients and mean nothing to others.
    entries = [DialogEntry(entry_type=DialogEntryType.Text, line=" ".join(dialog.text.split()))]
    entries += [
        DialogEntry(
            entry_type=DialogEntryType.Link,
            entry_type_data=DialogEntry.EntryTypeDataLink(link_id=button.number + 1),
            line=button.label,
        )
        for button in dialog.buttons
        if button.number <= LAST_BUTTON
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
    it. Raises Cannot: no such question is open, or who asks is not there to hear it."""
    dialog = mobile.dialogs.get(packet.dialog_id * _BASE + packet.session_id)
    if dialog is None or packet.quest_id != _quest_id(dialog):
        raise Cannot(Refusal.GONE, NOT_AWAITED)
    button = 0
    if packet.reply_type == DialogReply.Link:
        data = packet.reply_type_data
        if not isinstance(data, QuestAcceptClientPacket.ReplyTypeDataLink) or not data.action:
            return False
        button = data.action - 1
    try:
        return dialogs.answer(mobile, dialog.serial, dialog.type_id, button)
    except Cannot:
        dialogs.remind(mobile, dialog.serial)  # the client has closed its window
        raise


def _quest_id(dialog: Dialog) -> int:
    return dialog.type_id % _BASE + 1
