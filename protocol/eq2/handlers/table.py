"""The tables of messages and of slash commands, which the modules of this package fill.

Numbers and layouts are those of the client's version, which are read from data at start. So handlers are
collected here by the class of their message, and `make_table` makes the table when the versions are known.

A slash command comes as the place of its word in a list that we gave the client, and what was typed behind
it. The client knows no words of its own here: what is not in the list it refuses by itself. So the numbers
are ours; they stay what they are, and new words go to the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast

from protocol.dispatch import Rows, Table
from protocol.endings import WireError
from protocol.eq2.handlers.unread import unread
from protocol.eq2.versions import role_of_class
from protocol.wishes import Wish, tell
from world import speech

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Versions, Message
    from world.mobile import Mobile

ROWS: Final[Rows[Eq2Session]] = Rows()
"""All handlers of messages of this game."""

LOGIN_DOOR: Final = "login"
WORLD_DOOR: Final = "world"


def make_table(versions: Eq2Versions) -> Table[Eq2Session]:
    """The table for clients of these versions. A message that is not known is logged and skipped: clients
    send many of which nobody knows what they mean."""

    def decoder(packet: type) -> Callable[[bytes], object]:
        return versions.decoder(cast("type[Message]", packet))

    made: Table[Eq2Session] = Table(
        opcode_of_frame=versions.role_of, opcode_of_class=role_of_class, decode=decoder, tolerant=True
    )
    ROWS.into(made)
    unread(made, versions.newest)
    return made


def require_door(session: Eq2Session, door: str) -> None:
    """Each door has its own messages, though one table serves both. Raises WireError."""
    if session.door != door:
        raise WireError(f"a message for the {door} door came through the {session.door} door")


# Slash commands

ORDER: Final = "causeway"
"""The word before an order to the server: `/causeway where`."""

_WORDS: Final = (
    *("say", "shout", "ooc", "tell", "emote", "who", "target", "camp", "quit", "use_ability", "inventory"),
    *("ready_for_takeoff", "sit", "stand", "take", "drop", "open", "wear", "remove", "answer", ORDER, "hail"),
    "answer_typed",
)

_LATER: Final = ("autoattack", "use", "groupsay", "gsay", "g", "guildsay", "gu")

_MEANT: Final[Mapping[Wish, Sequence[str]]] = {
    Wish.CASTING: ("use_ability", "useability"),
    Wish.TRAVEL: ("ready_for_takeoff",),
    Wish.INSPECTING: ("inspect",),
    Wish.DICE: ("random",),
    Wish.AWAY: ("afk",),
    Wish.UNASKED: ("accept_resurrection", "decline_resurrection"),
    Wish.WEARING: ("repair", "mender_repair", "mender_repair_all"),
}
WISHES: Final = {name: wish for wish, names in _MEANT.items() for name in names}
"""Words of which there is only a line; names as in EQ2Emulator's table of commands."""

COINS: Final = ("copper", "silver", "gold", "plat")
"""Coins of the words that put them into a trade, the smallest first."""

_OF_THE_GAME: Final = (
    *("useability", "loot", "lootcorpse"),
    *("invite", "acceptinvite", "declineinvite", "leavegroup", "disband", "kickfromgroup"),
    *("start_trade", "add_trade_item", "accept_trade", "reject_trade", "cancel_trade"),
    *("start_merchant", "buy_from_merchant", "sell_to_merchant", "buyback_from_merchant"),
    *("bank_deposit", "bank_withdraw", "friend", "friends", "ignore", "follow", "inspect", "duel", "random"),
    *("afk", "consider", "accept_resurrection", "decline_resurrection", "select_junction"),
)

NAMES: Final = (
    *(*_WORDS, *sorted(speech.EMOTES), *_LATER, "attack"),
    *_OF_THE_GAME,
    *("loot_all", "loot_nothing", "stopfollow"),
    *(
        "merchant",
        "cancel_merchant",
        "start_bank",
        "bank",
        "cancel_bank",
        "bank_cancel",
        "deposit",
        "withdraw",
    ),
    *("journal", "q_accept_pending_quest", "q_deny_pending_quest", "deletequest"),
    *("equip", "unequip", "use_item", "info", "put", "repair", "mender_repair", "mender_repair_all"),
    "accept_reward",
    *(f"{deed}_trade_{coin}" for deed in ("add", "remove") for coin in COINS),
    *("remove_trade_item", "set_trade_coin", "makeleader"),
    *("guild", "officersay", "os", "set_guild_member_note", "set_guild_officer_note"),
    *("friend_add", "friend_remove", "ignore_add", "ignore_remove", "ignores"),
    *("report", "report_abuse", "reportspam", "petition", "report_bug", "report_typo", "report_feedback"),
    *("duel_accept", "duel_decline", "duel_surrender", "surrender"),
    *("start_mail", "getmailheaders", "getmailmessage", "takemailattachments", "deletemailmessage"),
    *("set_mail_item", "cancel_mail", "cancel_send_mail"),
    *(f"{deed}_mail_{coin}" for deed in ("add", "remove") for coin in COINS),
    "refusemailmessage",
)
"""All words, each at its number. The world's gestures are words of their own, as in the game."""

Command: TypeAlias = "Callable[[Eq2Session, Mobile, str], None]"
"""The deed of a word; the text is what was typed behind it, trimmed. What the world refuses (`Cannot`) is
told to the player by whoever runs it."""

_COMMANDS: Final[dict[str, Command]] = {}


def command(*names: str) -> Callable[[Command], Command]:
    """Register what some words do."""

    def register(run: Command) -> Command:
        for name in names:
            if name not in NAMES or name in _COMMANDS or name in WISHES:
                raise ValueError(f"/{name} has no number, or is taken")
            _COMMANDS[name] = run
        return run

    return register


def number_of(name: str) -> int:
    """The number of a word."""
    return NAMES.index(name)


def without_meaning() -> set[str]:
    """Words that do nothing; a mistake of ours."""
    return set(NAMES) - _COMMANDS.keys() - WISHES.keys()


def run_word(session: Eq2Session, mobile: Mobile, name: str, text: str = "") -> None:
    """Do what a word means, with what stands behind it; or say that there is no such thing. Raises
    Cannot."""
    run = _COMMANDS.get(name)
    if run is None:
        tell(session, WISHES.get(name, Wish.UNKNOWN))
    else:
        run(session, mobile, text)
