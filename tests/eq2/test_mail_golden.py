"""Letters byte by byte.

The order and the sizes of the fields are those of the public "EQ2 2006 Client Packet Reversing Notes" (types
270 to 276 and 279), which have them from the client; what they mean is from emagi/eq2emu:
server/WorldStructs.xml (WS_GetMailHeader and its neighbours) and client.h.
"""

from __future__ import annotations

import pytest

from protocol.endings import WireError
from protocol.eq2 import packets as eq2
from protocol.eq2.packets import (
    MailDeleteMessage,
    MailGetHeaders,
    MailGetMessage,
    MailHeaders,
    MailMessage,
    MailRemoveAttachments,
    MailSendMessage,
    MailSendReply,
    UpdatePlayerMail,
)
from tests.kit.eq2_player import newest_version
from tests.kit.eq2_post import Enclosed, Postbox

NOTHING = Enclosed((0, 0, 0, 0), 0, "", "")

BODY = (
    "00 {unique} {broker} {icon} 00 00000000 000000000000000000000000000000"  # maker ... 15 unknown bytes
    " 00 00 64 {weight} ffffffff ffffffff 00 00 00 03000000 00 00 {name} {about}"
)
NO_BODY = BODY.format(unique="00000000", broker="00" * 8, icon="ffff", weight="0000", name="00", about="0000")
KNIFE = BODY.format(
    unique="07000000", broker="0700000000000000", icon="0201", weight="2c01", name="02 6178", about="0100 21"
)


def test_a_list_byte_by_byte() -> None:
    thing = eq2.MailThing(7, 7, "ax", 0x0102, 300, "!")
    letters = (
        eq2.MailRecord(0x01020304, 5, "su", "Al", "", 1, 600, 0, eq2.MailEnclosed()),
        eq2.MailRecord(6, 5, "", "B", "", 0, 0, 0, eq2.MailEnclosed(gold=0x0A0B, amount=0x0203, thing=thing)),
    )
    body = bytes.fromhex(
        "ff 1201 09000000 02"  # 274, at whom, how many
        " 04030201 05000000 0200 7375 0200 416c 0000 01 58020000 00 ffffffff"
        f" 00000000 00000000 00000000 00000000 0000 {NO_BODY} 00000000"
        " 06000000 05000000 0000 0100 42 0000 00 00000000 00 ffffffff"
        f" 00000000 00000000 0b0a0000 00000000 0302 {KNIFE} 00000000"
        " 00000000 00000000 f4010000"
    )
    assert newest_version().encode(MailHeaders(9, letters)) == body
    assert newest_version().decode_server(body) == [MailHeaders(9, letters)]
    box = Postbox(newest_version())
    box.take(body)
    assert [one.brings for one in box.letters] == [NOTHING, Enclosed((0, 0, 0x0A0B, 0), 0x0203, "ax", "!")]


def test_a_letter_and_what_became_of_one_byte_by_byte() -> None:
    letter = eq2.MailRecord(6, 5, "B", "su", "hm", 1, 0, 1, eq2.MailEnclosed())
    for message, raw in (
        (
            MailMessage(9, letter, 0x0807060504030201, 3),
            "ff 1301 09000000 06000000 05000000 0100 42 0200 7375 0200 686d 01 00000000 01 ffffffff"
            f" 00000000 00000000 00000000 00000000 0000 {NO_BODY} 00000000 0102030405060708 03",
        ),
        (
            MailSendReply(0x0807060504030201, 9, eq2.MAIL_TO_FULL, "Al"),
            "ff 1401 0102030405060708 09000000 05 0200 416c 00000000 00 00000000",
        ),
    ):
        assert newest_version().encode(message) == bytes.fromhex(raw)
        assert newest_version().decode_server(bytes.fromhex(raw)) == [message]
    draft = UpdatePlayerMail(eq2.MailEnclosed(gold=2))
    inner = bytes.fromhex(
        f"ff ea01 00 00000000 00000000 02000000 00000000 0000 {NO_BODY} 00000000 00000000 0000 0000"
    )
    assert newest_version().encode(draft) == b"\x32" + len(inner).to_bytes(4, "little") + inner


@pytest.mark.parametrize(
    ("message", "raw"),
    [
        (MailGetHeaders(7), "ff 0e01 07000000"),
        (MailGetMessage(1, 2, 3, 4), "ff 0f01 0100000000000000 02000000 03000000 04"),
        (
            MailSendMessage("Al", "su", "hm", 1, 2, 3, b"\5"),
            "ff 1001 0200 416c 0200 7375 0200 686d 01 0200000000000000 03000000 05",
        ),
        (MailDeleteMessage(1, 2), "ff 1101 01000000 02000000"),
        (MailRemoveAttachments("Al", 1, 2), "ff 1701 0200 416c 01000000 02000000"),
    ],
)
def test_requests_byte_by_byte(message: eq2.Message, raw: str) -> None:
    assert newest_version().encode(message) == bytes.fromhex(raw)
    assert newest_version().decode_client(bytes.fromhex(raw)) == message
    with pytest.raises(WireError):
        newest_version().decode_client(bytes.fromhex(raw)[:-2])
