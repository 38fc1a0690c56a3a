"""Quests: what a player was asked to do, how far it has got, and what it is given for it.

A quest is open from `begin` until its last step is done or it is given up. Its steps get on by what happens:
by talking to a resident (`deliver`), by a creature's death (`Mobile.slew`, which is None for everybody who
hunts nothing), and, for places and times, by a timer that runs only while a step asks for one; so players
without a quest pay nothing for it, and a step of a player with one neither.

The end is all or nothing: what a resident takes and what it pays change in one call, and a reward for which
there is no room waits, with the quest open, until there is.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import granting, hands, holding, learning, letters, rewards, speech
from world.audience import one
from world.dialogs import Button, Line, ask
from world.errands import END, REWARD, Change, Kind, State
from world.events import JournalOpened, QuestChanged, QuestsRenewed
from world.journals import (
    NO_ROOM,
    calendar,
    check_may_begin,
    count_of,
    entries,
    entry,
    line_of,
    now_at,
    offered_by,
    ongoing,
    progress_of,
    quest,
    resting,
    step_of,
    told_to,
    why_not,
)
from world.parts import Journal, Progress, bind
from world.reach import Cannot, Refusal, check_talk
from world.timers import Priority
from world.wording import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from world.dialog import Reply
    from world.errands import Quest, Step
    from world.mobile import Dialog, Mobile

OFFER: Final = "QuestDialog"
CHOICE: Final = "QuestChoiceDialog"
WORD: Final = "QuestWordDialog"
JOURNAL: Final = "JournalDialog"
"""Names of the dialogs."""

LOOKS: Final = 0.5
"""Seconds between two looks at where somebody is and what time it is."""

NOT_THE_WORD: Final = "That is not what it says, {name}."

_TIMED: Final = frozenset({Kind.GO, Kind.WAIT})


# Beginning and giving up


def offer(actor: Mobile, giver: Mobile | None, key: str) -> Dialog:
    """Ask a player whether it wants a quest; without a giver wherever it is. Raises Cannot as `begin`."""
    wanted = quest(actor.world, key)
    check_may_begin(actor, wanted, giver)

    def answered(player: Mobile, reply: Reply) -> None:
        if reply.button != 1:
            _decline(player, key)
            return
        speech.or_tell(player, lambda: begin(player, key, giver))

    return ask(
        actor,
        OFFER,
        title=wanted.name,
        text=wanted.text.format(name=actor.name),
        buttons=(Button(1, "Yes, I will do it."), Button(0, "Not now.")),
        answered=answered,
        asker=giver,
        anywhere=giver is None,
        about=key,
    )


def begin(actor: Mobile, key: str, giver: Mobile | None = None) -> None:
    """Begin a quest. Raises Cannot: NO_QUEST; DEAD; GONE, FAR or UNSEEN of the giver; HAS_QUEST; LATER if it
    was done already, or cannot be done anew yet; UNSKILLED below its level; FULL without room for the
    letter."""
    begun = quest(actor.world, key)
    check_may_begin(actor, begun, giver)
    pack, chosen = actor.backpack, ""
    if begun.letter:
        if pack is None or not granting.has_room(pack, {begun.letter: 1}):
            raise Cannot(Refusal.FULL)
        letter = holding.make(actor.world, begun.letter, stored=actor.stored)
        actor.world.register(letter)
        holding.put(pack, letter)
        chosen = letters.mark_of(letter)
    progress, now = _kept(actor, key), calendar(actor.world)
    progress.step, progress.count, progress.chosen = begun.steps[0].key, 0, chosen
    progress.begun_at = progress.step_at = now
    _changed(actor, begun, Change.BEGUN)


def give_up(actor: Mobile, key: str) -> None:
    """Give up an open quest; its letter goes, if one has it. Raises Cannot(NO_QUEST)."""
    progress = progress_of(actor, key)
    known = actor.world.content.quests.get(key)
    if progress is None or not progress.step or progress.step == REWARD or known is None:
        raise Cannot(Refusal.NO_QUEST)
    _lose_letter(actor, progress)
    progress.step, progress.count, progress.chosen = "", 0, ""
    _changed(actor, known, Change.GIVEN_UP)


def welcome(actor: Mobile) -> None:
    """Offer a newcomer the first quest, until it has taken or declined it."""
    content = actor.world.content
    wanted = content.quests.get(content.welcome)
    if wanted is None or actor.dead or actor.level > 1 or progress_of(actor, wanted.key) is not None:
        return
    if why_not(actor, wanted) is None:
        offer(actor, None, wanted.key)


def resume(actor: Mobile) -> None:
    """Let the quests of a character that comes into the world, or is played by another client, go on."""
    go_on(actor)
    welcome(actor)


def go_on(actor: Mobile) -> None:
    """Let the quests of a character go on that comes over a border: its player has just been offered any."""
    _watch(actor)


def renew(actor: Mobile) -> None:
    """Let a character's quests go on by new content, of which its player is told if it is there."""
    _watch(actor)
    if actor.online:
        actor.world.events.append(QuestsRenewed(actor, (), one(actor)))


# Getting on


def hail(actor: Mobile, resident: Mobile) -> bool:
    """Come up to a resident: do what a quest asks for there, or be offered those it has. What its own dialog
    does with quests is left to that. Returns whether there was any. Raises Cannot as `deliver`."""
    if actor.dead or not actor.is_character:
        return False
    if deliver(actor, resident):
        return True
    offered = [one for one in offered_by(actor, resident) if (one.key, "") not in _led(resident)]
    if len(offered) == 1:
        offer(actor, resident, offered[0].key)
    elif offered:
        _offer_several(actor, resident, offered)
    return bool(offered)


def deliver(actor: Mobile, resident: Mobile) -> bool:
    """Do the step that the first open quest asks for at this resident; returns whether there is one. What is
    to be brought is taken whole or not at all. Raises Cannot: DEAD, GONE, FAR or UNSEEN."""
    for known, progress, step in ongoing(actor):
        if step.whom != resident.template.key or step.kind not in (Kind.TALK, Kind.BRING, Kind.CHOOSE):
            continue
        if (known.key, step.key) in _led(resident):
            continue
        if actor.dead:
            raise Cannot(Refusal.DEAD)
        check_talk(actor, resident)
        if step.kind is Kind.CHOOSE:
            _ask_way(actor, resident, known, step)
        elif step.words:
            _ask_word(actor, resident, known, step)
        elif step.kind is Kind.TALK:
            _advance(actor, known, progress, step, by=resident)
        elif count_of(actor, step, progress) < step.amount:
            count = count_of(actor, step, progress)
            speech.notice(actor, line_of(known, progress, told_to(actor, step), count))
        else:
            hands.destroy_kind(actor, step.item, step.amount)
            _advance(actor, known, progress, step, by=resident)
        return True
    return False


def _led(resident: Mobile) -> Collection[tuple[str, str]]:
    """Beginnings and steps of quests that are a matter of a resident's dialog."""
    talk = resident.template.talk
    return talk.leads if talk is not None else ()


def choose(actor: Mobile, key: str, at: int, resident: Mobile | None = None) -> None:
    """Choose a way (from 0) of the step that is to be done. Raises Cannot: NO_QUEST if it asks for none,
    UNFIT if there are fewer."""
    known, progress, step = now_at(actor, key, Kind.CHOOSE)
    if not 0 <= at < len(step.ways):
        raise Cannot(Refusal.UNFIT)
    way = step.ways[at]
    progress.chosen = f"{progress.chosen} {way.to}".strip()
    _advance(actor, known, progress, step, by=resident, to=way.to)


def say_word(actor: Mobile, key: str, word: str, resident: Mobile | None = None) -> None:
    """Say the word of the letter. Raises Cannot: NO_QUEST if no quest asks for it, UNFIT if it is another."""
    known, progress, step = now_at(actor, key, Kind.TALK)
    if not step.words:
        raise Cannot(Refusal.NO_QUEST)
    if word.strip(" .!\"'").casefold() not in letters.words_of(progress, step):
        raise Cannot(Refusal.UNFIT, NOT_THE_WORD.format(name=actor.name))
    _advance(actor, known, progress, step, by=resident)


def hear(word: str, resident: Mobile, speaker: Mobile) -> None:
    """Take a word that somebody says aloud before a resident."""
    for known, _, step in list(ongoing(speaker)):
        if step.words and step.whom == resident.template.key and not speaker.dead:
            try:
                say_word(speaker, known.key, word, resident)
            except Cannot as cannot:
                _speak(resident, speaker, str(cannot))
            return


def finish_step(actor: Mobile, key: str, step: str = "", by: Mobile | None = None) -> None:
    """Have a step done, whatever it asks for: an effect of conversations and scripts. `by` is the resident
    with whom that happens. Raises Cannot(NO_QUEST) unless it is the one that is to be done; without a step,
    any is."""
    known, progress, now = now_at(actor, key, step=step)
    says = by is not None and by.template.key == now.whom
    _advance(actor, known, progress, now, by=by if says else None)


def show_journal(actor: Mobile) -> None:
    """Show a player its quests: in its game's own window, else as a dialog in which it can give them up."""
    kept = entries(actor)
    if "journal" in actor.windows:
        actor.world.events.append(JournalOpened(actor, kept, one(actor)))
        return
    ongoing = [each for each in kept if each.state is State.OPEN]
    done = [each.quest.name for each in kept if each.state is State.DONE]
    pages = [f"{each.quest.name}: {each.line}" for each in ongoing]
    if done:
        pages.append(f"Done: {listed(done)}.")
    given = [each.quest for each in ongoing if step_of(actor, each.quest.key) != REWARD]

    def answered(player: Mobile, reply: Reply) -> None:
        if 1 <= reply.button <= len(given):
            speech.or_tell(player, lambda: give_up(player, given[reply.button - 1].key))

    ask(
        actor,
        JOURNAL,
        title="Your quests",
        text=pages[0] if pages else "You have no quests.",
        more=pages[1:],
        buttons=(
            *(Button(number, f"Give up: {each.name}") for number, each in enumerate(given, 1)),
            Button(0, "Close"),
        ),
        answered=answered,
        anywhere=True,
    )


# Dialogs of residents


def _offer_several(actor: Mobile, resident: Mobile, offered: Sequence[Quest]) -> None:
    def answered(player: Mobile, reply: Reply) -> None:
        if 1 <= reply.button <= len(offered):
            speech.or_tell(player, lambda: offer(player, resident, offered[reply.button - 1].key))

    ask(
        actor,
        OFFER,
        title=resident.name,
        text=f"There is something to do, {actor.name}. What would you hear of?",
        buttons=(
            *(Button(number, each.name) for number, each in enumerate(offered, 1)),
            Button(0, "Not now."),
        ),
        answered=answered,
        asker=resident,
    )


def _speak(resident: Mobile, actor: Mobile, text: str) -> None:
    """Have a resident say something to a player, aloud if it may."""
    try:
        speech.say(resident, text)
    except Cannot:
        speech.notice(actor, f"{resident.name}: {text}")


def _ask_way(actor: Mobile, resident: Mobile, known: Quest, step: Step) -> None:
    def answered(player: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(player, lambda: choose(player, known.key, reply.button - 1, resident))

    ask(
        actor,
        CHOICE,
        title=known.name,
        text=told_to(actor, step).text,
        buttons=(
            *(Button(number, way.text.format(name=actor.name)) for number, way in enumerate(step.ways, 1)),
            Button(0, "Let me think."),
        ),
        answered=answered,
        asker=resident,
        about=known.key,
    )


def _ask_word(actor: Mobile, resident: Mobile, known: Quest, step: Step) -> None:
    def answered(player: Mobile, reply: Reply) -> None:
        if reply.button:
            try:
                say_word(player, known.key, reply.line("word"), resident)
            except Cannot as cannot:
                _speak(resident, player, str(cannot))

    ask(
        actor,
        WORD,
        title=known.name,
        text=told_to(actor, step).text,
        buttons=(Button(1, "That is what it says."), Button(0, "I do not know yet.")),
        inputs=(Line("word", "What does the letter say?", longest=30),),
        answered=answered,
        asker=resident,
        about=known.key,
    )


# What changes


def _advance(
    actor: Mobile, known: Quest, progress: Progress, step: Step, *, by: Mobile | None = None, to: str = ""
) -> None:
    """Go on from a step that is done to the next, or to the end; last, the resident says what it has to."""
    following = to or known.after(step)
    progress.count, progress.step_at = 0, calendar(actor.world)
    if following == END:
        progress.step = REWARD
        if not _finish(actor, known, progress):
            # Nobody says "Here is your pay" to whom it cannot be given yet.
            speech.notice(actor, NO_ROOM.format(known.name))
            _changed(actor, known, Change.STEP)
            return
    else:
        progress.step = following
        _changed(actor, known, Change.STEP)
    if by is not None and step.done:
        _speak(by, actor, step.done.format(name=actor.name))


def _finish(actor: Mobile, known: Quest, progress: Progress) -> bool:
    """Pay the reward and close the quest, or, without room for all of it, leave both as they are and return
    False."""
    split = rewards.split(actor, known.reward)
    if split is None:
        return False
    split.pay(actor)
    _lose_letter(actor, progress)
    progress.step, progress.chosen = "", ""
    progress.finished_at = calendar(actor.world)
    progress.times += 1
    _changed(actor, known, Change.FINISHED, split.words(actor.world))
    learning.gain(actor, known.reward.experience)
    return True


def _lose_letter(actor: Mobile, progress: Progress) -> None:
    letter = letters.letter_of(actor.world, progress)
    if letter is not None and letter.root is actor:
        hands.remove(letter)


def _decline(actor: Mobile, key: str) -> None:
    """Note that somebody did not want a quest, so that it is not offered unasked again."""
    _kept(actor, key)
    if actor.journal is not None:
        actor.journal.touch()


def _changed(actor: Mobile, known: Quest, what: Change, gained: str = "") -> None:
    if actor.journal is not None:
        actor.journal.touch()
    actor.world.events.append(QuestChanged(actor, entry(actor, known), what, one(actor), gained))
    _watch(actor)


def _watch(actor: Mobile) -> None:
    """Listen for what the open steps ask for, and for nothing else. For whoever is played, and after its
    quests have changed."""
    journal = actor.journal
    if journal is None:
        return
    steps = [step for _, _, step in ongoing(actor)]
    hunts = any(step.kind is Kind.HUNT for step in steps)
    actor.slew = partial(_slew, actor) if hunts else None
    waits = any(progress.step == REWARD for progress in journal.quests.values())
    timed = waits or any(step.kind in _TIMED for step in steps)
    _await_again(actor, journal)
    if timed and journal.timer is None:
        journal.timer = actor.world.timers.every(LOOKS, _look, actor, owner=actor)
    elif not timed and journal.timer is not None:
        journal.timer.cancel()
        journal.timer = None


def _await_again(actor: Mobile, journal: Journal) -> None:
    """Be told when the next of the quests that are done can be begun anew."""
    if journal.again is not None:
        journal.again.cancel()
        journal.again = None
    if left := resting(actor):
        journal.again = actor.world.timers.after(
            min(left.values()), _again, actor, tuple(left), priority=Priority.S1, owner=actor
        )


def _again(actor: Mobile, waited: Collection[str]) -> None:
    """Tell a player which of the quests that it had to wait for can be begun now."""
    known = actor.world.content.quests
    ready = [known[key] for key in waited if key in known and why_not(actor, known[key]) is None]
    if ready:
        actor.world.events.append(QuestsRenewed(actor, ready, one(actor)))
    _watch(actor)


def _look(actor: Mobile) -> None:
    """See whether somebody has arrived, waited long enough, or has room for a reward."""
    for known, progress, step in list(ongoing(actor)):
        arrived = (
            step.kind is Kind.GO
            and actor.realm is not None
            and actor.realm.name == step.realm
            and max(abs(actor.x - step.x), abs(actor.y - step.y)) <= step.radius
            and not actor.dead
        )
        waited = step.kind is Kind.WAIT and calendar(actor.world) - progress.step_at >= step.seconds
        if arrived or waited:
            _advance(actor, known, progress, step)
    if actor.journal is not None:
        for key, progress in list(actor.journal.quests.items()):
            waiting = actor.world.content.quests.get(key) if progress.step == REWARD else None
            if waiting is not None:
                _finish(actor, waiting, progress)


def _slew(actor: Mobile, dead: Mobile) -> None:
    for known, progress, step in list(ongoing(actor)):
        if step.kind is Kind.HUNT and dead.template.key in step.kinds:
            progress.count += 1
            if progress.count >= step.amount:
                _advance(actor, known, progress, step)
            else:
                _changed(actor, known, Change.ADVANCED)


def _kept(actor: Mobile, key: str) -> Progress:
    """The row of a quest, made if there is none."""
    if actor.journal is None:
        actor.journal = bind(Journal(), actor)
    return actor.journal.quests.setdefault(key, Progress())
