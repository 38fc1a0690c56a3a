"""Messages finished for one client, one after another.

Nearly all that is sent are moves, some forty for each step of anybody, and in a fight blows and the hits they
took, as many for each blow. So these are finished right here, if somebody else was sent the same before: what
`bind` of each would do (`protocol.eq2.ghosts`), without a call.

Where the codec is in another process the same is done but for the last of it: what is the same for many goes
there once, with a gap for the number by which each of them knows the thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from protocol.eq2.ghosts import Change, Hide, Move, Show, changed, destroyed, moved
from protocol.eq2.mentions import Between
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.ghosts import Viewer
    from protocol.eq2.structs import Figure, Ghost
    from protocol.outgoing import Outgoing, Part


def bound(messages: Sequence[Outgoing], viewer: Viewer) -> list[bytes]:
    """Messages bound for their client, one after another; those it needs not be told are left out.

    Nearly all that is sent are moves, some forty for each step of anybody, and in a fight blows and the hits
    they took, as many for each blow. So these are bound right here, if somebody else was sent the same
    before: what `bind` of each would do, without a call.
    """
    ghosts = viewer.ghosts.by_serial
    finished: list[bytes] = []
    for message in messages:
        kind = type(message)
        if kind is Change:
            figure = message.figure  # type: ignore[union-attr] # it is a Change
            ghost = ghosts.get(figure.serial)
            if ghost is None:
                continue
            if ghost.plain is figure.visible.now and ghost.arrow_for == figure.arrow_for(viewer):
                info = figure.info
                if ghost.info is info.now:
                    continue
                frame = info.frames[ghost.wide].get(ghost.info)
                if frame is not None:
                    ghost.info = info.now
                    finished.append(frame[0] + ghost.number + frame[1])
                    continue
            raw = changed(ghost, figure, viewer)
        elif kind is Between:
            if message.thing not in ghosts:  # type: ignore[union-attr] # it is a Between
                continue
            known = message.by in ghosts  # type: ignore[union-attr] # it is a Between
            raw = message.told if known else message.by_nobody()  # type: ignore[union-attr] # it is a Between
        elif kind is Move:
            figure = message.figure  # type: ignore[union-attr] # it is a Move
            ghost = ghosts.get(figure.serial)
            if ghost is None:
                continue
            position = figure.position
            if ghost.position is position.now:  # its client has it there, as one just made
                continue
            frame = position.frames[ghost.wide].get(ghost.position)
            if frame is not None:
                ghost.position = position.now
                finished.append(frame[0] + ghost.number + frame[1])
                continue
            raw = moved(ghost, figure, viewer.dialect)
        elif kind is Body:
            raw = message.raw  # type: ignore[union-attr] # it is a Body
        else:
            raw = cast("bytes", message.bind(viewer))  # type: ignore[arg-type, union-attr] # it is no Body
        if raw:
            finished.append(raw)
    return finished


def parted(messages: Sequence[Outgoing], viewer: Viewer, numbers: list[bytes]) -> list[Part]:
    """The same as parts that viewers share. `numbers` takes those that belong into the gaps."""
    ghosts = viewer.ghosts.by_serial
    parts: list[Part] = []
    for message in messages:
        kind = type(message)
        ghost: Ghost | None = None
        if kind is Move:
            figure = message.figure  # type: ignore[union-attr] # it is a Move
            ghost = ghosts.get(figure.serial)
            if ghost is None:
                continue
            position = figure.position
            if ghost.position is position.now:  # its client has it there, as one just made
                continue
            part = position.frames[ghost.wide].get(ghost.position)
            if part is not None:
                ghost.position = position.now
                parts.append(part)
                numbers.append(ghost.number)
                continue
            part = _moved(ghost, figure, viewer)
        elif kind is Body:
            parts.append(message)  # type: ignore[arg-type] # it is a Body
            continue
        elif kind is Show:
            part = message.part(viewer)  # type: ignore[union-attr] # it is a Show
            ghost = ghosts.get(message.figure.serial)  # type: ignore[union-attr]
        elif kind is Hide and message.corpse is None:  # type: ignore[union-attr] # it is a Hide
            ghost = viewer.ghosts.remove(message.serial)  # type: ignore[union-attr]
            part = destroyed(ghost, viewer.dialect) if ghost is not None else b""
        elif kind is Change:
            figure = message.figure  # type: ignore[union-attr] # it is a Change
            ghost = ghosts.get(figure.serial)
            part = _changed(ghost, figure, viewer) if ghost is not None else b""
        else:
            part = cast("bytes", message.bind(viewer))  # type: ignore[arg-type, union-attr] # it is no Body
        if not part:
            continue
        if isinstance(part, bytes):
            parts.append((part, message.droppable))
        else:
            parts.append(part)
            numbers.append(ghost.number)  # type: ignore[union-attr] # only of a ghost there are halves
    return parts


def _moved(ghost: Ghost, figure: Figure, viewer: Viewer) -> bytes | tuple[bytes, bytes]:
    """The first update of a ghost's position since it was where this client has it."""
    before = ghost.position
    message = moved(ghost, figure, viewer.dialect)
    return message and figure.position.frames[ghost.wide].get(before, message)


def _changed(ghost: Ghost, figure: Figure, viewer: Viewer) -> bytes | tuple[bytes, bytes]:
    """The update of a ghost's looks."""
    if ghost.plain is not figure.visible.now or ghost.arrow_for != figure.arrow_for(viewer):
        return changed(ghost, figure, viewer)
    before = ghost.info
    message = changed(ghost, figure, viewer)
    return message and figure.info.frames[ghost.wide].get(before, message)
