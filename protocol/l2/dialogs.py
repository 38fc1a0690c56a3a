"""The world's dialogs, and whatever else this game's client shows in the window of a conversation: a page of
a small subset of HTML, with links.

What a link sends back (its *bypass*) counts only if the page that the player was shown last has such a link;
`Page` notes that for each client when it leaves. The bypass of a dialog's button names the dialog's serial
and type and the button, so that an answer is checked as strictly as in any other game. What a player types
into a page comes back behind its link, in the place of the variable that the page names.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from protocol.l2.packets import HTML_LIMIT, NpcHtmlMessage, html_letters
from world import dialogs
from world.forms import step_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from world.mobile import Dialog, Mobile

ANSWER: Final = "answer"
WRITE: Final = "write"
"""The first word of a button's bypass, and of one with words that were typed."""

VARIABLE: Final = " $words"
"""The end of a bypass for which the client puts what was typed."""

LONGEST_LABEL: Final = 100
"""Characters of a title or of a link's words: with as many links as a dialog has, less than a page."""


class Page:
    """A page in the conversation window. `links` are the bypasses that may come back, `speaker` is the serial
    of who says it, 0 for nobody."""

    __slots__ = ("_links", "_raw")
    droppable = False

    def __init__(self, version: L2Version, html: str, links: Sequence[str], speaker: int) -> None:
        self._raw = version.encode(NpcHtmlMessage(speaker, html))
        self._links = frozenset(links)

    def bind(self, session: L2Session) -> bytes:
        """The message. Notes which links the client's player has before it now."""
        session.html = self._links
        return self._raw


def question(dialog: Dialog, version: L2Version) -> Page:
    """A dialog as a page: its title, its text, and a link for each button."""
    step, name = step_of(dialog), f"{dialog.serial} {dialog.type_id}"
    links = [(f"{ANSWER} {name} {way.number}", way.label) for way in step.ways]
    texts = [step.text]
    if step.typed is not None:
        links.insert(0, (f"{WRITE} {name}{VARIABLE}", "That is my answer."))
        texts.append(step.wanted)
    speaker = dialog.asker.serial if dialog.asker is not None else 0
    html = page(dialog.title, texts, links, field=step.typed is not None)
    return Page(version, html, [link for link, _ in links], speaker)


def page(
    title: str,
    lines: Sequence[str],
    links: Sequence[tuple[str, str]],
    *,
    field: bool = False,
    limit: int = HTML_LIMIT,
    closes: bool = True,
) -> str:
    """The HTML of some lines and links (bypass and label), with a field to type into or without; of too many
    links and of too much text the end is left out. `limit`: characters; `closes`: its window, by a link."""
    head, end = f"<html><body>{escape(title[:LONGEST_LABEL], quote=False)}:<br>", "</body></html>"
    bypass = "bypass -h " if closes else "bypass "
    anchors = (
        f'<a action="{bypass}{link}">{escape(label[:LONGEST_LABEL], quote=False)}</a><br>'
        for link, label in links
    )
    box = f'<edit var="{VARIABLE.strip(" $")}" width=200><br>' if field else ""
    foot = box + _as_far_as_it_fits(anchors, limit - html_letters(head + box + end))
    texts = (f"{escape(line, quote=False)}<br>" for line in lines)
    text = _as_far_as_it_fits(texts, limit - html_letters(head + foot + end))
    return head + text + foot + end


def _as_far_as_it_fits(parts: Iterable[str], room: int) -> str:
    fitting = ""
    for part in parts:
        room -= html_letters(part)
        if room < 0:
            break
        fitting += part
    return fitting


def offered(link: str) -> str:
    """The link of a page that a bypass must have come from: with the variable in place of what was typed."""
    words = link.split(" ", 3)
    return " ".join(words[:3]) + VARIABLE if words[0] == WRITE else link


def answer(mobile: Mobile, bypass: str) -> bool:
    """A button's bypass, or one with typed words; False, and nothing happens, unless it fits an open dialog.
    Raises as `dialogs.answer` does."""
    if bypass.startswith(WRITE):
        _, one, other, text = (*bypass.split(" ", 3), "", "", "")[:4]
        if not (one.isdecimal() and other.isdecimal()):
            return False
        return dialogs.write(mobile, int(one[:10]), int(other[:10]), text)
    words = bypass.split()
    if len(words) != 4 or words[0] != ANSWER or not all(word.isdecimal() for word in words[1:]):
        return False
    serial, kind, button = (int(word[:10]) for word in words[1:])
    return dialogs.choose(mobile, serial, kind, button)
