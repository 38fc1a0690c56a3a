"""Passage: what becomes of a character that goes over a border, into a realm of another world.

Its rows (`world.snapshot`) say what it is; what else it has on it, and would keep on a warp within one world,
goes along as plain values: `taken` reads them, `given` sets them. World times go as seconds from now, because
two worlds need not agree on what time it is. What binds a character to others who stay, or to the place that
it leaves, ends before (`prepare`), in the words in which a warp or a logout ends it.

Every attribute of a mobile is stored, goes along or stays behind for a reason; a test asks that of each.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from world import ailments, dealing, dialogs, hands, life, motion, party_memory, recovery, visits
from world.mobile import UNDER_WAY, Lines, Posture, Recovery
from world.targets import target
from world.trade_events import Off

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.mobile import Mobile

Plain: TypeAlias = "bool | int | float | str | bytes | Sequence[Plain] | Mapping[str, Plain] | None"
"""What a message between two processes can carry."""

GOES: Final = ("running", "hears_global", "takes_gifts", "heard_from", "assailant", "war")
"""Attributes that go as they are."""

TIMES: Final = ("remedy_at", "home_at", "criminal_until", "fighting_until", "swing_at")
"""Attributes that are world times. One that has passed stays behind."""

TOLD: Final = ("aggressors", "wounds", "poison", "recovery", "spoken", "gait")
"""What goes in a form of its own: serials, and parts that have timers here (`taken`)."""

STAYS: Final[Mapping[str, str]] = {
    "world": "it is in the other one",
    "delta": "the other world shows it as a whole",
    "timers": "those that go on are set anew",
    "rendered": "made anew from the rows",
    "stored": "whoever has rows is",
    "posture": "who goes through a door stands",
    "access": "set from the account",
    "online": "set for its player",
    "target": "what it aims at stays behind",
    "game": "set for its player's game",
    "opens_corpses": "as the game",
    "windows": "as the game",
    "parts_changed": "the rows that go are whole",
    "fighter": "a row, and `war` and `swing_at`",
    "learner": "a row, and its skills",
    "caster": "a row: nothing casts yet",
    "effects": "nothing has any yet",
    "brain": "characters have none",
    "merchant": "characters have none",
    "vault": "its rows go with it",
    "visit": "whose counter it stood at stays behind",
    "trade": "ended before",
    "journal": "its rows, and timers that are set anew",
    "marks": "its rows",
    "party": "looked up in the records; and how the others fare",
    "guild": "looked up in the records",
    "duel": "the other one notices that it is gone, as of a logout",
    "load": "counted anew",
    "worn": "its rows",
    "hand": "what it held is in its pack",
    "viewport": "made for its player",
    "onlookers": "who sees it there is another matter",
    "dialogs": "withdrawn before",
    "asking": "withdrawn before",
    "poisoned": "with `poison`",
    "jail": "set anew by its sentence",
    "rescue": "whoever waits for help must not go anywhere",
    "labour": "what it gathered stays behind",
    "dressing": "the bandage stays behind",
    "stung": "creatures' own",
    "slew": "set anew by its quests",
    "after_death": "creatures' own",
    "post": "residents' own",
    "enemy": "whom it strikes stays behind",
    "swing": "nobody is struck any more",
}
"""Attributes of a mobile and of its parts that neither are stored nor go, and why."""


def prepare(mobile: Mobile) -> None:
    """End all that does not cross: its way, its trade, its fight, its windows. Its client hears of it as of a
    warp; what changes is told by events, and has to be told before the character is taken off its tile."""
    motion.halt(mobile)
    hands.bounce(mobile)
    visits.dismiss(mobile)
    dealing.end(mobile, Off.WARPED)
    life.disengage(mobile)
    dialogs.withdraw_all_of(mobile)
    for dialog in list(mobile.dialogs.values()):
        dialogs.withdraw(mobile, dialog)
    target(mobile, None)
    mobile.posture = Posture.STANDING


def taken(mobile: Mobile) -> dict[str, Plain]:
    """Write what a character has on it beside its rows."""
    now = mobile.world.now
    on_it: dict[str, Plain] = {name: getattr(mobile, name) for name in GOES}
    for name in TIMES:
        holder = mobile.fighter if name == "swing_at" else mobile
        at = getattr(holder, name, 0.0)
        if at > now:
            on_it[name] = at - now
    on_it["aggressors"] = list(mobile.aggressors)
    on_it["wounds"] = [[serial, hits] for serial, hits in mobile.wounds.items()]
    # Who has rested for longer gains nothing by that (`motion.paced`), and says nothing new.
    on_it["gait"] = [max(mobile.gait.next_at - now, -motion.CREDIT), mobile.gait.tiles_run]
    if mobile.poison is not None:
        on_it["poison"] = [mobile.poison.venom, mobile.poison.left, mobile.poison.by]
    if mobile.recovery is not None:
        on_it["recovery"] = list[Plain](mobile.recovery.part)
    on_it["spoken"] = {
        kind: [lines.told, *(at - now for at in lines.times)] for kind, lines in (mobile.spoken or {}).items()
    }
    if fellows := party_memory.taken(mobile):
        on_it["fellows"] = cast("Plain", fellows)
    return on_it


def given(mobile: Mobile, on_it: Mapping[str, Plain]) -> None:
    """Set what a character brings, which stands in its realm by now. What is not named stays as it is with a
    newcomer."""
    now = mobile.world.now
    for name in GOES:
        if name in on_it:
            setattr(mobile, name, on_it[name])
    for name in TIMES:
        holder = mobile.fighter if name == "swing_at" else mobile
        if name in on_it and holder is not None:
            setattr(holder, name, now + _number(on_it[name]))
    mobile.aggressors = {int(one) for one in _numbers(on_it.get("aggressors"))}
    for pair in cast("list[Plain]", on_it.get("wounds") or []):
        serial, hits = _numbers(pair)
        mobile.wounds[int(serial)] = int(hits)
    if gait := _numbers(on_it.get("gait")):
        mobile.gait.next_at, mobile.gait.tiles_run = now + gait[0], int(gait[1])
    mobile.gait.crosses_until = now + UNDER_WAY
    for kind, lines in cast("dict[str, list[Plain]]", on_it.get("spoken") or {}).items():
        mobile.spoken = mobile.spoken or {}
        mobile.spoken[kind] = Lines(deque(now + _number(at) for at in lines[1:]), bool(lines[0]))
    party_memory.given(mobile, cast("list[list[object]]", on_it.get("fellows") or []))
    if poison := _numbers(on_it.get("poison")):
        ailments.go_on(mobile, *map(int, poison))
    if parts := _numbers(on_it.get("recovery")):
        mobile.recovery = Recovery(part=parts)
    recovery.recover(mobile)


def _number(value: Plain) -> float:
    return cast("float", value)


def _numbers(value: Plain) -> list[float]:
    return cast("list[float]", value or [])
