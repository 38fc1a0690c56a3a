"""Conduct: silence and jail for those who spoil it for others, and reports of players about them.

A sentence is a record with an end in seconds UTC, so that it holds for those who are away, through a restart
and for a new character of the same account (of jail: for that character). Whoever is silenced says nothing
nearby, to others or to everybody (`world.speech`). Whoever is in jail is brought back there if it is found
elsewhere, which is looked at every second; walls alone would not do, as staff may choose any place. When its
time is over it is where it was before.

A report is a call for the staff (`speech.plead`) that is kept until somebody has dealt with it, with what was
said around the reporter last: nobody has to believe anybody's screenshot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import speech
from world.reach import Cannot, Refusal
from world.sentence import Penalty, Report, Sentence
from world.timers import cancel_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.directory import Known
    from world.mobile import Mobile
    from world.pleas import Heard
    from world.thing import Surroundings

LOOKS: Final = 1.0
"""Seconds between two looks whether somebody is where it has to be."""

SWEEPS: Final = 60.0
"""Seconds between two looks for sentences that are over."""

LINES: Final = 100
"""Lines that a report shows."""

EARSHOT: Final = 18
"""Tiles around the reporter from which they come: those of a yell."""

MOST_REPORTS: Final = 500
"""Reports that are kept; the oldest goes."""

MOST_OF_ONE: Final = 10
"""Of these by one character: nobody makes so many that those of others go."""

MANY_REPORTS: Final = "You have reported enough for now: the staff reads it."

MINUTE: Final = 60.0


def now_of(world: Surroundings) -> float:
    """The time in seconds UTC."""
    return world.now + world.epoch


def settle(world: Surroundings) -> None:
    """Let stored sentences hold again, when the world begins."""
    _sweep(world)
    _watch(world)


def arrived(mobile: Mobile) -> None:
    """Tell a player who comes in what it serves; a moment later, when its client knows where it is, it is
    taken to where it has to be."""
    sentence = sentence_of(mobile.world, Penalty.MUTE, mobile.serial, mobile.account)
    if sentence is not None:
        speech.notice(mobile, _told(mobile.world, sentence))
    sentence = _jailed(mobile.world, mobile.serial)
    if sentence is not None:
        if sentence.until > now_of(mobile.world):
            speech.notice(mobile, _told(mobile.world, sentence))
        _confine(mobile, sentence)


# Sentences


def sentences(world: Surroundings) -> Sequence[Sentence]:
    """All that are served now."""
    now = now_of(world)
    return [one for one in world.records.all(Sentence).values() if one.until > now]


def sentence_of(world: Surroundings, penalty: Penalty, character: int, account: int = 0) -> Sentence | None:
    """The sentence of that kind that a character serves, or its account."""
    for one in sentences(world):
        mine = one.account == account != 0 if penalty is Penalty.MUTE else one.character == character
        if one.penalty == penalty and mine:
            return one
    return None


def mute(world: Surroundings, known: Known, seconds: float, reason: str = "", by: str = "") -> Sentence:
    """Silence all characters of somebody's account; a sentence before this one counts no more."""
    _end(world, sentence_of(world, Penalty.MUTE, known.serial, known.account))
    sentence = _add(world, Penalty.MUTE, known, seconds, reason, by)
    world.gags[known.account] = world.now + seconds
    for mobile in world.online():
        if mobile.account == known.account:
            speech.notice(mobile, _told(world, sentence))
    return sentence


def unmute(world: Surroundings, known: Known) -> Sentence:
    """Let an account speak again; returns the sentence that it served. Raises Cannot(NO_SENTENCE)."""
    sentence = sentence_of(world, Penalty.MUTE, known.serial, known.account)
    if sentence is None:
        raise Cannot(Refusal.NO_SENTENCE)
    _end(world, sentence)
    for mobile in world.online():
        if mobile.account == known.account:
            speech.notice(mobile, "You may speak again.")
    return sentence


def jail(world: Surroundings, known: Known, seconds: float, reason: str = "", by: str = "") -> Sentence:
    """Put a character into jail, or keep it there for another time; one that is away finds itself there when
    it comes. Raises Cannot(NO_JAIL) if the content names none."""
    _cell(world)
    before = _jailed(world, known.serial)
    sentence = _add(world, Penalty.JAIL, known, seconds, reason, by)
    if before is not None:
        sentence.realm, sentence.x, sentence.y = before.realm, before.x, before.y
        _end(world, before)
    mobile = world.mobiles.get(known.serial)
    if mobile is not None:
        speech.notice(mobile, _told(world, sentence))
        _confine(mobile, sentence)
        _hold(mobile, sentence)
    return sentence


def unjail(world: Surroundings, known: Known) -> Sentence:
    """Let a character out of jail; returns the sentence that it served. Raises Cannot(NO_SENTENCE)."""
    sentence = sentence_of(world, Penalty.JAIL, known.serial)
    if sentence is None:
        raise Cannot(Refusal.NO_SENTENCE)
    # One that is away is put back where it was when it comes in.
    sentence.until = now_of(world)
    mobile = world.mobiles.get(known.serial)
    if mobile is not None:
        _release(mobile, sentence)
    return sentence


def _add(
    world: Surroundings, penalty: Penalty, known: Known, seconds: float, reason: str, by: str
) -> Sentence:
    until = now_of(world) + seconds
    sentence = Sentence(penalty.value, known.account, known.serial, known.name, until, reason, by)
    world.records.add(sentence)
    _watch(world)
    return sentence


def _end(world: Surroundings, sentence: Sentence | None) -> None:
    if sentence is None:
        return
    world.records.delete(sentence)
    if sentence.penalty == Penalty.MUTE:
        world.gags.pop(sentence.account, None)


def _watch(world: Surroundings) -> None:
    """Look for sentences that are over from now on, as long as there are any."""
    looks = world.records.looks(Sentence)
    if looks.timers is None and world.records.all(Sentence):
        world.timers.every(SWEEPS, _sweep, world, owner=looks)


def _sweep(world: Surroundings) -> None:
    """Forget the sentences that are over, and let the others hold. One of somebody who was in jail and is
    away is needed until it comes, if it still may: it says where it was before."""
    now = now_of(world)
    for sentence in list(world.records.all(Sentence).values()):
        if sentence.until > now:
            if sentence.penalty == Penalty.MUTE:
                world.gags[sentence.account] = sentence.until - world.epoch
            continue
        returns = sentence.realm and world.directory.of(sentence.character) is not None
        if sentence.penalty == Penalty.MUTE or not returns:
            _end(world, sentence)
    if not world.records.all(Sentence):
        cancel_all(world.records.looks(Sentence))


def _told(world: Surroundings, sentence: Sentence) -> str:
    minutes = -(-(sentence.until - now_of(world)) // MINUTE)
    what = "You are silenced" if sentence.penalty == Penalty.MUTE else "You are in jail"
    why = f": {sentence.reason}" if sentence.reason else ""
    return f"{what} for {minutes:.0f} minute{'' if minutes == 1 else 's'} more{why}."


# Jail


def _cell(world: Surroundings) -> tuple[str, int, int]:
    rule = world.content.conduct
    if not world.leads_to(rule.jail_realm):
        raise Cannot(Refusal.NO_JAIL)
    return rule.jail_realm, rule.jail_x, rule.jail_y


def _take(mobile: Mobile, realm: str, x: int, y: int) -> None:
    """To a tile of a realm by its key, or to a free one beside it if that is here."""
    here = mobile.world.realms.get(realm)
    mobile.world.travel(mobile, realm, *(next(here.free_near(x, y), (x, y)) if here is not None else (x, y)))


def _jailed(world: Surroundings, character: int) -> Sentence | None:
    """The sentence for which somebody is in jail, or was until it left: also one that is over."""
    for one in world.records.all(Sentence).values():
        if one.penalty == Penalty.JAIL and one.character == character:
            return one
    return None


def _confine(mobile: Mobile, sentence: Sentence) -> None:
    """Keep somebody in jail from now on."""
    if mobile.jail is not None:
        mobile.jail.cancel()
    world = mobile.world
    # Where the jail is another world's it is that one that lets it out.
    if not sentence.realm and mobile.realm is not None and world.content.conduct.jail_realm in world.realms:
        place = mobile.realm.name, mobile.x, mobile.y
        sentence.realm, sentence.x, sentence.y = _start(world) if _is_in_cell(mobile) else place
    mobile.jail = mobile.world.timers.every(LOOKS, _hold, mobile, sentence, owner=mobile)


def _hold(mobile: Mobile, sentence: Sentence) -> None:
    world = mobile.world
    if sentence.until <= now_of(world):
        _release(mobile, sentence)
        return
    try:
        realm, x, y = _cell(world)
    except Cannot:
        return  # new content has none
    if mobile.dead:
        return  # to a healer, and back
    if not _is_in_cell(mobile):
        _take(mobile, realm, x, y)


def _is_in_cell(mobile: Mobile) -> bool:
    rule = mobile.world.content.conduct
    near = max(abs(mobile.x - rule.jail_x), abs(mobile.y - rule.jail_y)) <= rule.jail_tiles
    return near and mobile.realm is not None and mobile.realm.name == rule.jail_realm


def _start(world: Surroundings) -> tuple[str, int, int]:
    """Where newcomers appear."""
    realm = world.content.start_realm
    return realm, *world.content.charts[realm].spawns[0]


def _release(mobile: Mobile, sentence: Sentence) -> None:
    world = mobile.world
    if mobile.jail is not None:
        mobile.jail.cancel()
        mobile.jail = None
    world.records.delete(sentence)
    back = sentence.realm, sentence.x, sentence.y
    if mobile.realm is not None and (sentence.realm or _is_in_cell(mobile)):
        _take(mobile, *(back if world.leads_to(sentence.realm) else _start(world)))
    speech.notice(mobile, "You are free to go.")


# Reports


def report(actor: Mobile, about: str, text: str) -> Report:
    """Report another character, which may be away, or without a name what needs the staff: those of it who
    are there read it, and it is kept with what was said around the actor. Raises Cannot: NOBODY, ONESELF;
    FLOODING if `MOST_OF_ONE` of its reports wait; as `speech.plead`."""
    world = actor.world
    known = world.directory.find(about) if about else None
    if about and known is None:
        raise Cannot(Refusal.NOBODY)
    if known is not None and known.serial == actor.serial:
        raise Cannot(Refusal.ONESELF)
    if len(_reports_of(actor)) >= MOST_OF_ONE:
        raise Cannot(Refusal.FLOODING, MANY_REPORTS)
    name = "" if known is None else known.name
    speech.plead(actor, text, name)
    lines = "\n".join(_line(world, one) for one in heard_by(actor))
    place = "" if actor.realm is None else f"{actor.realm.name} {actor.x} {actor.y}"
    made = world.records.add(Report(now_of(world), actor.name, name, speech.clean(text), place, lines))
    kept = reports(world)
    for number in list(kept)[: max(0, len(kept) - MOST_REPORTS)]:
        world.records.delete(kept[number])
    return made


def reports(world: Surroundings) -> Mapping[int, Report]:
    """The reports that nobody has dealt with, by number, the oldest first."""
    return world.records.all(Report)


def withdraw(actor: Mobile) -> Report:
    """Take back the newest report that one made and nobody has dealt with. Raises Cannot(NO_REPORT)."""
    own = _reports_of(actor)
    if not own:
        raise Cannot(Refusal.NO_REPORT)
    return resolve(actor.world, own[-1].number)


def _reports_of(actor: Mobile) -> Sequence[Report]:
    return [report for report in reports(actor.world).values() if report.who == actor.name]


def resolve(world: Surroundings, number: int) -> Report:
    """Take a report off the list: it has been dealt with. Raises Cannot(NO_REPORT)."""
    found = reports(world).get(number)
    if found is None:
        raise Cannot(Refusal.NO_REPORT)
    world.records.delete(found)
    return found


def heard_by(actor: Mobile) -> Sequence[Heard]:
    """The lines said last around somebody, to it, by it and to everybody: `LINES` at most, oldest first."""
    found: list[Heard] = []
    for one in reversed(actor.world.heard):
        if _reached(actor, one):
            found.append(one)
            if len(found) == LINES:
                break
    return found[::-1]


def _reached(actor: Mobile, one: Heard) -> bool:
    if actor.serial == one.speaker or actor.serial in one.to:
        return True
    if one.to:
        return False
    if not one.realm:
        return True
    near = actor.realm is not None and actor.realm.name == one.realm
    return near and max(abs(one.x - actor.x), abs(one.y - actor.y)) <= EARSHOT


def _line(world: Surroundings, one: Heard) -> str:
    return f"{world.now - one.at:.0f} s before, {one.name} ({one.how}): {one.text}"
