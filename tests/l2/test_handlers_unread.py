"""What Lineage II's clients may send and nothing here reads: named, answered, or silent for a reason."""

from __future__ import annotations

import pytest

from protocol.l2.handlers.unread import IDLE, WISHES, unlisted, unread
from protocol.session import ANY_PHASE
from protocol.wishes import Unmet
from server.content.families import build_families
from tests.kit.l2_versions import newest
from tests.kit.town import shipped_content


def test_every_message_that_the_version_names_is_listed_once() -> None:
    assert unlisted(newest()) == set()
    names = [name for lists in (WISHES, IDLE) for names in lists.values() for name in names]
    assert len(names) == len(set(names)) > 100


def test_the_list_of_requests_has_every_number_of_the_version() -> None:
    (family,) = build_families(shipped_content(), ["l2"]).values()
    listed = {request.name: request for request in family.requests()}
    assert set(newest().client_names.values()) <= listed.keys()
    assert listed["AuthLogin"].key == "0x08"
    assert isinstance(listed["RequestPreviewItem"].answer, Unmet)


@pytest.mark.parametrize("name", ["RequestDuelStart", "RequestPreviewItem"])
def test_it_ends_nobody_at_any_time(name: str) -> None:
    (family,) = build_families(shipped_content(), ["l2"]).values()
    (entry,) = (entry for entry in family.doors["game"].table if entry.name == name)
    assert entry.phases == ANY_PHASE
    assert name in dict(map(reversed, unread(newest())))  # type: ignore[arg-type] # pairs
