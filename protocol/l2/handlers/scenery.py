"""Clicks on what stands for a wall or a tree of the realm: they mean the ground there, and of a sign its
words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.handlers import motion as moving
from protocol.l2.packets import ActionFailed
from protocol.l2.view import L2View
from world import signs, speech
from world.mobile import Posture
from world.reach import Cannot

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile


def click_landmark(session: L2Session, mobile: Mobile, object_id: int, *, walks: bool) -> bool:
    """Do what a click on a landmark is for: read the sign that is near enough, else go there if it `walks`.
    Returns whether there is one of that number."""
    landmark = L2View.of(session).scenery.find(object_id)
    if landmark is None:
        return False
    there = mobile.realm is not None and mobile.realm.name == landmark.realm
    if there and landmark.signed:
        try:
            speech.notice(mobile, signs.read(mobile, (landmark.x, landmark.y)))
        except Cannot:  # from farther away it is a place like any other
            pass
        else:
            walks = False
    if there and walks and mobile.posture == Posture.STANDING:
        moving.leave_off(session, mobile)
        moving.go(session, mobile, landmark.x, landmark.y)
    else:
        session.send(ActionFailed())
    return True
