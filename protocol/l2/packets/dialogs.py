"""Windows: pages with links, and questions with yes and no."""

from typing import Annotated, ClassVar, Final

from protocol.l2.packets.base import C8, D, S, counted, from_client, from_server
from protocol.l2.packets.talk import Parameter, check_text
from protocol.l2.versions import L2Version, Message

HTML_LIMIT: Final = 8192
"""Characters of a window; more crash the client."""


def html_letters(html: str) -> int:
    """The length that a text has for the client: what lies beyond the first 65536 characters counts twice."""
    return len(html.encode("utf-16-le", "replace")) // 2


@from_client
class RequestLinkHtml(Message):
    """A link of a window was clicked."""

    path: S


@from_client
class RequestBypassToServer(Message):
    """A button of a window was clicked."""

    command: S


@from_client
class DlgAnswer(Message):
    """The answer to a ConfirmDlg."""

    message_id: D
    answer: Annotated[D, "1: yes"]
    requester_id: D = 0


@from_client
class RequestShowBoard(Message):
    """The button of the community's board."""

    page: Annotated[D, "not read"] = 0


# --- server ---


@from_server
class ShowBoard(Message):
    """A part of the page of the community's board: such a page comes in three. The bypasses are those of the
    window's own buttons."""

    shown: Annotated[C8, "1: show, 0: hide"]
    home: S
    favourites: S
    region: S
    clan: S
    memo: S
    mail: S
    friends: S
    add_favourite: S
    content: Annotated[S, "101, 102 or 103, the control character 8, and so much of the page"]


@from_server
class NpcHtmlMessage(Message):
    """A window with text, links and buttons."""

    object_id: Annotated[D, "whose words it is"]
    html: S
    item_id: D = 0

    checked: ClassVar[bool] = True

    def check(self, version: L2Version) -> None:
        """Raises ValueError for a page that is so long that it crashes clients."""
        letters = html_letters(self.html)
        if letters > HTML_LIMIT:
            raise ValueError(f"a page of {letters} characters, at most {HTML_LIMIT} allowed")


@from_server
class ConfirmDlg(Message):
    """A question with yes and no; DlgAnswer answers it."""

    message_id: Annotated[D, "system_messages.toml"]
    parameters: Annotated[tuple[Parameter, ...], counted(Parameter, 4, limit=32)] = ()
    milliseconds: Annotated[D, "until it closes; 0: never"] = 0
    requester_id: D = 0

    checked: ClassVar[bool] = True

    def check(self, version: L2Version) -> None:
        """Raises ValueError if the text gets other parameters than it has places for."""
        check_text(self, self.message_id, self.parameters, version)
