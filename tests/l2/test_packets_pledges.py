"""Lineage II: messages about clans, laid out by hand."""

from __future__ import annotations

import pytest

from protocol.l2 import packets as l2
from protocol.l2.packets import (
    AllyDismiss,
    AllyLeave,
    PledgeGrade,
    PledgeInfo,
    PledgeMember,
    PledgePowerAction,
    PledgePowerGradeList,
    PledgeReceiveMemberInfo,
    PledgeReceivePowerInfo,
    PledgeReceiveWarList,
    PledgeRight,
    PledgeShowInfoUpdate,
    PledgeShowMemberListAdd,
    PledgeShowMemberListAll,
    PledgeShowMemberListDelete,
    PledgeShowMemberListDeleteAll,
    PledgeShowMemberListUpdate,
    PledgeWar,
    RequestAllyInfo,
    RequestAnswerJoinAlly,
    RequestAnswerJoinPledge,
    RequestCreatePledge,
    RequestDismissAlly,
    RequestJoinAlly,
    RequestJoinPledge,
    RequestOustPledgeMember,
    RequestPledgeInfo,
    RequestPledgeMemberInfo,
    RequestPledgeMemberList,
    RequestPledgeMemberPowerInfo,
    RequestPledgePower,
    RequestPledgePowerGradeList,
    RequestPledgeSetMemberPowerGrade,
    RequestPledgeWarList,
    RequestStartPledgeWar,
    RequestStopPledgeWar,
    RequestSurrenderPledgeWar,
    RequestWithdrawalPledge,
)
from tests.kit.l2_recorded import VERSION


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (l2.AskJoinPledge(5, "Wv"), "32 05000000 570076000000"),
        (l2.JoinPledge(7), "33 07000000"),
        (l2.ManagePledgePower(l2.PledgeRight.INVITE), "30 00000000 00000000 02000000"),
        (
            PledgeShowMemberListAll(7, "Wv", "A", 5, 7, "B", 1, (PledgeMember("A", 3, 10, 1, 9, 9),)),
            "53 00000000 07000000 00000000 570076000000 41000000 00000000 05000000 00000000 00000000"
            "00000000 00000000 00000000 00000000 07000000 42000000 00000000 01000000 01000000"
            "41000000 03000000 0a000000 01000000 09000000 09000000 00000000",
        ),
        (
            PledgeShowMemberListUpdate("A", 3, 10, 0, 9, 0),
            "54 41000000 03000000 0a000000 00000000 09000000 00000000 00000000 00000000",
        ),
        (
            PledgeShowMemberListAdd("A", 3, 10, 9),
            "55 41000000 03000000 0a000000 00000000 01000000 09000000 00000000",
        ),
        (PledgeShowMemberListDelete("A"), "56 41000000"),
        (PledgeShowMemberListDeleteAll(), "82"),
        (PledgeInfo(7, "Wv", ""), "83 07000000 570076000000 0000"),
        (
            PledgeShowInfoUpdate(7, 5, 0, "", 1),
            "88 07000000 00000000 05000000 00000000 00000000 00000000 00000000 00000000 00000000"
            "00000000 0000 00000000 01000000",
        ),
        (l2.AskJoinAlly(5, "Wv"), "a8 05000000 570076000000"),
        (PledgePowerGradeList((PledgeGrade(1, 2),)), "fe 3b00 01000000 01000000 02000000"),
        (PledgeReceivePowerInfo(6, "A", PledgeRight(0)), "fe 3c00 06000000 41000000 00000000"),
        (
            PledgeReceiveMemberInfo("A", "t", 6, "Wv"),
            "fe 3d00 00000000 41000000 74000000 06000000 570076000000 0000",
        ),
        (
            PledgeReceiveWarList(1, 0, (PledgeWar("B", 1, 1),)),
            "fe 3e00 01000000 00000000 01000000 42000000 01000000 01000000",
        ),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, l2.Message) else "",
)
def test_messages_lie_as_the_dissector_and_both_public_servers_have_them(
    message: l2.Message, wanted: str
) -> None:
    """eldarkg/lineage2wireshark (746.ini) and Hl4p3x/L2JServer_C6_Interlude; facts/l2-play.md, section 8."""
    assert VERSION.encode(message) == bytes.fromhex(wanted)
    assert VERSION.decode_server(bytes.fromhex(wanted)) == message


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("23 4200 0000", RequestCreatePledge("B")),
        ("24 05000000 00000000", RequestJoinPledge(5)),
        ("25 01000000", RequestAnswerJoinPledge(1)),
        ("26", RequestWithdrawalPledge()),
        ("27 4200 0000", RequestOustPledgeMember("B")),
        ("3c", RequestPledgeMemberList()),
        ("4d 4200 0000", RequestStartPledgeWar("B")),
        ("4f 4200 0000", RequestStopPledgeWar("B")),
        ("51 4200 0000", RequestSurrenderPledgeWar("B")),
        ("66 07000000", RequestPledgeInfo(7)),
        ("82 05000000", RequestJoinAlly(5)),
        ("83 01000000", RequestAnswerJoinAlly(1)),
        ("84", AllyLeave()),
        ("85 4200 0000", AllyDismiss("B")),
        ("86", RequestDismissAlly()),
        ("8e", RequestAllyInfo()),
        ("c0 02000000 01000000", RequestPledgePower(2, PledgePowerAction.SHOW)),
        ("c0 02000000 02000000 08000000", RequestPledgePower(2, PledgePowerAction.CHANGE, 8)),
        ("d0 1a00", RequestPledgePowerGradeList()),
        ("d0 1b00 00000000 4200 0000", RequestPledgeMemberPowerInfo(0, "B")),
        ("d0 1c00 4200 0000 02000000", RequestPledgeSetMemberPowerGrade("B", 2)),
        ("d0 1d00 00000000 4200 0000", RequestPledgeMemberInfo(0, "B")),
        ("d0 1e00 00000000 01000000", RequestPledgeWarList(0, 1)),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, l2.Message) else "",
)
def test_requests_lie_as_the_dissector_says(raw: str, message: l2.Message) -> None:
    """eldarkg/lineage2wireshark (746.ini)."""
    assert VERSION.decode_client(bytes.fromhex(raw)) == message
