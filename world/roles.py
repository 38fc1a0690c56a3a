"""Roles: services of residents for others, by the name that a template in data/mobiles.toml gives.

A role is data about small functions: for the start of a mobile of that role, for a player that comes up to
talk, for a ghost that does, and the words it answers. Nothing in the program asks for the key of a template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world import counters, guards, guild_hall, lessons, lodging, news, postage, presence, quests, speech
from world.dialogs import Button, Reply, ask
from world.life import RESURRECT, is_whole, offer_resurrection
from world.mobile import Mobile
from world.talks import filled
from world.voices import HAILS, Hearing
from world.wording import coins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from world.news import Topic

HEALER_SEES: Final = 4
"""Tiles within which a healer notices a ghost: ServUO, Scripts/Mobiles/Healers/BaseHealer.cs."""

HEALER_LOOKS: Final = 1.0
"""Seconds between two looks around."""

HEALER_PATIENCE: Final = 15.0
"""Seconds before a healer asks the same ghost again."""

GREETING: Final = "hello"
"""What a click stands for with all others who listen."""

BANKING: Final = ("bank", "vault", "check")
TRADING: Final = ("vendor", "buy", "sell", "trade", "shop", "wares")
"""Words of these trades: ServUO, Scripts/Mobiles/NPCs/Banker.cs and the speech table of its vendors, and what
else one would say."""

BED: Final = "BedDialog"
"""Name of the innkeeper's question."""

CARE: Final = "CareDialog"
"""Name of a healer's who asks for gold."""

Talk: TypeAlias = "Callable[[Mobile, Mobile, Sequence[Topic]], object]"
"""A player, whom it talks to, and what its game adds to the topics of conversation."""


@attrs.frozen
class Role:
    """Functions and words of one role; None where it has none."""

    begin: Callable[[Mobile], None] | None = None
    talk: Talk | None = None
    ghosts: Talk | None = None
    serve: Callable[[Mobile, Mobile], object] | None = None
    """What a player and somebody of that role do when the player asks for the service itself; a dialog
    may."""
    greeting: str = ""
    """What a click stands for with those who talk by listening."""
    hears: Sequence[Hearing] = ()
    """What somebody of that role answers words with."""


# The healer


def _healer(mobile: Mobile) -> None:
    asked: dict[int, float] = {}
    mobile.world.timers.every(HEALER_LOOKS, _look_for_ghosts, mobile, asked, owner=mobile)


def _look_for_ghosts(healer: Mobile, asked: dict[int, float]) -> None:
    """Offer resurrection to ghosts nearby, each once while the question is open, and not too often."""
    if healer.realm is None:
        return
    now = healer.world.now
    for thing in healer.realm.space.around(healer.x, healer.y, HEALER_SEES):
        if not (isinstance(thing, Mobile) and thing.is_character and thing.dead and thing.online):
            continue
        is_open = any(dialog.name == RESURRECT for dialog in thing.dialogs.values())
        if not is_open and now - asked.get(thing.serial, -HEALER_PATIENCE) >= HEALER_PATIENCE:
            asked[thing.serial] = now
            offer_resurrection(thing, healer)
    for serial in [serial for serial, at in asked.items() if now - at >= HEALER_PATIENCE]:
        del asked[serial]


def _tend(healer: Mobile, mobile: Mobile) -> None:
    """Make somebody whole, living or dead."""
    if mobile.dead:
        offer_resurrection(mobile, healer)
    elif is_whole(mobile):
        words = filled(healer.template.says, mobile.name, healer.name)
        speech.say(healer, words or f"You look well, {mobile.name}.")
    elif healer.template.offers.healing:
        _offer_care(healer, mobile)
    else:
        lodging.tend(mobile, healer)
        speech.say(healer, f"Hold still, {mobile.name}. There: you are whole again.")


def _offer_care(healer: Mobile, mobile: Mobile) -> None:
    """Say what it costs to be made whole."""
    price = coins(mobile.world, healer.template.offers.healing)

    def answered(patient: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(patient, lambda: lodging.tend(patient, healer))

    ask(
        mobile,
        CARE,
        title=news.name_of(healer),
        text=f"You are hurt, {mobile.name}. I make you whole for {price}.",
        buttons=(Button(1, "Please do."), Button(0, "Not now.")),
        answered=answered,
        asker=healer,
    )


# Those who listen


def _cry(crier: Mobile, speaker: Mobile) -> None:
    """Tell who is here."""
    names = [mobile.name for mobile in crier.world.online() if presence.finds(speaker, mobile)]
    names += [person.name for person in presence.listed_afar(speaker)]
    others = sorted(name for name in names if name != speaker.name)
    company = f"About today: {', '.join(others[:8])}." if others else "You have the realm to yourself today."
    place = crier.realm.chart.title if crier.realm else "the realm"
    speech.say(crier, f"Welcome to {place}, {speaker.name}! {company}")


def _bank(banker: Mobile, speaker: Mobile) -> None:
    counters.at_bank(speaker, banker)


def _trade(merchant: Mobile, speaker: Mobile) -> None:
    counters.at_shop(speaker, merchant)


def _offer_bed(innkeeper: Mobile, mobile: Mobile) -> None:
    """Ask a guest whether it wants to rest or to settle; who died meanwhile has no use for a bed."""
    if mobile.dead:
        return
    offers = innkeeper.template.offers
    price = f" for {coins(mobile.world, offers.bed)}" if offers.bed else ""
    deeds = {1: lodging.rest, 2: lodging.settle}
    buttons = [Button(1, "Yes, please.")]
    if offers.home:
        buttons.append(Button(2, "I would like to settle here."))

    def answered(guest: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(guest, lambda: deeds[reply.button](guest, innkeeper))

    ask(
        mobile,
        BED,
        title=news.name_of(innkeeper),
        text=f"You look tired, {mobile.name}. There is a bed free upstairs{price}: would you like to rest?",
        buttons=(*buttons, Button(0, "Not now.")),
        answered=answered,
        asker=innkeeper,
    )


def _reassure(guard: Mobile, speaker: Mobile) -> None:
    """Say what a guard is for."""
    speech.say(
        guard, f"Keep the peace, {speaker.name}, and it will keep you. Whoever does not, I strike down."
    )


def _tell_of_guilds(registrar: Mobile, speaker: Mobile) -> None:
    """Say what a registrar is for."""
    speech.say(
        registrar, f"I keep the rolls of the guilds, {speaker.name}. Say guild, and I look at yours with you."
    )


# Whoever has something to do


def _offer_work(resident: Mobile, speaker: Mobile) -> None:
    """Offer its quests, or say that there are none."""
    if speaker.dead or not quests.hail(speaker, resident):
        speech.say(resident, f"I have nothing for you to do now, {speaker.name}.")


ROLES: Final[Mapping[str, Role]] = {
    "healer": Role(
        begin=_healer,
        talk=lambda mobile, healer, topics: _tend(healer, mobile),
        ghosts=lambda mobile, healer, topics: _tend(healer, mobile),
        serve=lambda mobile, healer: _tend(healer, mobile),
        hears=(Hearing(("heal", "cure", "healer"), _tend), Hearing(HAILS, _tend, near=True)),
    ),
    "crier": Role(
        talk=news.offer_news,
        hears=(
            Hearing((HAILS[0], "hello", "news", "who"), _cry, 0.8),
            Hearing(HAILS, _cry, 0.8, near=True),
        ),
    ),
    "banker": Role(
        talk=lambda mobile, banker, topics: counters.at_bank(mobile, banker),
        serve=counters.at_bank,
        hears=(
            Hearing(("balance",), counters.balance),
            Hearing(("mail", "post", "parcel", "letters"), lambda banker, who: postage.at_counter(who)),
            Hearing(("deposit",), _bank, heeds=lambda banker, who, text: counters.in_gold(who, banker, text)),
            Hearing(
                ("withdraw",), _bank, heeds=lambda banker, who, text: counters.out_gold(who, banker, text)
            ),
            Hearing(BANKING, _bank),
            Hearing(HAILS, counters.balance, near=True),
        ),
    ),
    "merchant": Role(
        talk=lambda mobile, merchant, topics: counters.at_shop(mobile, merchant),
        serve=counters.at_shop,
        hears=(Hearing(TRADING, _trade, near=True),),
    ),
    "trainer": Role(
        talk=lambda mobile, trainer, topics: lessons.offer(mobile, trainer),
        serve=lessons.offer,
        hears=(
            Hearing(
                ("train", "teach", "learn", "lesson"), lambda one, who: lessons.offer(who, one), near=True
            ),
        ),
    ),
    "guard": Role(
        begin=guards.watch,
        talk=lambda mobile, guard, topics: _reassure(guard, mobile),
        hears=(
            Hearing(("guard", "guards", "help", "crime"), _reassure),
            Hearing(HAILS, _reassure, near=True),
        ),
    ),
    "registrar": Role(
        talk=lambda mobile, registrar, topics: guild_hall.at_guild(mobile),
        serve=lambda mobile, registrar: guild_hall.at_guild(mobile),
        hears=(
            Hearing(
                ("guild", "guilds", "clan", "charter"), lambda one, who: guild_hall.at_guild(who), near=True
            ),
            Hearing(HAILS, _tell_of_guilds, near=True),
        ),
    ),
    "questgiver": Role(
        hears=(Hearing(("quest", "quests", "work", "errand", "errands", "task"), _offer_work),),
    ),
    "innkeeper": Role(
        talk=lambda mobile, innkeeper, topics: _offer_bed(innkeeper, mobile),
        serve=lambda mobile, innkeeper: _offer_bed(innkeeper, mobile),
        hears=(Hearing(("bed", "room", "rest", "sleep"), _offer_bed), Hearing(HAILS, _offer_bed, near=True)),
    ),
}
"""All roles there are."""
