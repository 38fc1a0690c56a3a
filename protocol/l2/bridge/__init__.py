"""The bridge between a login server and its game servers, as L2J speaks it (port 9014).

`packets` is what is said, `codec` how it lies on the wire. `LoginHall` is the login server's end and knows
who is on the way and who is where; `GamePost` is a game server's. Neither knows sockets: in one process they
are handed each other's messages as they are, otherwise `server.bridge_links` carries them. Handlers see no
more of it than `LoginSide` and `GameSide`.

    game server                          login server
                                         InitLS               (codec: an RSA modulus)
    BlowFishKey                                               (codec: the key of all that follows)
    AuthRequest                          AuthResponse, or LoginServerFail
    ServerStatus, PlayerInGame
    PlayerAuthRequest                    PlayerAuthResponse   somebody came with the four numbers of a login
    PlayerInGame, PlayerLogout
                                         KickPlayer           the account logs in anew
    ReplyCharacters                      RequestCharacters    for the list of servers
"""

from protocol.l2.bridge.hall import GamePeer, GameServer, LoginHall, Question
from protocol.l2.bridge.packets import BridgeMessage, BridgeRefused, FailReason, ServerState
from protocol.l2.bridge.post import GamePost, Identity
from protocol.l2.bridge.sides import GameSide, L2Services, LoginSide, Owned, Way

__all__ = [
    "BridgeMessage",
    "BridgeRefused",
    "FailReason",
    "GamePeer",
    "GamePost",
    "GameServer",
    "GameSide",
    "Identity",
    "L2Services",
    "LoginHall",
    "LoginSide",
    "Owned",
    "Question",
    "ServerState",
    "Way",
]
