"""Texts of data/ with names in braces, as a designer writes them.

`{name}` is the player and `{me}` who speaks: these stay, for the world to fill in. `{3 apple}` is "3 apples",
`{1 gold}` "1 gold coin" and `{bread}` what a loaf is called: these become words when the content is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from protocol.tables import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from world.content import ItemTemplate

NAMES: Final = ("name", "me")
"""What stays in braces."""

LONGEST: Final = 600
"""Characters of one text: what a window of the narrowest game shows."""

LONGEST_ANSWER: Final = 80
"""Characters of an answer to choose: Lineage II's links are cut at 100, and a name may stand in it."""

_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_AMOUNT: Final = re.compile(r"([0-9]{1,9})\s+(\S+)")


def spelled(
    text: str,
    items: Mapping[str, ItemTemplate],
    wrong: list[str],
    unread: Collection[str] = (),
    names: Collection[str] = NAMES,
    longest: int = LONGEST,
) -> str:
    """The text with the names and amounts of items in words, in which `names` stay in braces; what is wrong
    with it goes to `wrong`. Keys of `unread` are wrong elsewhere."""

    def words(found: re.Match[str]) -> str:
        inside = found[1].strip()
        if inside in names:
            return f"{{{inside}}}"
        amount = _AMOUNT.fullmatch(inside)
        key = amount[2] if amount is not None else inside
        template = items.get(key)
        if template is None:
            if key not in unread:
                wrong.append(f"no {key!r} to be named in braces{nearest(key, [*names, *items])}: {text!r}")
            return ""
        return template.name if amount is None else template.many(int(amount[1]))

    if not text.strip():
        wrong.append("is empty")
    if len(text) > longest:
        wrong.append(f"must have {longest} characters at most, has {len(text)}")
    if any(not letter.isprintable() and letter != "\n" for letter in text):
        wrong.append(f"has characters that cannot be shown: {text!r}")
    if set("{}") & set(_BRACES.sub("", text)):
        wrong.append(f"a brace without its other half: {text!r}")
        return ""
    return _BRACES.sub(words, text)
