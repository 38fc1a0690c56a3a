"""Situations in which packets of trades, parties, guilds and letters mean something, for whoever sends
garbage (`tests.kit.fuzzing`): a window is open, somebody asks, something waits.

    situations = Situations(world)
    name = situations.next(mobile, other)    # the one before is over
    before = situations.state(mobile)
    ...                                      # what a hostile client sends
    after = situations.state(mobile)

They are made of the rules alone, so each game shows them in its own windows, and a packet that a game learns
later meets them, too. The other is a player as well, of any game, and does nothing by itself.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from world import (
    dealing,
    dialogs,
    duels,
    friends,
    granting,
    guild_bank,
    guild_hall,
    guilds,
    hands,
    ignoring,
    invites,
    life,
    mail,
    party,
    postage,
    safes,
    trade,
    vaults,
)
from world.guild import Guild, Rank
from world.mobile import Mobile
from world.trade_events import Off

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from world.world import World

NEAR: Final = 3
"""Tiles between both at most: for all of it they have to be beside each other."""
ENOUGH: Final = 5
"""Loaves of bread of which some are offered and sent."""
FEW: Final = 5
"""Things in a pack that packets are likely to name."""
FULL: Final = 60
"""Things in a pack beyond which nothing more is brought: by then there is plenty."""


COMPANY: Final = (dialogs, duels, friends, guild_hall, guilds, invites, mail, party, postage, trade)
"""Modules of the rules that they are about."""


class Situations:
    """One after the other, again and again."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._names = self._endless()
        self._banker: Mobile | None = None

    @staticmethod
    def _endless() -> Iterator[str]:
        while True:
            yield from SITUATIONS

    def next(self, mobile: Mobile, other: Mobile) -> str:
        """Bring somebody and another player into the next one; its name."""
        self._end(mobile, other)
        name = next(self._names)
        for one in (mobile, other):
            life.resurrect(one)
            one.hits, one.fighting_until, one.spoken = one.hits_max, 0.0, None
            one.takes_gifts = True
            for ignored in ignoring.ignored_by(one).values():
                ignoring.heed(one, ignored)
            hands.bounce(one)
            self._provide(one)
        self._meet(mobile, other)
        SITUATIONS[name](self, mobile, other)
        return name

    def numbers(self, mobile: Mobile) -> list[int]:
        """Numbers that such packets may be about: dialogs and their buttons, members, things, letters, the
        state that was shown last."""
        found = [0, 1, 2, 3, 4, 5]
        for dialog in mobile.dialogs.values():
            found += [dialog.serial, dialog.type_id, *(button.number for button in dialog.buttons)]
        if mobile.trade is not None:
            found += [mobile.trade.changes, mobile.trade.against(mobile).mobile.serial]
        if mobile.party is not None:
            found += [mobile.party.number, *mobile.party.members]
        if mobile.guild is not None:
            found += [mobile.guild.number, *mobile.guild.members]
        found += [letter.number for letter in mail.letters_of(mobile)]
        things = () if mobile.trade is None else dealing.things(mobile.trade.side(mobile))
        return found + [item.serial for item in (*things, *islice(hands.carried_items(mobile), FEW))]

    def state(self, mobile: Mobile) -> object:
        """What of it such packets change: equal as long as they have done nothing."""
        bargain, company, guild = mobile.trade, mobile.party, mobile.guild
        return (
            bargain and (bargain.changes, bargain.first.copy(), bargain.second.copy()),
            company and (tuple(company.members), company.leader, company.loot),
            guild
            and ([(one.character, one.rank) for one in guild.members.values()], guild.notice, len(guild.log)),
            [(one.number, one.read, one.box) for one in mail.letters_of(mobile)],
            sorted(mobile.dialogs),
            sorted(friends.friends_of(mobile)),
            safes.gold(mobile),
        )

    # Beside each other, and nothing of the last one left

    def _end(self, *people: Mobile) -> None:
        for mobile in people:
            dealing.end(mobile, Off.CLOSED)
            dialogs.forget_all(mobile)
            if mobile.party is not None:
                party.leave(mobile)
            if mobile.guild is not None:
                guilds.dissolve(self.world, mobile.guild)
            for letter in mail.letters_of(mobile):
                box = mail.box_of(self.world, letter)
                if box is not None:
                    self.world.delete(box)
                self.world.letters.remove(letter)
            for name in list(friends.friends_of(mobile).values()):
                friends.unfriend(mobile, name)

    def _meet(self, mobile: Mobile, other: Mobile) -> None:
        realm = other.realm
        assert realm is not None
        far = mobile.realm is not realm or max(abs(mobile.x - other.x), abs(mobile.y - other.y)) > NEAR
        if far:
            places = (place for place in realm.free_near(other.x, other.y) if place != (other.x, other.y))
            self.world.warp(mobile, realm, *next(places))

    def _provide(self, mobile: Mobile) -> None:
        pack = mobile.backpack
        if pack is not None and len(pack.contents) < FULL:
            for kind, least in (("bread", ENOUGH), ("gold", 20)):
                if hands.carried(mobile).get(kind, 0) < least:
                    granting.make(mobile, kind, least)

    def _at_the_bank(self, mobile: Mobile) -> Mobile:
        """Somebody who has letters, vaults and guilds' banks; for everybody who comes by."""
        if self._banker is None:
            kinds = self.world.content.mobiles
            kind = next(one for one in kinds.values() if vaults.BANKER in one.roles)
            self._banker = Mobile(self.world.serials.mobile(), self.world, kind.name, template=kind)
        realm, banker = mobile.realm, self._banker
        assert realm is not None
        if banker.realm is None:
            self.world.enter(banker, realm, mobile.x, mobile.y)
        else:
            self.world.warp(banker, realm, mobile.x, mobile.y)
        return banker

    # What they are

    def _trade(self, mobile: Mobile, other: Mobile) -> None:
        dealing.begin(mobile, other)
        trade.offer_kind(other, "bread", 2)
        trade.set_gold(other, 5)
        trade.offer_kind(mobile, "bread", 1)

    def _agreed(self, mobile: Mobile, other: Mobile) -> None:
        self._trade(mobile, other)
        trade.agree(other)

    def _asked_to_trade(self, mobile: Mobile, other: Mobile) -> None:
        trade.ask(other, mobile)

    def _led(self, mobile: Mobile, other: Mobile) -> None:
        party.invite(other, mobile)
        invites.accept(mobile, party.KIND)

    def _leads(self, mobile: Mobile, other: Mobile) -> None:
        party.invite(mobile, other)
        invites.accept(other, party.KIND)

    def _asked_into_a_party(self, mobile: Mobile, other: Mobile) -> None:
        party.invite(other, mobile)

    def _leads_a_guild(self, mobile: Mobile, other: Mobile) -> None:
        self._guild(mobile, other)
        banker = self._at_the_bank(mobile)
        guild_bank.deposit_gold(mobile, banker, 3)
        guild_hall.at_guild(mobile)

    def _serves_a_guild(self, mobile: Mobile, other: Mobile) -> None:
        self._guild(other, mobile)
        guild_hall.at_guild(mobile)

    def _guild(self, leader: Mobile, other: Mobile) -> None:
        guild = self.world.records.add(Guild(name="Hostile Hands", tag="HH"))
        guilds._enlist(leader, guild, Rank.LEADER)
        guilds._enlist(other, guild, Rank.OFFICER)

    def _asked_into_a_guild(self, mobile: Mobile, other: Mobile) -> None:
        guild = self.world.records.add(Guild(name="Hostile Hands", tag="HH"))
        guilds._enlist(other, guild, Rank.LEADER)
        guilds.invite(other, mobile)

    def _founds_a_guild(self, mobile: Mobile, other: Mobile) -> None:
        guild_hall.at_guild(mobile)

    def _letters(self, mobile: Mobile, other: Mobile) -> None:
        self._at_the_bank(mobile)
        (bread, *_) = hands.carried_items(other, "bread")
        for price in (0, 3):
            other.spoken = None
            mail.send(other, mobile.name, "Well?", subject="Bread", things=[(bread, 1)], price=price)
        postage.at_counter(mobile)

    def _bank(self, mobile: Mobile, other: Mobile) -> None:
        vaults.visit(mobile, self._at_the_bank(mobile))

    def _asked_to_fight(self, mobile: Mobile, other: Mobile) -> None:
        duels.ask(other, mobile)

    def _friends(self, mobile: Mobile, other: Mobile) -> None:
        friends.befriend(mobile, other.name)


SITUATIONS: Final[dict[str, Callable[[Situations, Mobile, Mobile], None]]] = {
    "trades": Situations._trade,
    "may agree": Situations._agreed,
    "is asked to trade": Situations._asked_to_trade,
    "follows in a party": Situations._led,
    "leads a party": Situations._leads,
    "is asked into a party": Situations._asked_into_a_party,
    "leads a guild": Situations._leads_a_guild,
    "serves a guild": Situations._serves_a_guild,
    "is asked into a guild": Situations._asked_into_a_guild,
    "founds a guild": Situations._founds_a_guild,
    "has letters": Situations._letters,
    "is at the bank": Situations._bank,
    "is asked to fight": Situations._asked_to_fight,
    "has friends": Situations._friends,
}
"""By name."""
