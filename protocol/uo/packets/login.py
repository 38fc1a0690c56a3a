"""From the seed to the character screen: login server, server list, relay, and the account's characters.

There are two connections. On the first the client says name and password and chooses a server, which sends it
on with a key; on the second it shows that key, with name and password again, and is sent its characters. What
differs between versions has a class for each layout, named `...Old` for the older one; which of them a client
reads `protocol.uo.versions` knows, and only the handlers choose.
"""

from typing import Annotated, ClassVar

from protocol.uo.packets.base import (
    Address,
    Ascii,
    ClientPacket,
    Key,
    Name,
    ServerPacket,
    element,
    packet,
)
from protocol.wire.declare import Struct
from protocol.wire.fields import (
    S8,
    S16,
    S32,
    U8,
    U16,
    U32,
    Blob,
    Constant,
    FixedText,
    Listed,
)

# --- client: login connection ---


@packet(0xEF, length=21)
class Seed(ClientPacket):
    """The connection's seed and the client's version (0xEF, new seed; from 6.0.5.0 on)."""

    seed: Annotated[U32, "never 0"]
    major: U32
    minor: U32
    revision: U32
    patch: U32


@packet(0x80, length=62)
class AccountLogin(ClientPacket):
    """Name and password (0x80, AccountLoginReq)."""

    name: Name
    password: Name
    next_key: Annotated[U8, "0x5D or 0xFF, meaningless"]


@packet(0xCF, length=78)
class OtherAccountLogin(ClientPacket):
    """Name and password of clients with another login screen (0xCF, IGR account login)."""

    name: Name
    password: Name
    rest: Annotated[bytes, Blob(17)]


@packet(0xA0, length=3)
class SelectServer(ClientPacket):
    """The chosen line of the server list (0xA0, PlayServer)."""

    index: Annotated[U16, "as sent in the list"]


# --- client: game connection ---


@packet(0x91, length=65)
class GameLogin(ClientPacket):
    """The relay's key, and name and password again (0x91, GameServerLogin)."""

    key: Key
    name: Name
    password: Name


@packet(0x00, length=104)
class CreateCharacter(ClientPacket):
    """A new character with three skills (0x00, CreateCharacter; until 7.0.16)."""

    pattern: ClassVar = Constant(b"\xed\xed\xed\xed\xff\xff\xff\xff\x00")
    name: Name
    unknown1: U16
    client_flags: U32
    unknown2: U32
    login_count: U32
    profession: U8
    unused: Annotated[bytes, Blob(15)]
    race_sex: Annotated[U8, "odd: female"]
    strength: U8
    dexterity: U8
    intelligence: U8
    skills: Annotated[bytes, Blob(6), "three times skill, value"]
    skin_hue: Annotated[U16, "bit 15 set"]
    hair: Annotated[U16, "item id"]
    hair_hue: U16
    beard: Annotated[U16, "item id"]
    beard_hue: U16
    unknown3: U8
    city: U8
    slot: U32
    address: Address
    shirt_hue: U16
    pants_hue: U16


@packet(0xF8, length=106)
class CreateCharacterFourSkills(ClientPacket):
    """A new character with four skills (0xF8, CreateCharacter7016; from 7.0.16 on)."""

    pattern: ClassVar = Constant(b"\xed\xed\xed\xed\xff\xff\xff\xff\x00")
    name: Name
    unknown1: U16
    client_flags: U32
    unknown2: U32
    login_count: U32
    profession: U8
    unused: Annotated[bytes, Blob(15)]
    race_sex: Annotated[U8, "odd: female"]
    strength: U8
    dexterity: U8
    intelligence: U8
    skills: Annotated[bytes, Blob(8), "four times skill, value"]
    skin_hue: Annotated[U16, "bit 15 set"]
    hair: Annotated[U16, "item id"]
    hair_hue: U16
    beard: Annotated[U16, "item id"]
    beard_hue: U16
    unknown3: U8
    city: U8
    slot: U32
    address: Address
    shirt_hue: U16
    pants_hue: U16


@packet(0x5D, length=73)
class PlayCharacter(ClientPacket):
    """Enter the world with the character of a slot (0x5D, PlayCharacter)."""

    pattern: ClassVar = Constant(b"\xed\xed\xed\xed")
    name: Name
    unknown: U16
    client_flags: U32
    unused: Annotated[bytes, Blob(24)]
    slot: U32
    address: Address


@packet(0x83, length=39)
class DeleteCharacter(ClientPacket):
    """Delete the character of a slot (0x83, DeleteCharacter)."""

    password: Name
    slot: U32
    address: Address


@packet(0xBD, trailing=True)
class VersionAnswer(ClientPacket):
    """The client's version as text: "5.0.9.1", "4.0.11c" (0xBD, ClientVersion)."""

    version: Ascii


# --- server: login connection ---


@element
class ServerEntry(Struct):
    """One line of the server list."""

    index: U16
    name: Annotated[str, FixedText(size=32)]
    full: Annotated[U8, "percent"]
    timezone: S8
    address: Annotated[bytes, Blob(4), "IPv4, last byte first: only for the ping column"]


@packet(0xA8)
class ServerList(ServerPacket):
    """The servers to choose from (0xA8, AccountLoginAck)."""

    flags: Annotated[U8, "0x5D"]
    servers: Annotated[tuple[ServerEntry, ...], Listed(ServerEntry, count=2)]


@packet(0x8C, length=11)
class Relay(ServerPacket):
    """The address that the game connection goes to, and the key it opens with (0x8C, PlayServerAck)."""

    secret = True

    address: Address
    port: U16
    key: Key


@packet(0x82, length=2)
class LoginRejected(ServerPacket):
    """Why the login failed (0x82, AccountLoginRej); see `Rejection`."""

    reason: U8


@packet(0x53, length=2)
class Popup(ServerPacket):
    """A message box of the character screen (0x53, PopupMessage); see `PopupReason`."""

    reason: U8


# --- server: game connection ---


@packet(0xB9, length=5)
class Features(ServerPacket):
    """The expansions whose features the client unlocks (0xB9, SupportedFeatures; from 6.0.14.2 on)."""

    flags: U32


@packet(0xB9, length=3)
class FeaturesOld(ServerPacket):
    """The expansions whose features the client unlocks (0xB9, SupportedFeatures; until 6.0.14.2)."""

    flags: U16


@element
class CharacterSlot(Struct):
    """One line of the character list; empty when there is no character."""

    name: Name
    password: Name


@element
class City(Struct):
    """A starting place (from 7.0.13.0 on)."""

    index: U8
    city: Annotated[str, FixedText(size=32)]
    building: Annotated[str, FixedText(size=32)]
    x: U32
    y: U32
    z: S32
    map: U32
    description: Annotated[U32, "cliloc number"]
    reserved: U32


@element
class CityOld(Struct):
    """A starting place (until 7.0.13.0)."""

    index: U8
    city: Annotated[str, FixedText(size=31)]
    building: Annotated[str, FixedText(size=31)]


@packet(0xA9)
class CharacterList(ServerPacket):
    """The account's characters and where new ones may start (0xA9, CharacterList; from 7.0.13.0 on)."""

    slots: Annotated[tuple[CharacterSlot, ...], Listed(CharacterSlot, count=1)]
    cities: Annotated[tuple[City, ...], Listed(City, count=1)]
    flags: U32
    last_slot: Annotated[S16, "-1: none"]


@packet(0xA9)
class CharacterListOld(ServerPacket):
    """The account's characters and where new ones may start (0xA9, CharacterList; until 7.0.13.0)."""

    slots: Annotated[tuple[CharacterSlot, ...], Listed(CharacterSlot, count=1)]
    cities: Annotated[tuple[CityOld, ...], Listed(CityOld, count=1)]
    flags: U32


@packet(0x86)
class CharacterListUpdate(ServerPacket):
    """The characters after a deletion (0x86, CharacterListUpdate)."""

    slots: Annotated[tuple[CharacterSlot, ...], Listed(CharacterSlot, count=1)]


@packet(0x85, length=2)
class DeleteRefused(ServerPacket):
    """Why a character was not deleted (0x85, DeleteResult); see `DeletionRefusal`."""

    reason: U8


@packet(0xBD)
class VersionRequest(ServerPacket):
    """Asks a client that has not said so for its version (0xBD, ClientVersionReq)."""


class Rejection:
    """Reasons of 0x82 (ServUO: Server/Network/Packets.cs, ALRReason)."""

    INVALID = 0
    IN_USE = 1
    BLOCKED = 2
    BAD_PASSWORD = 3
    IDLE = 0xFE
    COMMUNICATION = 0xFF


class PopupReason:
    """Reasons of 0x53 (ServUO: Server/Network/Packets.cs, PMMessage)."""

    NO_CHARACTER = 1
    EXISTS = 2
    IN_WORLD = 5
    SYNC = 6
    IDLE = 7


class DeletionRefusal:
    """Reasons of 0x85 (ServUO: Server/Network/Packets.cs, DeleteResultType)."""

    BAD_PASSWORD = 0
    NO_CHARACTER = 1
    BEING_PLAYED = 2
    BAD_REQUEST = 5
