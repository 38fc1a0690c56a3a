"""Guilds as dialogs, for players whose game has no window for them, and in words for all.

    look at one's guild  ->  members, log, notice  ->  `world.guilds`
                         ->  gold in, gold out     ->  `world.guild_bank`
                         ->  allies and enemies    ->  `world.guild_ties`
                         ->  a member              ->  promote, demote, expel, hand over
    without one          ->  found one             ->  `world.guilds.found`

A refusal is told, and the question asked again. What one's rank does not allow is not offered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import guild_bank, guild_ties, guilds, holding, speech, vaults
from world.audience import one
from world.dialogs import Button, Choice, Line, Number, Option, Reply, ask
from world.guild import Bond, Right
from world.guild_events import GuildOpened
from world.guild_rolls import RANK_NAMES as RANK_NAMES
from world.guild_rolls import own, sheet
from world.reach import Cannot, Refusal, check_talk
from world.wording import coins, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.dialog import Input
    from world.guild_events import GuildSheet, MemberLine
    from world.mobile import Mobile

WINDOW: Final = "guild"
"""In `Mobile.windows` of players whose game has a window for guilds."""

REGISTRAR: Final = "registrar"
"""The role of those who keep the rolls: one looks at one's guild with them, or founds one. (By words that is
done anywhere.)"""

HALL: Final = "GuildDialog"
"""The name of all these questions; whether one wants to join is another (`guilds.GUILD`)."""

LINES: Final = 20
"""Of the log that are shown, and of members on a page of a dialog."""

MEMBERS, LOG, NOTICE, WAR, ALLY, END, LEAVE, DISBAND, GOLD_IN, GOLD_OUT = range(1, 11)
UP, DOWN, OUT, LEAD, BACK = range(1, 6)

NOTHING: Final = Button(0, "Nothing.")


def at_guild(actor: Mobile) -> None:
    """Look at one's guild, in the game's window or a dialog; without one, be asked whether to found one."""
    if actor.guild is None:
        _offer_founding(actor)
        return
    shown = sheet(actor.world, actor.guild)
    if WINDOW in actor.windows:
        actor.world.events.append(GuildOpened(actor, shown, one(actor)))
        return
    rights = actor.guild.members[actor.serial].rights
    buttons = [Button(MEMBERS, "The members."), Button(LOG, "What has happened.")]
    buttons.append(Button(GOLD_IN, "Put gold into the bank."))
    if Right.WITHDRAW in rights and shown.gold:
        buttons.append(Button(GOLD_OUT, "Take gold out of the bank."))
    if Right.NOTICE in rights:
        buttons.append(Button(NOTICE, "Write a notice."))
    if Right.TIES in rights:
        buttons += [Button(WAR, "Declare war."), Button(ALLY, "Ask for an alliance.")]
        buttons += [Button(END, "End a war or an alliance.")] if shown.ties else []
    buttons.append(
        Button(DISBAND, "Disband the guild.") if Right.LEAD in rights else Button(LEAVE, "Leave it.")
    )
    _ask(actor, f"{shown.name} [{shown.tag}]", summary(actor), [*buttons, NOTHING], _chosen)


def check_registrar(actor: Mobile, registrar: Mobile) -> None:
    """Check that somebody serves an actor as a registrar. Raises Cannot: DEAD; GONE if it is none; as
    `check_talk`."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if not registrar.has_role(REGISTRAR):
        raise Cannot(Refusal.GONE)
    check_talk(actor, registrar)


def summary(actor: Mobile) -> Sequence[str]:
    """Lines about one's guild. Raises Cannot(NO_GUILD)."""
    shown = sheet(actor.world, own(actor)[0])
    here = sum(member.online for member in shown.members)
    lines = [
        f"{shown.name} [{shown.tag}], led by {shown.leader.name}",
        f"{len(shown.members)} members, {here} of them here; {coins(actor.world, shown.gold)} in the bank",
    ]
    for bond, words in ((Bond.ALLIED, "allied with"), (Bond.WAR, "at war with")):
        others = [f"{tie.name} [{tie.tag}]" for tie in shown.ties if tie.bond is bond]
        lines += [f"{words} {listed(others)}"] if others else []
    return [*lines, shown.notice] if shown.notice else lines


def roll(actor: Mobile) -> Sequence[str]:
    """A line for each member of one's guild. Raises Cannot(NO_GUILD)."""
    shown = sheet(actor.world, own(actor)[0])
    now = actor.world.now + actor.world.epoch
    return [_member_line(member, now) for member in shown.members]


def log(actor: Mobile) -> Sequence[str]:
    """The newest lines of the log of one's guild. Raises Cannot(NO_GUILD)."""
    shown = sheet(actor.world, own(actor)[0])
    now = actor.world.now + actor.world.epoch
    return [f"{ago(now - line.at)}: {line.who} {line.deed}" for line in shown.log[:LINES]]


def ago(seconds: float) -> str:
    """Words for a time that has passed: "5 minutes ago"."""
    for length, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        number = int(seconds // length)
        if number:
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"


def _member_line(member: MemberLine, now: float) -> str:
    where = "here" if member.online else ago(now - member.seen_at)
    return f"{member.name}, {RANK_NAMES[member.rank]}, level {member.level}, {where}"


def _ask(
    actor: Mobile,
    title: str,
    text: str | Sequence[str],
    buttons: Sequence[Button],
    answered: Callable[[Mobile, Reply], None],
    inputs: Sequence[Input] = (),
) -> None:
    """Ask something; lines are shown in pages of `LINES`."""
    lines = [text] if isinstance(text, str) else text
    pages = ["\n".join(lines[at : at + LINES]) for at in range(0, max(1, len(lines)), LINES)]
    ask(
        actor,
        HALL,
        title=title,
        text=pages[0],
        buttons=buttons,
        answered=answered,
        anywhere=True,
        inputs=inputs,
        more=pages[1:],
    )


def _chosen(actor: Mobile, reply: Reply) -> None:
    if actor.guild is None:  # it has left since, or the guild is no more
        speech.notice(actor, Refusal.NO_GUILD.value, Refusal.NO_GUILD)
        return
    shown = sheet(actor.world, actor.guild)
    match reply.button:
        case button if button == MEMBERS:
            _show_members(actor, shown)
        case button if button == LOG:
            _ask(actor, "Guild", log(actor), [Button(BACK, "Back."), NOTHING], _back)
        case button if button == NOTICE:
            line = Line("text", "What do members read when they come?", guilds.LONGEST_NOTICE)
            _form(actor, "Notice", line, lambda text: guilds.set_notice(actor, text))
        case button if button in (WAR, ALLY, END):
            deeds = {WAR: guild_ties.declare_war, ALLY: guild_ties.ask_alliance, END: guild_ties.end}
            _form(actor, "Guild", _NAME, lambda text: deeds[reply.button](actor, text))
        case button if button in (GOLD_IN, GOLD_OUT):
            _ask_for_gold(actor, shown, coming=button == GOLD_IN)
        case button if button == LEAVE:
            _sure(actor, f"Do you want to leave {shown.name}?", lambda: guilds.leave(actor))
        case button if button == DISBAND:
            _sure(actor, f"Do you want to disband {shown.name} for good?", lambda: guilds.disband(actor))


_NAME: Final = Line("text", "Which guild?", guilds.NAME[-1], 2)


def _ask_for_gold(actor: Mobile, shown: GuildSheet, *, coming: bool) -> None:
    """Ask how much gold goes into the bank, or out of it; a banker has to be near."""
    most = max(1, holding.gold(actor) if coming else shown.gold)
    move = guild_bank.deposit_gold if coming else guild_bank.withdraw_gold

    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button:
            _try(mobile, lambda: move(mobile, vaults.banker_near(mobile), reply.number("amount")))

    number = Number("amount", "How much gold?", 1, most, most)
    _ask(actor, shown.name, number.prompt, [Button(1, "So be it."), NOTHING], answered, [number])


def _back(actor: Mobile, reply: Reply) -> None:
    if reply.button == BACK:
        at_guild(actor)


def _form(actor: Mobile, title: str, line: Line, deed: Callable[[str], None]) -> None:
    """Ask for a line and do something with it."""

    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button:
            _try(mobile, lambda: deed(reply.line("text")))

    _ask(actor, title, line.prompt, [Button(1, "So be it."), NOTHING], answered, [line])


def _sure(actor: Mobile, text: str, deed: Callable[[], None]) -> None:
    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(mobile, deed)

    _ask(actor, "Guild", text, [Button(1, "Yes."), Button(0, "No.")], answered)


def _try(actor: Mobile, deed: Callable[[], None]) -> None:
    """Do something, or tell why not; and look at the guild again."""
    try:
        deed()
    except Cannot as cannot:
        speech.notice(actor, str(cannot))
    at_guild(actor)


def _show_members(actor: Mobile, shown: GuildSheet) -> None:
    """Show who is in it; whoever may do something to one of them chooses which."""
    place = shown.member(actor.serial)
    below = [line for line in shown.members if place is not None and line.rank < place.rank]
    rights = own(actor)[1].rights
    if not below or Right.PROMOTE not in rights:
        _ask(actor, shown.name, roll(actor), [Button(BACK, "Back."), NOTHING], _back)
        return
    buttons = [Button(UP, "Promote."), Button(DOWN, "Demote."), Button(OUT, "Expel.")]
    buttons += [Button(LEAD, "Let them lead.")] if Right.LEAD in rights else []

    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button:
            name = below[reply.chosen("member")[0] - 1].name
            deeds: dict[int, Callable[[Mobile, str], None]] = {
                UP: guilds.promote,
                DOWN: guilds.demote,
                OUT: guilds.expel,
                LEAD: guilds.hand_over,
            }
            _try(mobile, lambda: deeds[reply.button](mobile, name))

    options = [Option(at, line.name) for at, line in enumerate(below, 1)]
    _ask(
        actor,
        shown.name,
        roll(actor),
        [*buttons, NOTHING],
        answered,
        [Choice("member", "Whom?", options)],
    )


def _offer_founding(actor: Mobile) -> None:
    fee = guilds.fee(actor.world)
    inputs = (Line("name", "Its name?", guilds.NAME[-1], guilds.NAME[0]), Line("tag", "Its tag?", 3, 2))

    def answered(mobile: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(mobile, lambda: guilds.found(mobile, reply.line("name"), reply.line("tag")))

    text = f"You are in no guild. To found one costs {fee}; its tag are 2 or 3 letters."
    _ask(actor, "Guild", text, [Button(1, "Found it."), NOTHING], answered, inputs)
