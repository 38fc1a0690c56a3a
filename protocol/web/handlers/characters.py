"""The character menu: listing, making, deleting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.services import Denied, NewCharacter
from protocol.session import Phase
from protocol.web.handlers.table import TABLE
from protocol.web.packets.login import CharacterLine, Characters, Create, Delete, List
from protocol.web.view import WebView
from protocol.web.words import refusal

if TYPE_CHECKING:
    from protocol.services import CharacterInfo
    from protocol.web.packets.base import Message
    from protocol.web.session import WebSession


async def list_characters(session: WebSession, kind: type[Message]) -> None:
    """Tell the account's characters, in answer to a message of that kind."""
    if session.account is None:
        return
    try:
        infos = await session.services.characters.all(session.account)
    except Denied as denied:
        session.send(refusal(denied, kind))
        return
    session.send(Characters(tuple(_line(session, info) for info in infos)))


def _line(session: WebSession, info: CharacterInfo) -> CharacterLine:
    chart = session.services.content.charts.get(info.realm)
    return CharacterLine(
        id=info.serial,
        name=info.name,
        level=info.character.level,
        look=WebView.of(session).figures.character(info),
        realm=chart.title if chart is not None else "",
    )


@TABLE.on(List, during=Phase.MENU, every=0.5)
async def list_again(session: WebSession, message: List) -> None:
    """list: the characters once more."""
    await list_characters(session, List)


@TABLE.on(Create, during=Phase.MENU, every=0.5)
async def create(session: WebSession, message: Create) -> None:
    """create: a new one. The world moves what newcomers may not have into what they may."""
    wish = NewCharacter(
        name=message.character,
        female=message.female,
        hair=message.hair,
        hair_hue=message.hair_hue,
        skin_hue=message.skin_hue,
    )
    try:
        await session.services.characters.create(session, wish)
    except Denied as denied:
        session.send(refusal(denied, Create))
        return
    await list_characters(session, Create)


@TABLE.on(Delete, during=Phase.MENU, every=0.5)
async def delete(session: WebSession, message: Delete) -> None:
    """delete: one is gone for good."""
    try:
        await session.services.characters.delete(session, message.id)
    except Denied as denied:
        session.send(refusal(denied, Delete))
        return
    await list_characters(session, Delete)
