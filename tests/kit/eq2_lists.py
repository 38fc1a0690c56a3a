"""What an EverQuest II client keeps of its guild and of its lists of names, from the messages it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.eq2 import packets as eq2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.eq2.versions import Eq2Version, Message


class Lists:
    """They, as they are after the messages. `own`: the client's own character."""

    def __init__(self, version: Eq2Version, own: int) -> None:
        self._version = version
        self._own = own
        self.guild: eq2.GuildUpdate | None = None
        self.members: dict[int, eq2.GuildMember] = {}
        """By number; a list that comes is added to what is there, and only a message takes somebody out."""
        self.friends: dict[str, str] = {}
        """Where they are, by name; nothing of those who are away."""
        self.ignored: set[str] = set()

    def hear(self, messages: Iterable[Message]) -> None:
        """Believe more of them."""
        for message in messages:
            match message:
                case eq2.GuildUpdate():
                    self.guild = message
                case eq2.GuildMembershipResponse():
                    assert message.character_id == self._own
                    self._is_of(message.guild_id)
                    roll = self._version.unpack_struct(eq2.GuildRoll, message.roll)
                    self.members |= {one.character_id: one for one in roll.members}
                case eq2.JoinGuildNotify():
                    self._is_of(message.guild_id)
                    self.members[message.member.character_id] = message.member
                case eq2.LeaveGuildNotify():
                    self._is_of(message.guild_id)
                    del self.members[message.character_id]
                    if message.character_id == self._own:
                        self.guild, self.members = None, {}
                case eq2.ChatRelationships():
                    self._relate(message)

    def names(self) -> dict[str, int]:
        """The members' ranks by name."""
        return {one.name: one.rank for one in self.members.values()}

    def _is_of(self, guild: int) -> None:
        assert self.guild is not None, "it was told what the guild is"
        assert self.guild.guild_id == guild

    def _relate(self, message: eq2.ChatRelationships) -> None:
        for one in message.names:
            match message.kind:
                case eq2.FRIEND:
                    self.friends[one.name] = one.location
                case eq2.UNFRIEND:
                    del self.friends[one.name]
                case eq2.IGNORE:
                    self.ignored.add(one.name)
                case eq2.HEED:
                    self.ignored.remove(one.name)
