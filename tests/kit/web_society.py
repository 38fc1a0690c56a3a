"""What the web client's page knows of other players who need not be in sight: its guild, its lists, letters
and its duel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from tests.kit.web_fields import Fields, Wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@attrs.frozen
class Fellow:
    """A member of its guild."""

    id: int
    name: str
    rank: int
    level: int
    online: bool
    game: str
    given: int
    times: tuple[int, int]
    """When it joined, and when it was seen."""


@attrs.define
class Guild:
    """Its guild."""

    number: int
    name: str
    tag: str
    notice: str
    gold: int
    members: dict[str, Fellow]
    """By name, the leader first."""
    ties: Mapping[str, tuple[str, bool]]
    """By tag: what is between both, and whether it is one's own guild that wanted it."""
    log: Sequence[str]
    ranks: Sequence[tuple[str, Sequence[str]]]
    """From the lowest on: its name, and what it may do."""


@attrs.frozen
class Letter:
    """A letter that waits."""

    id: int
    sender: str
    subject: str
    text: str
    parcel: Mapping[str, int]
    """How many of what, by name."""
    price: int
    read: bool
    times: tuple[int, int]
    """When it was sent, and when it goes back."""


@attrs.define
class Society:
    """All of it, and the messages that change it."""

    guild: Guild | None = None
    opened: int = 0
    """How often its panel was opened."""
    friends: dict[str, str | None] = attrs.Factory(dict)
    """By name: through which game it plays; None of who is away."""
    ignored: dict[int, str] = attrs.Factory(dict)
    letters: dict[int, Letter] = attrs.Factory(dict)
    sent: list[str] = attrs.Factory(list)
    """To whom letters went."""
    duel: tuple[int, str, int] | None = None
    """With whom, and how many seconds before it begins."""
    duels: list[tuple[int, bool | None]] = attrs.Factory(list)
    """Those that are over: with whom, and whether it won."""

    def rights(self, name: str) -> Sequence[str]:
        """What a member of its guild may do."""
        assert self.guild is not None
        return self.guild.ranks[self.guild.members[name].rank][1]

    def guild_told(self, fields: Fields) -> None:
        """`guild`."""
        self.opened += fields.flag("opened", False)
        fields.number("founded", 0)
        members = [_fellow(one) for one in fields.objects("members", optional=True)]
        ranks = [_rank(one) for one in fields.objects("ranks", optional=True)]
        guild = Guild(
            fields.number("number", 0),
            fields.text("name", ""),
            fields.text("short", ""),
            fields.text("notice", ""),
            fields.number("gold", 0),
            {one.name: one for one in members},
            dict(_tie(one) for one in fields.objects("ties", optional=True)),
            [_entry(one) for one in fields.objects("log", optional=True)],
            ranks,
        )
        if guild.number and (not ranks or sorted(members, key=lambda one: -one.rank) != members):
            raise Wrong("members are not in the order of their ranks")
        self.guild = guild if guild.number else None

    def member(self, fields: Fields) -> None:
        """`guild_member`."""
        told = _fellow(fields.one_object("member"))
        if self.guild is None or told.name not in self.guild.members:
            raise Wrong("no member of its guild")
        self.guild.members[told.name] = told

    def listed(self, fields: Fields) -> None:
        """`friends`."""
        self.friends = dict(_friend(one) for one in fields.objects("friends", optional=True))
        self.ignored = dict(_ignored(one) for one in fields.objects("ignored", optional=True))

    def friend(self, fields: Fields) -> None:
        """`friend`."""
        name, game = _friend(fields.one_object("friend"))
        if fields.flag("listed", True):
            self.friends[name] = game
        else:
            self.friends.pop(name, None)

    def ignore(self, fields: Fields) -> None:
        """`ignored`."""
        number, name = _ignored(fields.one_object("ignored"))
        if fields.flag("listed", True):
            self.ignored[number] = name
        else:
            self.ignored.pop(number, None)

    def mail(self, fields: Fields) -> None:
        """`mail`."""
        letters = [_letter(one) for one in fields.objects("letters", optional=True)]
        self.letters = {one.id: one for one in letters}
        if len(self.letters) < len(letters):
            raise Wrong("a letter twice")

    def letter_sent(self, fields: Fields) -> None:
        """`letter_sent`."""
        self.sent.append(fields.text("to"))

    def duel_counted(self, fields: Fields) -> None:
        """`duel_count`."""
        self.duel = fields.number("id"), fields.text("name"), fields.number("seconds")

    def duel_over(self, fields: Fields) -> None:
        """`duel_over`."""
        won = fields.flag("won") if fields.has("won") else None
        self.duels.append((fields.number("id"), won))
        self.duel = None
        if not fields.text("why"):
            raise Wrong("it does not say why")


def _fellow(fields: Fields) -> Fellow:
    fellow = Fellow(
        fields.number("id"),
        fields.text("name"),
        fields.number("rank"),
        fields.number("level"),
        fields.flag("online", False),
        fields.text("game", ""),
        fields.number("given", 0),
        (fields.number("joined", 0), fields.number("seen", 0)),
    )
    fields.rest()
    if fellow.online != bool(fellow.game):
        raise Wrong("who is here plays a game")
    return fellow


def _rank(fields: Fields) -> tuple[str, Sequence[str]]:
    rank = fields.text("name"), fields.texts("rights")
    fields.rest()
    return rank


def _tie(fields: Fields) -> tuple[str, tuple[str, bool]]:
    fields.text("name")
    fields.number("since", 0)
    tie = fields.text("short"), (fields.text("bond"), fields.flag("ours", False))
    fields.rest()
    return tie


def _entry(fields: Fields) -> str:
    fields.number("at")
    words = f"{fields.text('who')} {fields.text('deed')}"
    fields.rest()
    return words


def _friend(fields: Fields) -> tuple[str, str | None]:
    fields.number("id")
    name, online, game = fields.text("name"), fields.flag("online", False), fields.text("game", "")
    fields.rest()
    return name, game if online else None


def _ignored(fields: Fields) -> tuple[int, str]:
    ignored = fields.number("id"), fields.text("name")
    fields.rest()
    return ignored


def _letter(fields: Fields) -> Letter:
    parcel: dict[str, int] = {}
    for one in fields.objects("parcel", optional=True):
        one.look()
        parcel[one.text("name")] = one.number("amount", 1)
        one.rest()
    letter = Letter(
        fields.number("id"),
        fields.text("sender"),
        fields.text("subject"),
        fields.text("text", ""),
        parcel,
        fields.number("price", 0),
        fields.flag("read", False),
        (fields.number("at"), fields.number("until", 0)),
    )
    fields.rest()
    return letter


READERS: Final[Mapping[str, Callable[[Society, Fields], None]]] = {
    "guild": Society.guild_told,
    "guild_member": Society.member,
    "friends": Society.listed,
    "friend": Society.friend,
    "ignored": Society.ignore,
    "mail": Society.mail,
    "letter_sent": Society.letter_sent,
    "duel_count": Society.duel_counted,
    "duel_over": Society.duel_over,
}
"""By name of the message."""
