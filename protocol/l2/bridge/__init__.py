"""The bridge between a login server and its game servers, as L2J speaks it (port 9014).

    game server                          login server
                                         InitLS               (codec: an RSA modulus)
    BlowFishKey                                               (codec: the key of all that follows)
    AuthRequest                          AuthResponse, or LoginServerFail
    ServerStatus, PlayerInGame
    PlayerAuthRequest                    PlayerAuthResponse   somebody came with the four numbers of a login
    PlayerInGame, PlayerLogout
                                         KickPlayer           the account logs in anew
    ReplyCharacters                      RequestCharacters    for the list of servers

`packets` is what is said, `codec` how it lies on the wire. `login_server` and `game_server` are the two ends:
who is on the way and who is where, without sockets and without a clock. `login_side` and `game_side` are what
handlers see of them, each at its door, and know nothing of where the other end is: in one process the ends
are handed each other's messages as they are, otherwise `links` carries them over TCP. `service` puts together
what this process has of all that, by `protocol.l2.bridge_settings`, and is what the server runs.
"""

from protocol.l2.bridge.game_server import GameServer, Identity
from protocol.l2.bridge.game_side import GameSide
from protocol.l2.bridge.login_server import GamePeer, GameServerInfo, LoginServer, Question
from protocol.l2.bridge.login_side import LoginSide, Owned, Way
from protocol.l2.bridge.packets import BridgeMessage, BridgeRefused, FailReason, ServerState

__all__ = [
    "BridgeMessage",
    "BridgeRefused",
    "FailReason",
    "GamePeer",
    "GameServer",
    "GameServerInfo",
    "GameSide",
    "Identity",
    "LoginServer",
    "LoginSide",
    "Owned",
    "Question",
    "ServerState",
    "Way",
]
