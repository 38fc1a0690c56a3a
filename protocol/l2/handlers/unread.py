"""Wishes for what the world does not have yet, and messages that nothing here reads.

A client shows nothing of what it asks for before it is answered. So its player reads that there is no such
thing, and ActionFailed lets them do something else. Of most of these messages nothing but the number and the
name is known here, because only that they came counts: to read their layouts would be work for nobody.
The lists are by the names of data/l2/<version>/opcodes.toml. A name that no list has is a mistake of ours,
which `unlisted` tells; such a message is skipped, with its name in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import attrs

from protocol.l2.handlers.table import ROWS, acting
from protocol.l2.packets import (
    ActionFailed,
    GameGuardReply,
    RequestMagicSkillUse,
)
from protocol.session import ANY_PHASE, AUTHENTICATED, Phase
from protocol.wishes import Idle, Unmet, Wish, tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.dispatch import Table
    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.refusals import Reader

WISHES: Final[Mapping[Wish, Sequence[str]]] = {
    Wish.GUILD: (
        "RequestPledgeExtendedInfo",
        "RequestSurrenderPersonally",
    ),
    Wish.CRESTS: (
        "RequestSetPledgeCrest",
        "RequestExSetPledgeCrestLarge",
        "RequestSetAllyCrest",
    ),
    Wish.WINGS: (
        "RequestPledgeSetAcademyMaster",
        "RequestPledgeReorganizeMember",
    ),
    Wish.PARTY: (
        "RequestPartyMatchConfig",
        "RequestPartyMatchList",
        "RequestPartyMatchDetail",
        "RequestOustFromPartyRoom",
        "RequestDismissPartyRoom",
        "RequestWithdrawPartyRoom",
        "RequestExAskJoinMPCC",
        "RequestExAcceptJoinMPCC",
        "RequestExOustFromMPCC",
        "RequestAskJoinPartyRoom",
        "AnswerJoinPartyRoom",
        "RequestListPartyMatchingWaitingRoom",
        "RequestExitPartyMatchingWaitingRoom",
        "RequestExMPCCShowPartyMembersInfo",
    ),
    Wish.BOATS: (
        "RequestGetOnVehicle",
        "RequestGetOffVehicle",
        "RequestMoveToLocationInVehicle",
    ),
    Wish.SIEGE: (
        "RequestSiegeInfo",
        "RequestCastleSiegeInfo",
        "RequestSiegeAttackerList",
        "RequestSiegeDefenderList",
        "RequestJoinSiege",
        "RequestConfirmSiegeWaitingList",
        "RequestSSQStatus",
    ),
    Wish.NICKNAMES: ("RequestGiveNickName",),
    Wish.AUGMENTS: (
        "RequestEnchantItem",
        "RequestConfirmTargetItem",
        "RequestConfirmRefinerItem",
        "RequestConfirmGemStone",
        "RequestRefine",
        "RequestConfirmCancelItem",
        "RequestRefineCancel",
    ),
    Wish.LEARNING: (
        "RequestAcquireSkillInfo",
        "RequestAcquireSkill",
        "RequestExEnchantSkillInfo",
        "RequestExEnchantSkill",
    ),
    Wish.UNKNOWN: (
        "RequestGMCommand",
        "RequestRecordInfo",
        "RequestPCCafeCouponUse",
    ),
    Wish.CRAFTING: (
        "RequestCrystallizeItem",
        "RequestRecipeBookOpen",
        "RequestRecipeBookDestroy",
        "RequestRecipeItemMakeInfo",
        "RequestRecipeItemMakeSelf",
    ),
    Wish.BOOTH: (
        "RequestPrivateStoreManageSell",
        "SetPrivateStoreListSell",
        "RequestPrivateStoreQuitSell",
        "SetPrivateStoreMsgSell",
        "RequestPrivateStoreBuy",
        "RequestPrivateStoreManageBuy",
        "SetPrivateStoreListBuy",
        "RequestPrivateStoreQuitBuy",
        "SetPrivateStoreMsgBuy",
        "RequestPrivateStoreSell",
        "RequestRecipeShopMessageSet",
        "RequestRecipeShopListSet",
        "RequestRecipeShopManageQuit",
        "RequestRecipeShopMakeInfo",
        "RequestRecipeShopMakeItem",
        "RequestRecipeShopManagePrev",
    ),
    Wish.UNASKED: (
        "RequestReplyStartPledgeWar",
        "RequestReplyStopPledgeWar",
        "RequestReplySurrenderPledgeWar",
        "RequestBBSwrite",
        "RequestQuestAbort",
        "RequestTutorialLinkHtml",
        "RequestTutorialPassCmdToServer",
        "RequestTutorialQuestionMark",
        "MultiSellChoose",
        "RequestPreviewItem",
        "ReviveReply",
    ),
    Wish.ANIMALS: (
        "RequestChangePetName",
        "RequestPetUseItem",
        "RequestGiveItemToPet",
        "RequestGetItemFromPet",
        "RequestPetGetItem",
    ),
    Wish.POST: (
        "RequestPackageSendableItemList",
        "RequestPackageSend",
    ),
    Wish.SNOOPING: ("SnoopQuit",),
    Wish.OLYMPIAD: (
        "ObserverReturn",
        "RequestOlympiadObserverEnd",
        "RequestOlympiadMatchList",
    ),
    Wish.VOTING: ("RequestEvaluate",),
    Wish.TATTOOS: (
        "RequestHennaItemList",
        "RequestHennaItemInfo",
        "RequestHennaEquip",
        "RequestHennaRemoveList",
        "RequestHennaItemRemoveInfo",
        "RequestHennaRemove",
    ),
    Wish.FARMING: (
        "RequestProcureCrop",
        "RequestBuySeed",
        "RequestProcureCropList",
        "RequestSetSeed",
        "RequestSetCrop",
    ),
    Wish.CASTING: (
        "RequestAutoSoulShot",
        "RequestExMagicSkillUseGround",
    ),
    Wish.HERO: (
        "RequestWriteHeroWords",
        "RequestGetBossRecord",
        "RequestExFishRanking",
    ),
    Wish.CURSES: (
        "RequestCursedWeaponList",
        "RequestCursedWeaponLocation",
    ),
    Wish.DUELS: (
        "RequestDuelStart",
        "RequestDuelAnswerStart",
        "RequestDuelSurrender",
    ),
}
"""What is asked for, and by which messages."""

IDLE: Final[Mapping[str, Sequence[str]]] = {
    "it tells how a key was held": ("MoveWithDelta",),
    "it tells where its ship stands": ("CannotMoveAnymoreInVehicle",),
    "it asks for the picture of a company of which there are none": (
        "RequestPledgeCrest",
        "RequestAllyCrest",
        "RequestExPledgeCrestLarge",
    ),
    "it tells what its tutorial has seen": ("RequestTutorialClientEvent",),
    "it asks for the end of a subscription that nobody has": ("RequestRemainTime",),
    "it copies a chat of its own to a server for that": ("RequestSendMsnChatLog",),
}
"""Messages that carry no wish, by the reason."""

READ: Final[Mapping[type[Message], Wish]] = {
    RequestMagicSkillUse: Wish.CASTING,
}
"""What is asked for by messages whose layouts are known."""


@attrs.frozen
class UnmetAction(Unmet):
    """As `Unmet`; the client, which takes no other click until it is answered, hears ActionFailed too."""

    def __call__(self, session: Reader, packet: object) -> None:
        """See UnmetAction."""
        client = cast("L2Session", session)
        if acting(client) is not None:
            tell(client, self.wish)
            client.send(ActionFailed())


for _packet, _wish in READ.items():
    ROWS.on(_packet, during=Phase.IN_WORLD)(UnmetAction(_wish))

ROWS.on(GameGuardReply, during=AUTHENTICATED)(Idle("nobody asked"))

_ANSWERS: Final[Mapping[str, UnmetAction | Idle]] = {
    **{name: UnmetAction(wish) for wish, names in WISHES.items() for name in names},
    **{name: Idle(why) for why, names in IDLE.items() for name in names},
}


def unread(version: L2Version) -> Iterator[tuple[int, str]]:
    """Number and name of each message that a version's clients send and that has no class."""
    return ((number, name) for number, name in version.client_names.items() if not version.reads(number))


def unlisted(version: L2Version) -> set[str]:
    """Names that no list here has, and names here that need not be: mistakes of ours."""
    return {name for _, name in unread(version)} ^ _ANSWERS.keys()


def answer_unread(table: Table[L2Session], version: L2Version, unknown: int) -> None:
    """Put them into a table; an opcode there is `unknown` plus the message's number. They end nobody at any
    time: what is no client of ours is known by other signs."""
    for number, name in unread(version):
        if name in _ANSWERS:
            table.on_raw(unknown + number, name, _ANSWERS[name], during=ANY_PHASE)
