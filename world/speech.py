"""Speech: saying things in all the ways there are, hearing them, and how much one character may say.

Players receive words as events, by distance; residents are called with them in the same turn, since what they
answer is the world's. A client that translates says what is meant beside the text, which only residents hear.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import attrs

from world import audience, presence
from world.events import Gestured, Said, Speech
from world.guild import Bond, Guild
from world.ignoring import check_heeded, ignores
from world.mobile import Access, Lines, Mobile
from world.pleas import Heard, Plea
from world.reach import Cannot, Refusal
from world.words import LONGEST as LONGEST
from world.words import clean as clean
from world.words import masked

if TYPE_CHECKING:
    import enum
    from collections.abc import Callable, Sequence

    from world.elsewhere import Person
    from world.mobile import Viewport
    from world.thing import Surroundings

log = logging.getLogger("world")

RANGES: Final = {Speech.SAY: 15, Speech.EMOTE: 15, Speech.WHISPER: 1, Speech.YELL: 18}
"""Tiles (Chebyshev) each way of speaking carries: ServUO's, Server/Mobile.cs DoSpeech."""


@attrs.frozen
class Limit:
    """Limit to the speech of one character: `lines` in `seconds`."""

    name: str
    lines: int
    seconds: float


NEAR: Final = Limit("near", 8, 10.0)
"""To those around."""

TO_ONE: Final = Limit("to one", 8, 10.0)
"""To single others, all together."""

TO_ALL: Final = Limit("to all", 3, 10.0)
"""To everybody."""

TO_COMPANY: Final = Limit("to company", 8, 10.0)
"""To one's party, guild and alliance, all together."""

NO_COMPANY: Final = {
    Speech.PARTY: Refusal.NO_PARTY,
    Speech.GUILD: Refusal.NO_GUILD,
    Speech.ALLIANCE: Refusal.NO_ALLIANCE,
}
"""Why somebody who has no such company is heard by nobody."""

HEALER: Final = "healer"
"""The role of those among the living who understand ghosts."""

GHOSTLY: Final = "OooO"
"""A ghost's word, as the living hear it."""

EMOTES: Final = frozenset(
    {
        *("happy", "depressed", "sad", "angry", "confused", "surprised", "love", "moon"),
        *("suicidal", "embarrassed", "drunk", "laugh", "bow", "salute"),
        *("wave", "dance", "kneel", "pose"),
    }
)
"""Gestures every game has a picture or a line for."""


def say(
    mobile: Mobile,
    text: str,
    how: Speech = Speech.SAY,
    *,
    hue: int = 0,
    font: int = 3,
    language: str = "ENU",
    meant: str = "",
) -> None:
    """Speak where others hear it, as far as `how` carries. What is left empty by `clean` is not said.
    `meant`: words that residents hear as well, where a client knows what its player's language means.

    Of a ghost's words the living hear no more than `GHOSTLY`, staff and healers excepted. Raises Cannot, if
    the speaker is gagged or speaks too fast.
    """
    text = fit(mobile.world, text)
    if not text or mobile.realm is None:
        return
    check_voice(mobile, NEAR)
    _note(mobile, how, text, near=True)
    world = mobile.world
    viewers = _heeding(mobile, audience.hearing(mobile, RANGES[how]))
    if not mobile.dead:
        world.events.append(Said(mobile, how, text, viewers, mobile.name, hue, font, language))
    else:
        for words, private in ((text, True), (ghostly(text), False)):
            ears = [viewport for viewport in viewers if understands(viewport.mobile) is private]
            said = Said(mobile, how, words, ears, mobile.name, hue, font, language, private)
            world.events.append(said)
    world.scripts.said(mobile, text)
    for listener in (
        [] if mobile.realm is None else mobile.realm.space.around(mobile.x, mobile.y, RANGES[how])
    ):
        hears = world.listeners.get(listener.serial)
        if hears is not None and isinstance(listener, Mobile) and listener is not mobile:
            clear = not mobile.dead or understands(listener)
            try:
                hears(mobile, f"{text} {meant}".rstrip() if clear else ghostly(text))
            except Exception:
                log.exception("%s cannot bear what it hears, and listens no more", listener.name)
                del world.listeners[listener.serial]


def _heeding(speaker: Mobile, viewers: list[Viewport]) -> list[Viewport]:
    """Those of some viewers who do not ignore a speaker."""
    if not speaker.world.lists.ignored:
        return viewers
    return [viewport for viewport in viewers if not ignores(viewport.mobile, speaker)]


def fit(world: Surroundings, text: str) -> str:
    """Typed words as others may read them."""
    return masked(clean(text), world.content.conduct.filtered)


def note_afar(
    world: Surroundings, speaker: Person, how: Speech, text: str, *, to: tuple[int, ...] = ()
) -> None:
    """Keep the words of a player of another world for a while, for reports."""
    world.heard.append(Heard(world.now, speaker.serial, speaker.name, how.value, text, "", 0, 0, to))


def _note(speaker: Mobile, how: Speech, text: str, *, near: bool = False, to: tuple[int, ...] = ()) -> None:
    """Keep a player's words for a while, for reports."""
    if not speaker.is_character:
        return
    realm = speaker.realm.name if near and speaker.realm is not None else ""
    line = Heard(
        speaker.world.now, speaker.serial, speaker.name, how.value, text, realm, speaker.x, speaker.y, to
    )
    speaker.world.heard.append(line)


def understands(hearer: Mobile) -> bool:
    """Whether a mobile understands ghosts: other ghosts do, healers and staff."""
    return hearer.dead or hearer.access > Access.PLAYER or hearer.has_role(HEALER)


def ghostly(text: str) -> str:
    """Replace a ghost's words by what the living hear: one `GHOSTLY` for each word, at most LONGEST
    characters."""
    return " ".join(GHOSTLY for _ in text.split())[:LONGEST]


def _told(hearer: Mobile | Person) -> None:
    """What a game does with it whose client shows its player's own words by itself."""


def tell(
    speaker: Mobile,
    name: str,
    text: str,
    told: Callable[[Mobile | Person], None] = _told,
    refused: Callable[[Cannot], None] | None = None,
) -> Mobile | Person:
    """Speak to one character alone, anywhere; returns who it is. `told` is called with that one when it has
    heard: at once, or later if it is in another world, which has to say so. Raises Cannot: NOBODY if it is
    not online; IGNORED, GAGGED or FLOODING. What another world says of these comes later: `refused` is called
    with it, and without one the speaker reads it as a line."""
    target = presence.hearer(speaker, name)
    if target is None or target.viewport is None:
        return _tell_afar(speaker, name, text, told, refused)
    text = confided(speaker, target, text)
    if text:
        speaker.world.events.append(Said(speaker, Speech.TELL, text, audience.one(target), speaker.name))
    told(target)
    return target


def _tell_afar(
    speaker: Mobile,
    name: str,
    text: str,
    told: Callable[[Mobile | Person], None],
    refused: Callable[[Cannot], None] | None,
) -> Person:
    """As `tell`, to somebody in another world."""
    person = presence.hearer_afar(speaker, name)
    if person is None:
        raise Cannot(Refusal.NOBODY)
    text = fit(speaker.world, text)
    if not text:
        told(person)
        return person

    def answered(why: str, words: str) -> None:
        if speaker.viewport is None:
            return
        if not why:
            told(person)
            return
        cannot = Cannot(Refusal.__members__.get(why, Refusal.NOBODY), words)
        if refused is not None:
            refused(cannot)
        else:
            notice(speaker, str(cannot), None if cannot.says_more else cannot.why)

    check_voice(speaker, TO_ONE)
    ways, answers = speaker.world.elsewhere.ways, speaker.heard_from == person.serial
    if not ways.to_one(presence.person_of(speaker), person, text, answered, answers=answers):
        raise Cannot(Refusal.NOBODY)
    _note(speaker, Speech.TELL, text, to=(person.serial,))
    return person


def confided(speaker: Mobile, target: Mobile, text: str) -> str:
    """Count words for one alone that a game shows in a way of its own; returns them as the other may read
    them. Raises Cannot: IGNORED, GAGGED or FLOODING."""
    check_heeded(target, speaker)
    text = fit(speaker.world, text)
    if text:
        check_voice(speaker, TO_ONE)
        target.heard_from = speaker.serial
        _note(speaker, Speech.TELL, text, to=(target.serial,))
    return text


def addressed(text: str) -> tuple[str, str]:
    """Split typed text into the name it begins with and the words behind that. A name with blanks stands in
    quotation marks."""
    text = text.strip()
    if text.startswith('"') and '"' in text[1:]:
        name, _, words = text[1:].partition('"')
    else:
        name, _, words = text.partition(" ")
    return name.strip(), words.strip()


def company(mobile: Mobile, kind: Speech) -> Sequence[Mobile] | None:
    """Return those of a mobile's party, guild or alliance that are in the world, itself included; None if it
    has none. Those of an alliance are all whose guilds are allied with its own."""
    if kind is Speech.PARTY and mobile.party is None:
        return None
    if kind is not Speech.PARTY and not _guilds(mobile, kind):
        return None
    found = map(mobile.world.mobiles.get, _members(mobile, kind))
    return [member for member in found if member is not None]


def _members(mobile: Mobile, kind: Speech) -> Sequence[int]:
    """Serials of all of a mobile's company, wherever they are."""
    if kind is Speech.PARTY:
        return [] if mobile.party is None else mobile.party.members
    return [serial for guild in _guilds(mobile, kind) for serial in guild.members]


def _guilds(mobile: Mobile, kind: Speech) -> Sequence[Guild]:
    """The guilds that a company is made of: none of a party, and none of an alliance with nobody."""
    guild = mobile.guild
    if guild is None or kind is Speech.PARTY:
        return []
    if kind is Speech.GUILD:
        return [guild]
    known = mobile.world.records.all(Guild)
    allies = [known[number] for number, tie in guild.ties.items() if tie.bond == Bond.ALLIED]
    return [guild, *allies] if allies else []


def to_company(mobile: Mobile, kind: Speech, text: str, *, hue: int = 0) -> None:
    """Speak to one's company (`kind` is PARTY, GUILD or ALLIANCE) wherever its members are, in a colour as in
    `say`. Like words for those nearby these reach the speaker, too. Raises Cannot: there is no company, or
    the speaker is gagged or speaks too fast."""
    members = company(mobile, kind)
    if members is None:
        raise Cannot(NO_COMPANY[kind])
    text = fit(mobile.world, text)
    if text:
        check_voice(mobile, TO_COMPANY)
        _note(mobile, kind, text, to=tuple(member.serial for member in members))
        ears = _heeding(mobile, audience.members(members))
        mobile.world.events.append(Said(mobile, kind, text, ears, mobile.name, hue))
        _to_company_afar(mobile, kind, text, hue)


def _to_company_afar(mobile: Mobile, kind: Speech, text: str, hue: int) -> None:
    """As `to_company`, to those who are in other worlds; only if anybody may be there."""
    world, members, guilds = mobile.world, _members(mobile, kind), _guilds(mobile, kind)
    there = [serial for serial in members if serial in world.elsewhere.people]
    if there:
        numbers = [guild.number for guild in guilds]
        speaker = presence.person_of(mobile)
        world.elsewhere.ways.to_company(speaker, kind.value, there, numbers, text, hue)


def to_all(world: Surroundings, text: str, *, speaker: Mobile | None = None, announce: bool = False) -> None:
    """Speak to everybody online: an announcement, or global chat of a speaker for those who listen to it.
    Raises Cannot: NO_STAFF for an announcement by a player; for a speaker who is gagged or speaks too
    fast."""
    text = clean(text) if speaker is None else fit(world, text)
    if not text:
        return
    if speaker is not None:
        if announce and speaker.access < Access.GAME_MASTER:
            raise Cannot(Refusal.NO_STAFF)
        check_voice(speaker, TO_ALL)
        _note(speaker, Speech.GLOBAL, text)
    if announce:
        how, ears = Speech.ANNOUNCE, audience.everybody(world)
    else:
        listening = (
            mobile
            for mobile in world.online()
            if mobile.hears_global and (speaker is None or not ignores(mobile, speaker))
        )
        how, ears = Speech.GLOBAL, audience.members(listening)
    ears = [viewport for viewport in ears if viewport.mobile is not speaker]
    world.events.append(Said(speaker, how, text, ears, speaker.name if speaker else "System"))
    if speaker is not None:
        world.elsewhere.ways.to_all(presence.person_of(speaker), text, announce=announce)


def to_staff(speaker: Mobile, text: str) -> str:
    """Speak to all staff; returns the line that the others read. Raises Cannot: the speaker is no staff."""
    if speaker.access == Access.PLAYER:
        raise Cannot(Refusal.NO_STAFF)
    text = clean(text)
    line = f"(staff) {speaker.name}: {text}"
    if text:
        for other in speaker.world.online():
            if other is not speaker and other.access > Access.PLAYER:
                notice(other, line)
    return line


def plead(mobile: Mobile, text: str, about: str = "") -> None:
    """Call for the staff, perhaps about another character. Staff online read it at once, the newest
    `pleas.KEPT` are kept for the others, and the player receives a confirmation. Raises Cannot: no words, or
    the speaker is gagged or speaks too fast."""
    text, about = clean(text), clean(about)
    if not text:
        raise Cannot(Refusal.NO_WORDS)
    check_voice(mobile, TO_ONE)
    plea = Plea(mobile.world.now, mobile.name, f"about {about}: {text}" if about else text)
    mobile.world.pleas.append(plea)
    staff = [other for other in mobile.world.online() if other.access > Access.PLAYER]
    for other in staff:
        notice(other, f"(help) {plea.who}: {plea.text}")
    notice(mobile, "The staff reads it now." if staff else "Nobody of the staff is here; they will read it.")


def listen_to_all(mobile: Mobile, wish: bool) -> None:
    """Set whether a player hears what is said to everybody (`to_all`, announcements excepted)."""
    mobile.hears_global = wish


def check_voice(mobile: Mobile, limit: Limit) -> None:
    """Count a line against a limit. Raises Cannot; a player who speaks too fast reads so once, until there is
    room for a line again. Residents and staff speak as they like."""
    if mobile.is_character and mobile.access == Access.PLAYER:
        now = mobile.world.now
        if mobile.world.gags.get(mobile.account, now) > now:
            raise Cannot(Refusal.GAGGED)
    check_pace(mobile, limit)


def check_pace(mobile: Mobile, limit: Limit, why: Refusal = Refusal.FLOODING) -> None:
    """Count something that reaches others against a limit. Raises Cannot(`why`) as `check_voice` does, for
    the gagged as for anybody."""
    if not mobile.is_character or mobile.access > Access.PLAYER:
        return
    now = mobile.world.now
    if mobile.spoken is None:
        mobile.spoken = {}
    lines = mobile.spoken.setdefault(limit.name, Lines())
    times = lines.times
    while times and times[0] <= now - limit.seconds:
        times.popleft()
    if len(times) >= limit.lines:
        told, lines.told = lines.told, True
        raise Cannot(why, told=told)
    times.append(now)
    lines.told = False


def or_tell(mobile: Mobile, deed: Callable[[], object]) -> None:
    """Do something that was agreed to in a dialog, or tell why not."""
    try:
        deed()
    except Cannot as cannot:
        notice(mobile, str(cannot))


def notice(mobile: Mobile, text: str, means: enum.Enum | None = None) -> None:
    """Send a line from the server to one player; `means` as in `Said`."""
    if mobile.viewport is not None:
        mobile.world.events.append(Said(None, Speech.SYSTEM, text, audience.one(mobile), means=means))


def gesture(mobile: Mobile, name: str) -> None:
    """Make one of `EMOTES`. Raises Cannot: ghosts make none; UNKNOWN for any other gesture."""
    if mobile.dead:
        raise Cannot(Refusal.DEAD)
    if name not in EMOTES:
        raise Cannot(Refusal.UNKNOWN)
    if mobile.realm is not None:
        mobile.world.events.append(Gestured(mobile, name, audience.in_sight(mobile)))
