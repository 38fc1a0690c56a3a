"""An Endless Online client's window of guilds.

It believes what eoweb believes (sorokya/eoweb: src/controllers/guild-controller.ts): who leaves a guild or
ends it is in none from then on, who founds one leads it, and who joins one is a newcomer there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from eolib import (
    GuildAcceptClientPacket,
    GuildAcceptServerPacket,
    GuildAgreeClientPacket,
    GuildAgreeServerPacket,
    GuildBuyClientPacket,
    GuildBuyServerPacket,
    GuildCreateClientPacket,
    GuildCreateServerPacket,
    GuildInfoType,
    GuildJunkClientPacket,
    GuildKickClientPacket,
    GuildKickServerPacket,
    GuildOpenClientPacket,
    GuildOpenServerPacket,
    GuildPlayerClientPacket,
    GuildRankClientPacket,
    GuildRankServerPacket,
    GuildRemoveClientPacket,
    GuildReply,
    GuildReplyServerPacket,
    GuildReportClientPacket,
    GuildReportServerPacket,
    GuildRequestClientPacket,
    GuildRequestServerPacket,
    GuildSellServerPacket,
    GuildTakeClientPacket,
    GuildTakeServerPacket,
    GuildTellClientPacket,
    GuildTellServerPacket,
    GuildUseClientPacket,
    WelcomeReplyServerPacket,
)

from tests.kit.eo_company import Company

if TYPE_CHECKING:
    from eolib import Packet

GOLD = 1
NEWCOMER = 9


@attrs.define
class Membership:
    """The guild that it takes itself for a member of."""

    tag: str
    name: str
    rank_name: str
    rank: int


class Hall(Company):
    """What it knows of guilds."""

    def __init__(self) -> None:
        super().__init__()
        self.guild: Membership | None = None
        self.guild_session = 0
        """Session id of the window, while one was opened."""
        self.guild_replies: list[GuildReply] = []
        self.founding: GuildRequestClientPacket | None = None
        """What it wants to found, until it is confirmed that enough have joined."""
        self.may_found = False
        self.founders: list[str] = []
        """Who found it beside its player, by name."""
        self.guild_asker = 0
        """Who asks it into a guild, by player id, in a box that is open."""
        self.guild_guest = 0
        """Who asks to be let into its guild, by player id, in a box that is open."""
        self.guild_gold: int | None = None
        self.guild_description: str | None = None
        self.guild_ranks: tuple[str, ...] = ()
        self.guild_report: GuildReportServerPacket | None = None
        self.guild_members: list[tuple[int, str, str]] = []

    # What it sends

    def open_guilds(self, npc_index: int) -> bytes:
        """Guild_Open: a click on an NPC of guilds."""
        return self.frame(GuildOpenClientPacket(npc_index=npc_index))

    def begin_guild(self, tag: str, name: str) -> bytes:
        """Guild_Request."""
        self.founding = GuildRequestClientPacket(
            session_id=self.guild_session, guild_tag=tag, guild_name=name
        )
        return self.frame(self.founding)

    def found_guild(self, description: str = "") -> bytes:
        """Guild_Create: yes, now that there are enough."""
        wanted = self.founding
        assert self.may_found, "it was not told that there are enough"
        assert wanted is not None
        self.may_found = False
        return self.frame(
            GuildCreateClientPacket(
                session_id=self.guild_session,
                guild_tag=wanted.guild_tag,
                guild_name=wanted.guild_name,
                description=description,
            )
        )

    def ask_to_join(self, tag: str, recruiter: str) -> bytes:
        """Guild_Player."""
        return self.frame(
            GuildPlayerClientPacket(
                session_id=self.guild_session, guild_tag=f"{tag.upper():3.3}", recruiter_name=recruiter
            )
        )

    def let_in(self) -> bytes:
        """Guild_Use: yes, in the box that is open."""
        guest, self.guild_guest = self.guild_guest, 0
        assert guest, "no box is open"
        return self.frame(GuildUseClientPacket(player_id=guest))

    def accept_guild(self) -> bytes:
        """Guild_Accept: yes, in the box that is open."""
        asker, self.guild_asker = self.guild_asker, 0
        assert asker, "no box is open"
        return self.frame(GuildAcceptClientPacket(inviter_player_id=asker))

    def leave_guild(self) -> bytes:
        """Guild_Remove; it is in none at once."""
        self.guild = None
        return self.frame(GuildRemoveClientPacket(session_id=self.guild_session))

    def disband_guild(self) -> bytes:
        """Guild_Junk; it is in none at once."""
        self.guild = None
        return self.frame(GuildJunkClientPacket(session_id=self.guild_session))

    def expel(self, name: str) -> bytes:
        """Guild_Kick."""
        return self.frame(GuildKickClientPacket(session_id=self.guild_session, member_name=name))

    def give_rank(self, name: str, rank: int) -> bytes:
        """Guild_Rank."""
        return self.frame(GuildRankClientPacket(session_id=self.guild_session, rank=rank, member_name=name))

    def look_up_guild(self, identity: str) -> bytes:
        """Guild_Report."""
        return self.frame(GuildReportClientPacket(session_id=self.guild_session, guild_identity=identity))

    def list_members(self, identity: str) -> bytes:
        """Guild_Tell."""
        return self.frame(GuildTellClientPacket(session_id=self.guild_session, guild_identity=identity))

    def look_at_own_guild(self, kind: GuildInfoType) -> bytes:
        """Guild_Take."""
        tag = "" if self.guild is None else self.guild.tag
        return self.frame(
            GuildTakeClientPacket(session_id=self.guild_session, info_type=kind, guild_tag=f"{tag:3.3}")
        )

    def describe_guild(self, text: str) -> bytes:
        """Guild_Agree with a description."""
        return self.frame(
            GuildAgreeClientPacket(
                session_id=self.guild_session,
                info_type=GuildInfoType.Description,
                info_type_data=GuildAgreeClientPacket.InfoTypeDataDescription(description=text),
            )
        )

    def name_ranks(self, names: tuple[str, ...]) -> bytes:
        """Guild_Agree with names of ranks."""
        return self.frame(
            GuildAgreeClientPacket(
                session_id=self.guild_session,
                info_type=GuildInfoType.Ranks,
                info_type_data=GuildAgreeClientPacket.InfoTypeDataRanks(ranks=names),
            )
        )

    def deposit_for_guild(self, amount: int) -> bytes:
        """Guild_Buy."""
        return self.frame(GuildBuyClientPacket(session_id=self.guild_session, gold_amount=amount))

    # What it receives

    def _own(self, packet: Packet) -> bool:
        return super()._own(packet) or self._belongs(packet) or self._reads(packet)

    def _enlist(self, packet: WelcomeReplyServerPacket) -> None:
        """What the answer to the choice of a character says of its guild."""
        data = packet.welcome_code_data
        if isinstance(data, WelcomeReplyServerPacket.WelcomeCodeDataSelectCharacter):
            tag, rank = data.guild_tag.strip(), data.guild_rank
            self.guild = Membership(tag, data.guild_name, data.guild_rank_name, rank) if tag else None

    def _belongs(self, packet: Packet) -> bool:
        match packet:
            case GuildCreateServerPacket():
                assert packet.leader_player_id == self.player_id
                self.guild = Membership(packet.guild_tag, packet.guild_name, packet.rank_name, 0)
                self._set(GOLD, packet.gold_amount)
            case GuildAgreeServerPacket():
                self.guild = Membership(packet.guild_tag, packet.guild_name, packet.rank_name, NEWCOMER)
            case GuildAcceptServerPacket():
                assert self.guild is not None, "a rank of no guild"
                self.guild.rank = packet.rank
            case GuildKickServerPacket():
                self.guild = None
            case GuildBuyServerPacket():
                if self.guild_gold is not None:
                    self.guild_gold += self._owned(GOLD) - packet.gold_amount
                self._set(GOLD, packet.gold_amount)
            case _:
                return False
        return True

    def _reads(self, packet: Packet) -> bool:
        match packet:
            case GuildOpenServerPacket():
                self.guild_session = packet.session_id
            case GuildReplyServerPacket():
                self.guild_replies.append(packet.reply_code)
                data = packet.reply_code_data
                if isinstance(data, GuildReplyServerPacket.ReplyCodeDataCreateAddConfirm):
                    assert self.founding is not None
                    self.may_found = True
                    if data.name:  # its own player it lists already
                        self.founders.append(data.name)
                elif isinstance(data, GuildReplyServerPacket.ReplyCodeDataJoinRequest):
                    self.guild_guest = data.player_id
            case GuildRequestServerPacket():
                self.guild_asker = packet.player_id
            case GuildReportServerPacket():
                self.guild_report = packet
            case GuildTellServerPacket():
                self.guild_members = [(one.rank, one.name, one.rank_name) for one in packet.members]
            case GuildTakeServerPacket():
                self.guild_description = packet.description
            case GuildRankServerPacket():
                self.guild_ranks = tuple(packet.ranks)
            case GuildSellServerPacket():
                self.guild_gold = packet.gold_amount
            case _:
                return False
        return True
