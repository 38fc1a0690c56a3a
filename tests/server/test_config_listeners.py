"""The `[listen.*]` tables: what a listener tells the rest of the server, and what cannot be true together."""

import attrs
import pytest

from protocol.address import Address, Advertise
from protocol.co.listener import CoListener
from protocol.eo.listener import EoListener
from protocol.eq2.listener import Eq2Listener
from protocol.l2.listener import L2Listener
from protocol.listener import Listener
from protocol.uo.listener import UoListener
from protocol.web.listener import WebListener
from server.settings.config import LISTENERS, ConfigError, changed_at_runtime, parse


def problems(text: str) -> list[str]:
    """The mistakes found in a text, without the name of the file."""
    with pytest.raises(ConfigError) as caught:
        parse(text, "test.toml")
    return [problem.removeprefix("test.toml: ") for problem in caught.value.problems]


def test_every_game_is_found_by_its_name() -> None:
    assert {
        "uo": UoListener,
        "eo": EoListener,
        "eq2": Eq2Listener,
        "co": CoListener,
        "l2": L2Listener,
        "web": WebListener,
    } == LISTENERS


@pytest.mark.parametrize("kind", LISTENERS.values(), ids=LISTENERS.keys())
def test_each_key_of_a_game_is_a_door_or_a_setting_of_its_codec(kind: type[Listener]) -> None:
    listener = kind()
    own = {key.name for key in attrs.fields(kind) if "aside" not in key.metadata}
    own -= {key.name for key in attrs.fields(Listener)}
    assert listener.addresses().keys() | listener.codec_settings().keys() == own
    assert listener.addresses().keys() & listener.codec_settings().keys() == set()
    assert all(type(address) is Address for address in listener.addresses().values())


def test_a_door_that_is_switched_off_has_no_address() -> None:
    assert EoListener(websocket=False).addresses() == {"game": Address("0.0.0.0", 8078)}
    assert EoListener(websocket=False).codec_settings() == {}


def test_the_cipher_of_ultima_online_reaches_its_codec() -> None:
    assert UoListener(encryption="plain").codec_settings() == {"encryption": "plain"}


def test_everquest_has_a_port_to_log_in_and_one_to_play() -> None:
    assert Eq2Listener().addresses() == {
        "login": Address("0.0.0.0", 9100),
        "world": Address("0.0.0.0", 9001),
    }
    assert Eq2Listener.datagrams
    assert not UoListener.datagrams
    assert not EoListener.datagrams


def test_conquer_has_a_port_to_log_in_and_one_to_play_for_each_patch() -> None:
    listener = CoListener()
    assert listener.addresses() == {"account": Address("0.0.0.0", 9958), "game": Address("0.0.0.0", 5816)}
    assert listener.codec_settings() == {"patch": 5017}
    later = parse('[listen.co_5065]\naccount = "h:9959"\ngame = "h:5817"\npatch = 5065').listen["co_5065"]
    assert later.codec_settings() == {"patch": 5065}
    (problem,) = problems("[listen.co]\npatch = 5066")
    assert problem.startswith("listen.co.patch: must be one of")


def test_lineage_has_a_port_to_log_in_and_one_to_play() -> None:
    listener = L2Listener()
    assert listener.addresses() == {"login": Address("0.0.0.0", 2106), "game": Address("0.0.0.0", 7777)}
    assert listener.codec_settings() == {
        "packet_encryption": True,
        "protocols": (740, 741, 742, 743, 744, 745, 746),
        "show_licence": True,
        "delete_days": 7.0,
    }
    assert problems("[listen.l2]\nprotocols = []") == ["listen.l2.protocols: must not be empty"]


def test_the_page_is_for_this_machine_unless_it_is_said_to_be_public() -> None:
    assert WebListener().addresses() == {"http": Address("127.0.0.1", 8080)}
    assert WebListener().codec_settings() == {}
    for host in ("127.0.0.1", "localhost", "[::1]"):
        assert parse(f'[listen.web]\nhttp = "{host}:8080"').listen
    for host in ("0.0.0.0", "[::]", "192.0.2.7", "play.example.org"):
        (problem,) = problems(f'[listen.web]\nhttp = "{host}:8080"')
        assert problem.startswith("listen.web.http: ")
        assert "public = true" in problem
        assert parse(f'[listen.web]\nhttp = "{host}:8080"\npublic = true').listen


def test_the_secret_of_the_page_is_not_shown() -> None:
    listener = parse('[listen.web]\nmetrics_token = "open sesame"').listen["web"]
    assert "open sesame" not in repr(listener)
    for secret in ("1234567", "x" * 257):
        (problem,) = problems(f'[listen.web]\nmetrics_token = "{secret}"')
        assert problem == "listen.web.metrics_token: must have 8 to 256 letters"


def test_what_the_shipped_stream_settings_are() -> None:
    assert Eq2Listener().codec_settings() == {
        "max_datagram": 512,
        "rate_kib": 128.0,
        "burst_kib": 32.0,
        "compress_above": 100,
        "combine_bytes": 250,
        "rto_min_ms": 200,
        "rto_max_ms": 3000,
        "keep_alive_seconds": 9.0,
        "idle_seconds": 45.0,
        "unacknowledged_seconds": 10.0,
        "window": 2047,
        "receive_buffer_kib": 4096,
        "send_buffer_kib": 4096,
        "peer_queue": 256,
        "new_sessions_per_second": 30,
        "half_open": 256,
        "prove_first": False,
    }


def test_values_arrive_in_their_place() -> None:
    settings = parse(
        """
        [listen.eq2]
        login = "127.0.0.1:0"
        advertise = "play.example.org:9002"
        rate_kib = 64
        prove_first = true
        [listen.eq2_lan]
        login = "127.0.0.1:9101"
        world = "127.0.0.1:9002"
        """
    )
    first = settings.listen["eq2"]
    assert first == Eq2Listener(
        login=Address("127.0.0.1", 0),
        advertise=Advertise("play.example.org", 9002),
        rate_kib=64.0,
        prove_first=True,
    )
    assert type(first.codec_settings()["rate_kib"]) is float
    assert settings.listen["eq2_lan"].family == "eq2"


BROKEN = {
    "longer than any path takes": (
        "max_datagram = 1401",
        "max_datagram: must be from 128 to 1400, not 1401",
    ),
    "shorter than any client sends": ("max_datagram = 127", "max_datagram: must be from 128 to 1400"),
    "as many as there are numbers": ("window = 2048", "window: must be from 1 to 2047, not 2048"),
    "no rate": ("rate_kib = 0", "rate_kib: must be from 1 to 1048576, not 0.0"),
    "endless rate": ("rate_kib = inf", "rate_kib: must be from 1 to"),
    "fraction of a millisecond": ("rto_min_ms = 1.5", "rto_min_ms: must be a whole number, not 1.5"),
    "number for a switch": ("prove_first = 1", "prove_first: must be true or false, not 1"),
    "nobody may come": ("half_open = 0", "half_open: must be from 1 to"),
    "key of another game": ('game = "h:1"', "game: unknown key"),
    "burst below a datagram": (
        "max_datagram = 1400\nburst_kib = 1",
        "burst_kib: must be enough for one datagram: max_datagram is 1400 bytes",
    ),
    "combined above a datagram": (
        "max_datagram = 200",
        "combine_bytes: must be at most 194, what a datagram of 200 bytes holds",
    ),
    "retransmission the wrong way round": (
        "rto_min_ms = 500\nrto_max_ms = 400",
        "rto_min_ms: must not be above rto_max_ms, which is 400",
    ),
    "silent for longer than silence is allowed": (
        "keep_alive_seconds = 45",
        "keep_alive_seconds: must be below idle_seconds, 45",
    ),
    "IPv6 without advertise": ('world = "[::]:1"', "advertise: must be given for an IPv6 listener"),
    "both doors at one port": (
        'login = "h:1"\nworld = "h:1"',
        "world: h:1 is already taken by listen.eq2.login",
    ),
}


@pytest.mark.parametrize(("text", "expected"), BROKEN.values(), ids=BROKEN.keys())
def test_a_mistake_is_named_with_its_place(text: str, expected: str) -> None:
    (problem,) = problems(f"[listen.eq2]\n{text}")
    assert problem.startswith(f"listen.eq2.{expected}")


@pytest.mark.parametrize(
    "text",
    [
        "max_datagram = 1400\nburst_kib = 1.5",
        "max_datagram = 256",
        "rto_min_ms = 300\nrto_max_ms = 300",
        "keep_alive_seconds = 44.5",
        "combine_bytes = 0\nmax_datagram = 128",
    ],
)
def test_what_just_fits_together(text: str) -> None:
    assert parse(f"[listen.eq2]\n{text}").listen


def test_several_contradictions_are_reported_at_once() -> None:
    found = problems("[listen.eq2]\nrto_min_ms = 5000\nidle_seconds = 5\n[listen.uo]\ngame = '[::]:1'")
    assert {problem.partition(": ")[0] for problem in found} == {
        "listen.eq2.rto_min_ms",
        "listen.eq2.keep_alive_seconds",
        "listen.uo.advertise",
    }


def test_contradictions_are_reported_beside_other_mistakes_of_the_table() -> None:
    """The first run of `causeway check` tells all, not what is left when the rest is mended."""
    found = problems(
        "[listen.eq2]\nrto_min_ms = 5000\nidle_seconds = 5\nworld = 7\nwrld = 1\nburst_kib = 'x'"
    )
    assert {line.partition(":")[0].partition(" ")[0] for line in found} == {
        "listen.eq2.rto_min_ms",
        "listen.eq2.keep_alive_seconds",
        "listen.eq2.world",
        "listen.eq2.wrld",
        "listen.eq2.burst_kib",
    }
    assert not any(
        "rto_max_ms, which" in line for line in problems("[listen.eq2]\nrto_min_ms = 5000\nrto_max_ms = 'x'")
    )


def test_a_listener_that_is_off_contradicts_nothing() -> None:
    assert parse("[listen.eq2]\nenabled = false\nrto_min_ms = 5000").listen


def test_a_udp_port_and_a_tcp_port_may_have_one_number() -> None:
    assert parse('[listen.uo]\ngame = "0.0.0.0:9100"\n[listen.eq2]').listen


def test_two_games_cannot_have_one_port_of_a_kind() -> None:
    (problem,) = problems('[listen.eq2]\n[listen.eq2_lan]\nlogin = "h:1"')
    assert problem == "listen.eq2_lan.world: 0.0.0.0:9001 is already taken by listen.eq2.world"


def test_a_reload_changes_no_listener() -> None:
    old, new = parse("[listen.eq2]"), parse("[listen.eq2]\nwindow = 100")
    assert changed_at_runtime(old, new) == (old, ["listen.eq2"])
