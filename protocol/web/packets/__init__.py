"""Everything the web client and the server say to each other, both ways: one line of JSON each.

A client comes with a name and a password (`Login`) or with the key that its page was given (`Ticket`),
chooses or makes a character, enters, and is from then on told what its character sees. The live map
(`server.web.livemap`) sends the same `Realm`, `Show`, `Hide`, `Change`, `Say`, `Gesture` and `Time` to
whoever only watches, and `Moves` for all that went anywhere since the last time.

Numbers: x and y are tiles, headings 0 (north) to 7 (north west) clockwise, colours "#rrggbb", `id` is the
serial of a thing. What a message leaves out has the value that its declaration gives here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.web.packets.counters import (
    Bank,
    Buy,
    CounterClosed,
    Depart,
    Deposit,
    Sell,
    Shop,
    Withdraw,
)
from protocol.web.packets.dialogs import Answer, Ask, Close
from protocol.web.packets.entering import Enter, Entered, Goodbye, HasLeft, Leave, Ping, Pong, Realm
from protocol.web.packets.fighting import (
    Advanced,
    Attack,
    Disengaged,
    Engaged,
    Gained,
    Lock,
    Mended,
    Practised,
    Skills,
    Spend,
    Stop,
    Struck,
    Town,
)
from protocol.web.packets.guilds import (
    AskGuild,
    Guild,
    GuildDisband,
    GuildExpel,
    GuildGold,
    GuildInvite,
    GuildLead,
    GuildLeave,
    GuildMemberChanged,
    GuildNotice,
    GuildPromote,
    GuildTieAsk,
)
from protocol.web.packets.login import (
    Account,
    Characters,
    Create,
    Delete,
    Denied,
    List,
    Login,
    Register,
    Ticket,
    Welcome,
)
from protocol.web.packets.mail import (
    AskMail,
    DiscardLetter,
    LetterSent,
    Mail,
    ReadLetter,
    RefuseLetter,
    SendLetter,
    TakeLetter,
)
from protocol.web.packets.motion import FindWay, Move, Moves, Place, Sit, Turn, Turned, Walk, Walked, Way
from protocol.web.packets.parties import AskParty, Expel, Invite, Lead, LeaveParty, Loot, Party, Stirred
from protocol.web.packets.people import Change, Died, Hide, Look, Read, Revived, Seen, Show
from protocol.web.packets.quests import AskQuests, GiveUp, Journal, Marks, Quest
from protocol.web.packets.social import (
    AskDuel,
    AskFriends,
    Befriend,
    DuelCounted,
    DuelOver,
    FriendChanged,
    Friends,
    Heed,
    Ignore,
    IgnoreChanged,
    ReportPlayer,
    Unfriend,
    YieldDuel,
)
from protocol.web.packets.status import Counts, Event, Sheet, Time, Weather
from protocol.web.packets.talk import Gestured, MakeGesture, Say, Speak
from protocol.web.packets.things import Belongings, Content, Drop, Take, TakeAll, Unwear, Use, Wear
from protocol.web.packets.trading import (
    Agree,
    AskTrade,
    Bargain,
    BargainOver,
    EndTrade,
    OfferGold,
    OfferThing,
    Retract,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.web.packets.base import Message

CLIENT_PACKETS: Final[Sequence[type[Message]]] = (
    *(Login, Register, Ticket, List, Create, Delete, Enter, Leave, Walk, FindWay, Turn, Sit, Speak, Look),
    *(MakeGesture, Use, Read, Answer, Take, TakeAll, Drop, Wear, Unwear, Attack, Stop, Spend, Lock, Town),
    *(Buy, Sell, Deposit, Withdraw, Depart, AskQuests, GiveUp),
    *(AskTrade, OfferThing, OfferGold, Retract, Agree, EndTrade),
    *(AskParty, Invite, LeaveParty, Expel, Lead, Loot),
    *(AskGuild, GuildInvite, GuildPromote, GuildExpel, GuildLead, GuildNotice, GuildLeave, GuildDisband),
    *(GuildTieAsk, GuildGold, AskFriends, Befriend, Unfriend, Ignore, Heed, ReportPlayer, AskDuel, YieldDuel),
    *(AskMail, ReadLetter, TakeLetter, RefuseLetter, DiscardLetter, SendLetter),
    Ping,
)
SERVER_PACKETS: Final[Sequence[type[Message]]] = (
    *(Welcome, Denied, Account, Characters, Entered, HasLeft, Realm, Show, Change, Hide, Move, Moves, Place),
    *(Turned, Walked, Way, Say, Gestured, Died, Revived, Time, Weather, Sheet, Belongings, Content, Seen),
    *(Ask, Close, Shop, Bank, CounterClosed, Journal, Quest, Marks, Bargain, BargainOver, Party, Stirred),
    *(Guild, GuildMemberChanged, Friends, FriendChanged, IgnoreChanged, DuelCounted, DuelOver),
    *(Mail, LetterSent),
    *(Pong, Goodbye, Counts, Event, Struck, Engaged, Disengaged, Gained, Advanced, Practised, Mended, Skills),
)
PACKETS_BY_NAME: Final[Mapping[str, type[Message]]] = {kind.tag: kind for kind in CLIENT_PACKETS}
"""A client's packets, by name."""
