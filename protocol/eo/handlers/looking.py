"""Asking what is there: surroundings, lists, papers."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from eolib import (
    BookReplyServerPacket,
    BookRequestClientPacket,
    InitInitServerPacket,
    InitReply,
    NearbyInfo,
    NpcAgreeServerPacket,
    NpcRangeRequestClientPacket,
    PaperdollReplyServerPacket,
    PaperdollRequestClientPacket,
    PlayerRangeRequestClientPacket,
    PlayersAcceptClientPacket,
    PlayersAgreeServerPacket,
    PlayersList,
    PlayersListClientPacket,
    PlayersListFriends,
    PlayersNet242ServerPacket,
    PlayersPingServerPacket,
    PlayersPongServerPacket,
    PlayersRequestClientPacket,
    QuestListClientPacket,
    RangeReplyServerPacket,
    RangeRequestClientPacket,
    RefreshRequestClientPacket,
)

from protocol.dispatch import Interval
from protocol.eo import journals
from protocol.eo.figures import FAR, NAMING, distance
from protocol.eo.handlers.motion import resync
from protocol.eo.handlers.table import TABLE
from protocol.eo.packets.base import SHORT_MAX
from protocol.eo.status import icon
from protocol.eo.view import EoView
from protocol.session import Phase
from world import presence
from world.elsewhere import Person
from world.mobile import Access
from world.reach import Refusal
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.eo.session import EoSession
    from world.mobile import Mobile

T = TypeVar("T")

ASKING_SECONDS: Final = 1.0
"""Between two of those questions that cost by the crowd or that no player asks faster (sorokya/reoserv); the
client waits for an answer to none of them."""

MOST_ASKED: Final = 64
"""Players, and NPCs, that one request may name: a client asks for the few that it was not told of."""

_LIST_HEAD: Final = 16
"""More than what stands before the first line of a list."""


@TABLE.while_playing(RefreshRequestClientPacket, every=Interval(0.2, coalesced=True))
def refresh(session: EoSession, mobile: Mobile, packet: RefreshRequestClientPacket) -> None:
    """Refresh_Request: the player pressed F11, or the client lost its way."""
    resync(session)


@TABLE.while_playing(RangeRequestClientPacket)
def show_things(session: EoSession, mobile: Mobile, packet: RangeRequestClientPacket) -> None:
    """Range_Request: players and NPCs that the client has no picture of. eoweb sends it empty after each
    step."""
    players = known_players(session, packet.player_ids)
    npcs = known_npcs(session, packet.npc_indexes)
    if players or npcs:
        view = EoView.of(session)
        nearby, others = view.figures.surroundings(
            mobile, players + npcs, with_viewer=False, known=session.dialect
        )
        session.send(RangeReplyServerPacket(nearby=nearby))
        for other in others:
            session.queue(*view.show(other, view.audience(session, other), session.dialect))


@TABLE.on(PlayerRangeRequestClientPacket, during=Phase.IN_WORLD)
def show_players(session: EoSession, packet: PlayerRangeRequestClientPacket) -> None:
    """PlayerRange_Request: the same for players."""
    players = known_players(session, packet.player_ids)
    if players:
        characters = [EoView.of(session).figures.character(mobile) for mobile in players]
        session.send(PlayersAgreeServerPacket(nearby=NearbyInfo(characters=characters, npcs=[], items=[])))


@TABLE.on(NpcRangeRequestClientPacket, during=Phase.IN_WORLD)
def show_npcs(session: EoSession, packet: NpcRangeRequestClientPacket) -> None:
    """NpcRange_Request: the same for NPCs, whose indexes are no more than the answer can count."""
    npcs = known_npcs(session, packet.npc_indexes)
    if npcs:
        session.send(
            NpcAgreeServerPacket(
                npcs=[EoView.of(session).figures.npc(mobile, session.dialect) for mobile in npcs]
            )
        )


def known_player(session: EoSession, number: int) -> Mobile | None:
    """The character of that number, if this client may know of it: its own, or one in sight."""
    mobile = EoView.of(session).figures.ids.players.thing(number)
    if mobile is not None and (mobile is session.mobile or mobile.serial in session.known):
        return mobile
    return None


def known_npc(session: EoSession, index: int) -> Mobile | None:
    """The NPC of that index, if it is in sight."""
    mobile = session.mobile
    if mobile is None or mobile.realm is None:
        return None
    npc = EoView.of(session).figures.ids.npcs(mobile.realm).thing(index)
    return npc if npc is not None and npc.serial in session.known else None


def known_players(session: EoSession, numbers: Iterable[int]) -> list[Mobile]:
    """Of the first `MOST_ASKED` different numbers those that this client may know of."""
    found = (known_player(session, number) for number in islice(dict.fromkeys(numbers), MOST_ASKED))
    return [mobile for mobile in found if mobile is not None]


def known_npcs(session: EoSession, indexes: Iterable[int]) -> list[Mobile]:
    """Of the first `MOST_ASKED` different indexes those that are in sight."""
    found = (known_npc(session, index) for index in islice(dict.fromkeys(indexes), MOST_ASKED))
    return [mobile for mobile in found if mobile is not None]


@TABLE.on(PlayersRequestClientPacket, during=Phase.IN_WORLD, every=Interval(ASKING_SECONDS, coalesced=True))
def list_online(session: EoSession, packet: PlayersRequestClientPacket) -> None:
    """Players_Request: who is online, with titles."""
    figures = EoView.of(session).figures
    lines = [(who, figures.online(who)) for who in _all_listed(session)]
    # Level, mark, class, guild tag and three breaks are nine bytes.
    players = _fitting(session, [(who, line, len(line.name) + len(line.title) + 9) for who, line in lines])
    data = InitInitServerPacket.ReplyCodeDataPlayersList(players_list=PlayersList(players=players))
    session.send(InitInitServerPacket(reply_code=InitReply.PlayersList, reply_code_data=data))


@TABLE.on(PlayersListClientPacket, during=Phase.IN_WORLD, every=Interval(ASKING_SECONDS, coalesced=True))
def list_names(session: EoSession, packet: PlayersListClientPacket) -> None:
    """Players_List: who is online, by name, to mark friends."""
    lines = [(who, NAMING.of(who).lower()) for who in _all_listed(session)]
    players = _fitting(session, [(who, name, len(name) + 1) for who, name in lines])
    names = PlayersListFriends(players=players)
    data = InitInitServerPacket.ReplyCodeDataPlayersListFriends(players_list=names)
    session.send(InitInitServerPacket(reply_code=InitReply.PlayersListFriends, reply_code_data=data))


def _all_listed(session: EoSession) -> list[Mobile | Person]:
    """Who is online, in this world and in others, as far as a player may hear."""
    here = [mobile for mobile in session.services.online() if _listed(session, mobile)]
    return [*here, *(() if session.mobile is None else presence.listed_afar(session.mobile))]


def _listed(session: EoSession, mobile: Mobile) -> bool:
    """Whether a player may hear that somebody is online: who hides does so from all but staff."""
    viewer = session.mobile
    return not mobile.hidden or mobile is viewer or (viewer is not None and viewer.access >= Access.COUNSELOR)


def _fitting(session: EoSession, lines: list[tuple[Mobile | Person, T, int]]) -> list[T]:
    """Of lines of a list (whose it is, what it says, bytes) those that fit into one packet: all, or one's own
    and those of the nearest."""
    room, viewer = SHORT_MAX - _LIST_HEAD, session.mobile
    if sum(size for _, _, size in lines) > room and viewer is not None:
        lines = sorted(lines, key=lambda line: (line[0] is not viewer, _distance(viewer, line[0])))
    fitting = []
    for _, line, size in lines:
        room -= size
        if room < 0:
            break
        fitting.append(line)
    return fitting


def _distance(viewer: Mobile, who: Mobile | Person) -> int:
    return FAR if isinstance(who, Person) else distance(viewer, who)


@TABLE.while_playing(PlayersAcceptClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def find(session: EoSession, mobile: Mobile, packet: PlayersAcceptClientPacket) -> None:
    """Players_Accept, the client's #find: is that character online, and on this map?"""
    other = presence.by_name(mobile, packet.name)
    afar = mobile.world.elsewhere.find(packet.name) if other is None else None
    if afar is not None and afar in presence.listed_afar(mobile):
        session.send(PlayersNet242ServerPacket(name=packet.name))
    elif other is None or not _listed(session, other):
        session.send(PlayersPingServerPacket(name=packet.name))
    elif other.realm is mobile.realm:
        session.send(PlayersPongServerPacket(name=packet.name))
    else:
        session.send(PlayersNet242ServerPacket(name=packet.name))


def _subject(session: EoSession, number: int) -> Mobile | None:
    """The mobile a player wants to read about; its player is told so if that is nobody in sight."""
    other, mobile = known_player(session, number), session.playing
    if other is None and mobile is not None:
        notice(mobile, Refusal.UNSEEN.value)
    return other


@TABLE.while_playing(QuestListClientPacket, every=Interval(ASKING_SECONDS, burst=3))
def list_quests(session: EoSession, mobile: Mobile, packet: QuestListClientPacket) -> None:
    """Quest_List: what one is about, or has done. No words beside it: eoweb asks after every answer to a
    dialog."""
    session.send(journals.page(mobile, packet.page))


@TABLE.on(PaperdollRequestClientPacket, during=Phase.IN_WORLD, every=Interval(ASKING_SECONDS, burst=3))
def show_paperdoll(session: EoSession, packet: PaperdollRequestClientPacket) -> None:
    """Paperdoll_Request: what somebody wears."""
    other, figures = _subject(session, packet.player_id), EoView.of(session).figures
    if other is not None:
        session.send(
            PaperdollReplyServerPacket(
                details=figures.details(other),
                equipment=figures.equipment_paperdoll(other),
                icon=icon(other),
            )
        )


@TABLE.on(BookRequestClientPacket, during=Phase.IN_WORLD, every=Interval(ASKING_SECONDS, burst=3))
def show_book(session: EoSession, packet: BookRequestClientPacket) -> None:
    """Book_Request: who somebody is, and what was achieved."""
    other, figures = _subject(session, packet.player_id), EoView.of(session).figures
    if other is not None:
        session.send(
            BookReplyServerPacket(
                details=figures.details(other),
                icon=icon(other),
                quest_names=journals.finished(other),
            )
        )
