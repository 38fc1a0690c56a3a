"""Letters as messages of this game: a panel beside the map, with pictures of what they bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web.packets.mail import Enclosed, Letter, Mail

if TYPE_CHECKING:
    from protocol.web.looks import WebLooks
    from world.content import Content
    from world.events import MailListed
    from world.social_events import Envelope


def listed(event: MailListed, looks: WebLooks) -> Mail:
    """The letters that wait for somebody."""
    content = event.thing.world.content
    return Mail(tuple(_letter(one, content, looks) for one in event.envelopes))


def _letter(one: Envelope, content: Content, looks: WebLooks) -> Letter:
    parcel = tuple(
        Enclosed(content.items[key].name, looks.item(content.items[key]), amount)
        for key, amount in one.parcel
    )
    return Letter(
        id=one.serial,
        sender=one.sender,
        subject=one.subject,
        at=int(one.at),
        text=one.text,
        until=int(one.until),
        parcel=parcel,
        price=one.price,
        read=one.read,
    )
