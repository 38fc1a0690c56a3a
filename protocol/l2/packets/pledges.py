"""Clans, which this protocol calls pledges: asking somebody in, the window with the members, grades and their
rights, wars, and alliances of clans.

A clan here has no parts, no crest and no castle: those fields are constants or 0. Everything about a member
but the list is under its name. Layouts are those that eldarkg/lineage2wireshark (746.ini), L2JMobius/
L2Jmobius_Interlude and Hl4p3x/L2JServer_C6_Interlude have alike. Of three numbers of a member they tell
different things of the same size:

- the fourth is 0, or the sex; nothing is known to be drawn of it;
- the fifth is the object id in the dissector and in C6, the race in Mobius: it is the object id here;
- the sixth is not 0 for who is online: 1 in the dissector and in C6, the object id in Mobius, which is both.

Left out: PledgeStatusChanged, in which they differ and which repeats what UserInfo and CharInfo tell, and
StartPledgeWar and its like, which no public server sends.
"""

import enum
from typing import Annotated, ClassVar

from protocol.l2.packets.base import D, S, counted, element, from_client, from_server, number, zeros
from protocol.l2.versions import Message
from protocol.wire.declare import Struct
from protocol.wire.fields import Constant


class PledgeRight(enum.IntFlag):
    """Rights of a grade; the client lets its player press the buttons of those. (Mobius: ClanPrivilege; C6:
    Clan.)"""

    INVITE = 0x2
    TITLES = 0x4
    WAREHOUSE = 0x8
    GRADES = 0x10
    WAR = 0x20
    DISMISS = 0x40
    CREST = 0x80


class PledgePowerAction(enum.IntEnum):
    """Purposes of a RequestPledgePower."""

    SHOW = 1
    CHANGE = 2


class WarTab(enum.IntEnum):
    """Halves of the list of wars."""

    DECLARED = 0
    UNDER_ATTACK = 1


# --- client ---


@from_client
class RequestCreatePledge(Message):
    """Found a clan."""

    name: S


@from_client
class RequestJoinPledge(Message):
    """Ask somebody into one's clan."""

    object_id: D
    pledge_type: Annotated[D, "part of the clan; 0: the clan itself"] = 0


@from_client
class RequestAnswerJoinPledge(Message):
    """Whether to join a clan."""

    answer: Annotated[D, "1: yes"]


@from_client
class RequestWithdrawalPledge(Message):
    """Leave one's clan."""


@from_client
class RequestOustPledgeMember(Message):
    """Send somebody out of it."""

    name: S


@from_client
class RequestPledgeMemberList(Message):
    """Asks for the window's list."""


@from_client
class RequestPledgeInfo(Message):
    """Asks for the name of a clan that somebody is in."""

    clan_id: D


@from_client
class RequestPledgeMemberInfo(Message):
    """Asks about one member."""

    unknown: D
    name: S


@from_client
class RequestPledgePower(Message):
    """Asks for the rights of a grade, or changes them."""

    grade: D
    action: Annotated[D, "PledgePowerAction"]
    rights: Annotated[D, "PledgeRight, of a change"] = 0


@from_client
class RequestPledgePowerGradeList(Message):
    """Asks which grades there are."""


@from_client
class RequestPledgeMemberPowerInfo(Message):
    """Asks for the grade of one member."""

    unknown: D
    name: S


@from_client
class RequestPledgeSetMemberPowerGrade(Message):
    """Give a member another grade."""

    name: S
    grade: D


@from_client
class RequestPledgeWarList(Message):
    """Asks for one half of the wars."""

    page: D
    tab: Annotated[D, "WarTab"]


@from_client
class RequestStartPledgeWar(Message):
    """Declare war on a clan."""

    name: S


@from_client
class RequestStopPledgeWar(Message):
    """End a war."""

    name: S


@from_client
class RequestSurrenderPledgeWar(Message):
    """Give up in a war."""

    name: S


@from_client
class RequestJoinAlly(Message):
    """Ask somebody's clan for an alliance."""

    object_id: D


@from_client
class RequestAnswerJoinAlly(Message):
    """Whether to be allies."""

    answer: Annotated[D, "1: yes"]


@from_client
class AllyLeave(Message):
    """Leave one's alliance."""


@from_client
class AllyDismiss(Message):
    """Send a clan out of it."""

    name: S


@from_client
class RequestDismissAlly(Message):
    """Dissolve it."""


@from_client
class RequestAllyInfo(Message):
    """Asks who is in it."""


# --- server ---


@from_server
class AskJoinPledge(Message):
    """Somebody asks one into a clan; RequestAnswerJoinPledge answers."""

    requester_id: D
    name: Annotated[S, "of the clan"]


@from_server
class JoinPledge(Message):
    """One is in a clan from now on."""

    clan_id: D


@from_server
class ManagePledgePower(Message):
    """The rights of a grade."""

    _unused: ClassVar[Constant] = zeros(8)
    rights: Annotated[D, "PledgeRight"]


@element
class PledgeMember(Struct):
    """A row of the list."""

    name: S
    level: D
    class_id: D
    sex: D
    object_id: D
    online: Annotated[D, "the object id, or 0"]
    _sponsor: ClassVar[Constant] = zeros(4)


@from_server
class PledgeShowMemberListAll(Message):
    """The window's list, in place of any before it, and what stands above it."""

    _part: ClassVar[Constant] = zeros(4)
    clan_id: D
    _pledge_type: ClassVar[Constant] = zeros(4)
    name: S
    leader: S
    _crest: ClassVar[Constant] = zeros(4)
    level: D
    _castle_and_hall: ClassVar[Constant] = zeros(8)
    _rank_and_reputation: ClassVar[Constant] = zeros(8)
    _unused: ClassVar[Constant] = zeros(8)
    ally_id: D
    ally_name: S
    _ally_crest: ClassVar[Constant] = zeros(4)
    at_war: Annotated[D, "0 or 1"]
    members: Annotated[tuple[PledgeMember, ...], counted(PledgeMember)]


@from_server
class PledgeShowInfoUpdate(Message):
    """The head of the window, above the list."""

    clan_id: D
    _crest: ClassVar[Constant] = zeros(4)
    level: D
    _castle_and_hall: ClassVar[Constant] = zeros(8)
    _rank_and_reputation: ClassVar[Constant] = zeros(8)
    _unused: ClassVar[Constant] = zeros(8)
    ally_id: D
    ally_name: S
    _ally_crest: ClassVar[Constant] = zeros(4)
    at_war: Annotated[D, "0 or 1"]


@from_server
class PledgeShowMemberListUpdate(Message):
    """A row that is there, anew."""

    name: S
    level: D
    class_id: D
    sex: D
    object_id: D
    online: Annotated[D, "the object id, or 0"]
    _pledge_type: ClassVar[Constant] = zeros(4)
    _sponsor: ClassVar[Constant] = zeros(4)


@from_server
class PledgeShowMemberListAdd(Message):
    """A row more."""

    name: S
    level: D
    class_id: D
    _unused: ClassVar[Constant] = zeros(4)
    _one: ClassVar[Constant] = number(1)
    online: Annotated[D, "the object id, or 0"]
    _pledge_type: ClassVar[Constant] = zeros(4)


@from_server
class PledgeShowMemberListDelete(Message):
    """A row less."""

    name: S


@from_server
class PledgeShowMemberListDeleteAll(Message):
    """One is in no clan any more: the window is empty."""


@from_server
class PledgeInfo(Message):
    """The name of a clan, for whoever sees its members."""

    clan_id: D
    name: S
    ally_name: S


@from_server
class AskJoinAlly(Message):
    """Somebody asks one's clan for an alliance; RequestAnswerJoinAlly answers."""

    requester_id: D
    name: Annotated[S, "of the other clan"]


@element
class PledgeGrade(Struct):
    """A grade that members have."""

    grade: D
    members: D


@from_server
class PledgePowerGradeList(Message):
    """Grades of a clan, and how many have each."""

    grades: Annotated[tuple[PledgeGrade, ...], counted(PledgeGrade)]


@from_server
class PledgeReceivePowerInfo(Message):
    """The grade of one member, and its rights."""

    grade: D
    name: S
    rights: Annotated[D, "PledgeRight"]


@from_server
class PledgeReceiveMemberInfo(Message):
    """All there is to know of one member."""

    _pledge_type: ClassVar[Constant] = zeros(4)
    name: S
    title: S
    grade: D
    clan: S
    sponsor: S = ""


@element
class PledgeWar(Struct):
    """A war."""

    name: Annotated[S, "of the other clan"]
    state: Annotated[D, "both public servers repeat the tab here"]
    state_again: D


@from_server
class PledgeReceiveWarList(Message):
    """One half of the wars."""

    tab: Annotated[D, "WarTab"]
    page: D
    wars: Annotated[tuple[PledgeWar, ...], counted(PledgeWar)]
