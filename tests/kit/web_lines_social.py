"""Every message of the web client about guilds, friends, letters, duels and reports as the line that its
description says, written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.web.packets.guilds import (
    AskGuild,
    Guild,
    GuildDisband,
    GuildEntry,
    GuildExpel,
    GuildGold,
    GuildInvite,
    GuildLead,
    GuildLeave,
    GuildMember,
    GuildMemberChanged,
    GuildNotice,
    GuildPromote,
    GuildRank,
    GuildTie,
    GuildTieAsk,
)
from protocol.web.packets.mail import (
    AskMail,
    DiscardLetter,
    Enclosed,
    Enclosure,
    Letter,
    LetterSent,
    Mail,
    ReadLetter,
    RefuseLetter,
    SendLetter,
    TakeLetter,
)
from protocol.web.packets.people import Appearance
from protocol.web.packets.social import (
    AskDuel,
    AskFriends,
    Befriend,
    DuelCounted,
    DuelOver,
    Friend,
    FriendChanged,
    Friends,
    Heed,
    Ignore,
    IgnoreChanged,
    Ignored,
    ReportPlayer,
    Unfriend,
    YieldDuel,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.web.packets.base import Message

LOAVES: Final = Enclosed("bread loaf", Appearance("loaf"), 3)

SOCIAL: Final[Sequence[tuple[Message, str]]] = (
    (AskGuild(), '{"t":"guild"}'),
    (GuildInvite(5), '{"t":"guild_invite","id":5}'),
    (GuildInvite(name="Bert"), '{"t":"guild_invite","name":"Bert"}'),
    (GuildPromote("Bert"), '{"t":"guild_rank","name":"Bert"}'),
    (GuildPromote("Bert", up=False), '{"t":"guild_rank","name":"Bert","up":false}'),
    (GuildExpel("Bert"), '{"t":"guild_expel","name":"Bert"}'),
    (GuildLead("Bert"), '{"t":"guild_lead","name":"Bert"}'),
    (GuildNotice("Market day."), '{"t":"guild_notice","text":"Market day."}'),
    (GuildLeave(), '{"t":"guild_leave"}'),
    (GuildDisband(), '{"t":"guild_disband"}'),
    (GuildTieAsk("Millers"), '{"t":"guild_tie","name":"Millers"}'),
    (GuildTieAsk("ML", "end"), '{"t":"guild_tie","name":"ML","tie":"end"}'),
    (GuildGold(20), '{"t":"guild_gold","amount":20}'),
    (GuildGold(20, out=True), '{"t":"guild_gold","amount":20,"out":true}'),
    (Guild(), '{"t":"guild"}'),
    (
        Guild(
            *(3, "Weavers", "WV", "Market day.", 100, 20),
            (GuildMember(5, "Bert", 1, 3, True, "uo", 7, 101, 102), GuildMember(6, "Carla", 0, 1)),
            (GuildTie("Millers", "ML", "war", True, 103),),
            (GuildEntry(104, "Bert", "founded the guild"),),
            (GuildRank("recruit"), GuildRank("member", ("invite",))),
            opened=True,
        ),
        '{"t":"guild","number":3,"name":"Weavers","short":"WV","notice":"Market day.","founded":100,'
        '"gold":20,"members":[{"id":5,"name":"Bert","rank":1,"level":3,"online":true,"game":"uo","given":7,'
        '"joined":101,"seen":102},{"id":6,"name":"Carla","rank":0,"level":1}],'
        '"ties":[{"name":"Millers","short":"ML","bond":"war","ours":true,"since":103}],'
        '"log":[{"at":104,"who":"Bert","deed":"founded the guild"}],'
        '"ranks":[{"name":"recruit"},{"name":"member","rights":["invite"]}],"opened":true}',
    ),
    (
        GuildMemberChanged(GuildMember(5, "Rex", 2, 4, seen=9)),
        '{"t":"guild_member","member":{"id":5,"name":"Rex","rank":2,"level":4,"seen":9}}',
    ),
    (AskFriends(), '{"t":"friends"}'),
    (Befriend("Bert"), '{"t":"befriend","name":"Bert"}'),
    (Unfriend("Bert"), '{"t":"unfriend","name":"Bert"}'),
    (Ignore("Bert"), '{"t":"ignore","name":"Bert"}'),
    (Heed("Bert"), '{"t":"heed","name":"Bert"}'),
    (ReportPlayer("Bert", "Spits."), '{"t":"report","name":"Bert","text":"Spits."}'),
    (AskDuel(5), '{"t":"duel","id":5}'),
    (YieldDuel(), '{"t":"yield"}'),
    (Friends(), '{"t":"friends"}'),
    (
        Friends((Friend(5, "Bert", True, "uo"), Friend(6, "Carla")), (Ignored(7, "Dora"),)),
        '{"t":"friends","friends":[{"id":5,"name":"Bert","online":true,"game":"uo"},{"id":6,"name":"Carla"}],'
        '"ignored":[{"id":7,"name":"Dora"}]}',
    ),
    (
        FriendChanged(Friend(5, "Bert", True, "l2")),
        '{"t":"friend","friend":{"id":5,"name":"Bert","online":true,"game":"l2"}}',
    ),
    (
        FriendChanged(Friend(5, "Bert"), listed=False),
        '{"t":"friend","friend":{"id":5,"name":"Bert"},"listed":false}',
    ),
    (IgnoreChanged(Ignored(7, "Dora")), '{"t":"ignored","ignored":{"id":7,"name":"Dora"}}'),
    (
        IgnoreChanged(Ignored(7, "Dora"), listed=False),
        '{"t":"ignored","ignored":{"id":7,"name":"Dora"},"listed":false}',
    ),
    (DuelCounted(5, "Bert", 3), '{"t":"duel_count","id":5,"name":"Bert","seconds":3}'),
    (DuelOver(5, "Bert gives up.", won=True), '{"t":"duel_over","id":5,"why":"Bert gives up.","won":true}'),
    (DuelOver(5, "Over."), '{"t":"duel_over","id":5,"why":"Over."}'),
    (AskMail(), '{"t":"mail"}'),
    (ReadLetter(3), '{"t":"read_letter","id":3}'),
    (TakeLetter(3), '{"t":"take_letter","id":3}'),
    (RefuseLetter(3), '{"t":"refuse_letter","id":3}'),
    (DiscardLetter(3), '{"t":"discard_letter","id":3}'),
    (SendLetter("Bert", text="Hello"), '{"t":"send_letter","to":"Bert","text":"Hello"}'),
    (
        SendLetter("Bert", "Bread", "Eat.", (Enclosure(9, 3), Enclosure(8)), 20, 5),
        '{"t":"send_letter","to":"Bert","subject":"Bread","text":"Eat.","things":[{"id":9,"amount":3},{"id":8}],'
        '"gold":20,"price":5}',
    ),
    (Mail(), '{"t":"mail"}'),
    (
        Mail(
            (
                Letter(3, "Bert", "Bread", 100, "Eat.", 200, (LOAVES,), 5),
                Letter(4, "Carla", "(no subject)", 101, read=True),
            )
        ),
        '{"t":"mail","letters":[{"id":3,"sender":"Bert","subject":"Bread","at":100,"text":"Eat.","until":200,'
        '"parcel":[{"name":"bread loaf","look":{"figure":"loaf"},"amount":3}],"price":5},'
        '{"id":4,"sender":"Carla","subject":"(no subject)","at":101,"read":true}]}',
    ),
    (LetterSent("Bert"), '{"t":"letter_sent","to":"Bert"}'),
)
