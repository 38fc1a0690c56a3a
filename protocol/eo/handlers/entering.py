"""From the character menu into the world, and from one place of it to another.

A client must know whose character it is and have the map and the lists before it enters; the server learns
only when the character is read where it stands. So Welcome_Reply names the map where newcomers start, and a
character that stands elsewhere is warped there with its first packets, as any warp would do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    Coords,
    LoginMessageCode,
    ServerSettings,
    WarpAcceptClientPacket,
    WarpAgreeServerPacket,
    WarpEffect,
    WarpTakeClientPacket,
    WarpType,
    WelcomeAgreeClientPacket,
    WelcomeCode,
    WelcomeMsgClientPacket,
    WelcomeReplyServerPacket,
    WelcomeRequestClientPacket,
)

from protocol.denials import Denied
from protocol.endings import Ending, Refused, WireError
from protocol.eo.belongings import settle
from protocol.eo.downloads import WarpRequest
from protocol.eo.figures import NAMING, NO_GUILD_TAG
from protocol.eo.guilds import NUMBERS, known_at_login
from protocol.eo.handlers.characters import MOST_SHOWN, account_of
from protocol.eo.handlers.table import TABLE
from protocol.eo.session import Belongings
from protocol.eo.sheets import growth_of, growth_reply
from protocol.eo.status import (
    CLASS_ID,
    admin_level,
    recover_list,
    recover_player,
    weight,
    welcome_stats,
)
from protocol.eo.view import Audience, EoView
from protocol.eo.words import line
from protocol.session import Phase
from world import motion
from world.events import YOU_DIED, Why
from world.guild_hall import RANK_NAMES
from world.knowledge import around
from world.mobile import Posture

if TYPE_CHECKING:
    from eolib import NearbyInfo, Packet

    from protocol.eo.session import EoSession
    from protocol.services import CharacterInfo
    from world.mobile import Mobile

NEWS_LINES: Final = 9

_BUSY: Final = WelcomeReplyServerPacket(welcome_code=WelcomeCode.ServerBusy)


@TABLE.on(WelcomeRequestClientPacket, during=frozenset({Phase.MENU, Phase.ENTERING}))
async def select_character(session: EoSession, packet: WelcomeRequestClientPacket) -> None:
    """Welcome_Request: this character. The answer says which files the client must have."""
    characters = (await session.services.characters.all(account_of(session)))[:MOST_SHOWN]
    info = next((info for info in characters if info.serial == packet.character_id), None)
    map_id = EoView.of(session).figures.looks.maps.get(session.services.content.start_realm)
    if info is None or map_id is None:
        session.send(_BUSY)
        return
    session.selected = info
    session.map_id = map_id
    downloads = EoView.of(session).downloads
    session.dialect = downloads.lists  # it asks for them now
    session.map_rid = downloads.maps[map_id].rid
    session.phase = Phase.ENTERING
    session.growth = growth_of(info.character)
    session.guild = known_at_login(info.character.world, info.serial)
    session.send(_selected(session, info))


def _selected(session: EoSession, info: CharacterInfo) -> WelcomeReplyServerPacket:
    view = EoView.of(session)
    downloads = view.downloads
    file, guild = downloads.maps[session.map_id], session.guild
    return WelcomeReplyServerPacket(
        welcome_code=WelcomeCode.SelectCharacter,
        welcome_code_data=WelcomeReplyServerPacket.WelcomeCodeDataSelectCharacter(
            # EndlessClient takes this number for its player id, and eoserv sends that.
            session_id=session.player_id,
            character_id=info.serial,
            map_id=session.map_id,
            map_rid=file.rid,
            map_file_size=file.size,
            eif_rid=downloads.items.rid,
            eif_length=downloads.items.count,
            enf_rid=downloads.npcs.rid,
            enf_length=downloads.npcs.count,
            esf_rid=downloads.spells.rid,
            esf_length=downloads.spells.count,
            ecf_rid=downloads.classes.rid,
            ecf_length=downloads.classes.count,
            name=NAMING.of(info.character).lower(),
            title="",
            guild_name="" if guild is None else guild.name,
            guild_rank_name="" if guild is None else RANK_NAMES[guild.rank],
            class_id=CLASS_ID,
            guild_tag=NO_GUILD_TAG if guild is None else f"{guild.tag:3.3}",
            admin=admin_level(info.access),
            level=session.growth.level,
            experience=session.growth.experience,
            usage=0,
            stats=welcome_stats(info),
            equipment=view.figures.equipment_welcome(info),
            guild_rank=0 if guild is None else NUMBERS[guild.rank],
            settings=ServerSettings(
                jail_map=0,
                rescue_map=0,
                rescue_coords=Coords(x=0, y=0),
                spy_and_light_guide_flood_rate=0,
                guardian_flood_rate=0,
                game_master_flood_rate=0,
                high_game_master_flood_rate=0,
            ),
            login_message_code=LoginMessageCode.No,
        ),
    )


@TABLE.on(WelcomeAgreeClientPacket, during=Phase.ENTERING)
async def send_file(session: EoSession, packet: WelcomeAgreeClientPacket) -> None:
    """Welcome_Agree: the client's copy of a file is missing or old. Raises WireError for another session's
    number, or if there is no such file for this client."""
    if packet.session_id != session.player_id:
        raise WireError(f"Welcome_Agree with session {packet.session_id}")
    downloads = EoView.of(session).downloads
    wanted = packet.file_type_data
    if isinstance(wanted, WelcomeAgreeClientPacket.FileTypeDataEmf):
        # Any client may see any map, but only the one it was told of does it need.
        body = downloads.map(session.map_id) if wanted.file_id == session.map_id else None
    else:
        body = downloads.pub(packet.file_type, wanted.file_id) if wanted is not None else None
    if body is None:
        raise WireError(f"there is no file {packet.file_type!r} for this client")
    session.queue(body)


@TABLE.on(WelcomeMsgClientPacket, during=Phase.ENTERING)
async def enter(session: EoSession, packet: WelcomeMsgClientPacket) -> None:
    """Welcome_Msg: all files are there. Raises WireError for another session's number or another character,
    Refused if the world denies it."""
    info = session.selected
    if info is None or packet.session_id != session.player_id or packet.character_id != info.serial:
        raise WireError(f"Welcome_Msg for character {packet.character_id}, session {packet.session_id}")
    try:
        await session.services.characters.enter(session, info.serial, lambda mobile: welcome(session, mobile))
    except Denied as denied:
        raise Refused(str(denied), _BUSY) from denied


def welcome(session: EoSession, mobile: Mobile) -> None:
    """The character stands in the world: tell its client everything about it and what is around it."""
    view = EoView.of(session)
    figures = view.figures
    here = figures.map_id(mobile)
    if not here:
        session.end(Ending.REFUSED, f"{mobile.name} stands where Endless Online has no map")
        return
    _take_number(session, mobile)
    motion.halt(mobile)
    session.phase = Phase.IN_WORLD
    session.on_chair = mobile.posture == Posture.CHAIR
    stones = weight(mobile)
    worn = figures.chosen_ids(session.selected) if session.selected is not None else {}
    session.belongings = Belongings(figures.amounts(mobile), worn, stones.current)
    session.send(
        WelcomeReplyServerPacket(
            welcome_code=WelcomeCode.EnterGame,
            welcome_code_data=WelcomeReplyServerPacket.WelcomeCodeDataEnterGame(
                news=[f"Welcome to {session.services.server_name}!"] + [""] * (NEWS_LINES - 1),
                weight=stones,
                items=figures.inventory(mobile),
                spells=[],
                nearby=_nearby(session, mobile) if here == session.map_id else figures.nearby(mobile, ()),
            ),
        ),
        *_sheet(session, mobile),
    )
    settle(session, figures)  # what it wears was told when it was chosen
    if mobile.dead:
        session.queue(*line(YOU_DIED))
    session.queue(*view.downloads.renewal(session))  # of what was renewed while it loaded
    if here != session.map_id:
        session.loading = True
        session.queue(WarpRequest(view.downloads, here))


def _nearby(session: EoSession, mobile: Mobile) -> NearbyInfo:
    """The newcomer, and everybody and everything in its sight, as original servers tell it: eoweb draws what
    comes with the arrival, and what follows it at once only when it looks anew. The client knows all that
    from here on; what has no room in the packet the turn shows."""
    seen = around(session.viewport, mobile.world.crowd) if session.viewport is not None else []
    nearby, others = EoView.of(session).figures.surroundings(mobile, seen, known=session.dialect)
    session.known.learn(seen)
    for thing in others:
        del session.known[thing.serial]
    return nearby


def _sheet(session: EoSession, mobile: Mobile) -> list[Packet]:
    """A character's own numbers, the bars last: eoweb draws them as a part of what they can be, and redraws
    all with them."""
    return [
        growth_reply(session, mobile),
        recover_list(mobile),
        recover_player(mobile),
    ]


def _take_number(session: EoSession, mobile: Mobile) -> None:
    """A character that others see already, because it was played elsewhere, changes its number before their
    eyes."""
    view = EoView.of(session)
    hidden = view.hide(mobile, Why.LEFT, Audience.OTHER, None)
    if view.figures.ids.players.play(session.player_id, mobile) is None:
        return
    shown = view.show(mobile, Audience.OTHER, None)
    for viewer in view.clients.values():
        if viewer is not session and mobile.serial in viewer.known:
            viewer.queue(*hidden, *shown)


def lend_number(session: EoSession, mobile: Mobile) -> None:
    """Let a character that comes from another world have the number that its client knows it by. Whoever has
    that here changes it before the eyes of all that see it."""
    view = EoView.of(session)
    players = view.figures.ids.players
    other = players.thing(session.player_id)
    if other is None or other is mobile:
        players.play(session.player_id, mobile)
        return
    hidden = view.hide(other, Why.LEFT, Audience.OTHER, None)
    players.play(session.player_id, mobile)
    shown = view.show(other, Audience.OTHER, None)
    for viewer in view.clients.values():
        if other.serial in viewer.known:
            viewer.queue(*hidden, *shown)


@TABLE.on(WarpTakeClientPacket, during=Phase.IN_WORLD)
def send_map(session: EoSession, packet: WarpTakeClientPacket) -> None:
    """Warp_Take: the client does not have the map it is to go to."""
    warp = session.warp
    if warp is not None and packet.session_id == warp.token and packet.map_id == warp.map_id:
        body = EoView.of(session).downloads.warp_map(warp.map_id)
        if body is not None:
            session.queue(body)


@TABLE.on(WarpAcceptClientPacket, during=Phase.IN_WORLD)
def arrive(session: EoSession, packet: WarpAcceptClientPacket) -> None:
    """Warp_Accept: the client has loaded the other place."""
    warp, mobile = session.warp, session.mobile
    if warp is None or mobile is None or (packet.session_id, packet.map_id) != (warp.token, warp.map_id):
        return
    view = EoView.of(session)
    figures = view.figures
    here = figures.map_id(mobile)
    if here != warp.map_id:  # warped on while the client was loading
        if here:
            session.queue(WarpRequest(view.downloads, here))
        return
    kind, data = WarpType.Local, None
    if here != session.map_id:
        kind = WarpType.MapSwitch
        data = WarpAgreeServerPacket.WarpTypeDataMapSwitch(map_id=here, warp_effect=WarpEffect.None_)
    motion.halt(mobile)  # steps from before would start from elsewhere
    session.warp = None
    session.map_id, session.map_rid = here, warp.rid
    session.loading = False
    session.blind = True
    session.send(WarpAgreeServerPacket(warp_type=kind, warp_type_data=data, nearby=_nearby(session, mobile)))
    session.queue(*view.downloads.renewal(session))
    settle(session, figures)  # what was given to it meanwhile, and what became of it
    session.send(*_sheet(session, mobile))
