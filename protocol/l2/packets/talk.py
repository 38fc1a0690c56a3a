"""Words: chat, windows with buttons, friends, commands."""

import enum
from typing import Annotated, ClassVar, Final

from protocol.l2.packets.base import (
    C8,
    D,
    Message,
    S,
    counted,
    element,
    from_client,
    from_server,
    zeros,
)
from protocol.wire.declare import Struct
from protocol.wire.fields import Constant

HTML_LIMIT: Final = 8192
"""Characters of a window; more crash the client."""

SAY_LIMIT: Final = 105
"""Characters of what somebody says; 500 if links to items are in it."""


def html_letters(html: str) -> int:
    """How long the client takes a text to be: what lies beyond the first 65536 characters counts twice."""
    return len(html.encode("utf-16-le", "replace")) // 2


class ChatType(enum.IntEnum):
    """Who hears it."""

    ALL = 0
    SHOUT = 1
    TELL = 2
    PARTY = 3
    CLAN = 4
    GM = 5
    PETITION_PLAYER = 6
    PETITION_GM = 7
    TRADE = 8
    ALLIANCE = 9
    ANNOUNCEMENT = 10
    COMMAND_CHANNEL_ALL = 15
    COMMAND_CHANNEL_LEADERS = 16
    HERO = 17
    CRITICAL_ANNOUNCEMENT = 18


# --- client ---


@from_client
class Say2(Message):
    """The client says something; `target` is who is told it."""

    text: S
    type: Annotated[D, "ChatType"] = 0
    target: S = ""


@from_client
class RequestSocialAction(Message):
    """Make a gesture."""

    action: Annotated[D, "Social, 2 to 13"]


@from_client
class RequestActionUse(Message):
    """A button of the action window: 0 sits or stands, 1 walks or runs, 10, 28 and 37 open shops."""

    action: D
    ctrl: D = 0
    shift: C8 = 0


@from_client
class RequestLinkHtml(Message):
    """A link of a window was clicked."""

    path: S


@from_client
class RequestBypassToServer(Message):
    """A button of a window was clicked."""

    command: S


@from_client
class SendBypassBuildCmd(Message):
    """A command of the staff: what was typed behind //."""

    command: S


@from_client
class BypassUserCmd(Message):
    """A command of the client: 0 is /loc, 52 /unstuck, 77 /time."""

    command: D


@from_client
class DlgAnswer(Message):
    """The answer to a ConfirmDlg."""

    message_id: D
    answer: Annotated[D, "1: yes"]
    requester_id: D = 0


@from_client
class RequestFriendInvite(Message):
    """Be my friend."""

    name: S


@from_client
class RequestAnswerFriendInvite(Message):
    """Whether to be friends."""

    answer: D


@from_client
class RequestFriendList(Message):
    """Who are my friends?"""


@from_client
class RequestFriendDel(Message):
    """Be my friend no more."""

    name: S


@from_client
class RequestSendFriendMsg(Message):
    """Say something to a friend."""

    text: S
    name: S = ""


@from_client
class RequestPetition(Message):
    """A call for the staff. L2J servers, RequestPetition: text and kind."""

    text: S
    kind: D = 0


@from_client
class RequestGmList(Message):
    """Which of the staff are there?"""


@from_client
class RequestJoinParty(Message):
    """Come into my party."""

    name: S
    loot_rule: D = 0


# --- server ---


@from_server
class CreatureSay(Message):
    """Somebody says something."""

    object_id: D
    type: Annotated[D, "ChatType"]
    name: S
    text: S


@from_server
class NpcSay(Message):
    """A mobile says something."""

    object_id: D
    type: Annotated[D, "ChatType"]
    npc_id: Annotated[D, "plus 1000000"]
    text: S


@from_server
class NpcHtmlMessage(Message):
    """A window with text, links and buttons."""

    object_id: Annotated[D, "whose words it is"]
    html: S
    item_id: D = 0


@from_server
class ActionFailed(Message):
    """What the client wanted is refused or done: it may want something else."""


@element
class FriendEntry(Struct):
    """One friend."""

    character_id: D
    name: S
    online: Annotated[D, "0 or 1"]
    object_id: Annotated[D, "0 while offline"]


@from_server
class FriendList(Message):
    """All friends."""

    friends: Annotated[tuple[FriendEntry, ...], counted(FriendEntry, 4)]


@from_server
class FriendAddRequest(Message):
    """Somebody wants to be a friend; RequestAnswerFriendInvite answers it."""

    name: S
    _unused: ClassVar[Constant] = zeros(4)


@from_server
class FriendAddRequestResult(Message):
    """Whether somebody is a friend now."""

    accepted: Annotated[D, "0 or 1"]


@from_server
class FriendRecvMsg(Message):
    """A friend says something."""

    _unused: ClassVar[Constant] = zeros(4)
    receiver: S
    sender: S
    text: S


@from_server
class PlaySound(Message):
    """A sound or music."""

    type: D
    file: S
    positional: Annotated[D, "0: everywhere"] = 0
    object_id: D = 0
    x: D = 0
    y: D = 0
    z: D = 0
    _unused: ClassVar[Constant] = zeros(4)
