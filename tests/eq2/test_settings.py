"""What an operator may set about EQStreams."""

import pytest

from protocol.eq2.stream.settings import StreamSettings


def test_an_empty_table_gives_the_defaults() -> None:
    assert StreamSettings.from_table({}) == StreamSettings()
    assert StreamSettings().max_datagram == 512


def test_a_table_gives_what_it_names_and_other_keys_are_passed_over() -> None:
    table: dict[str, object] = {
        "max_datagram": 1000,
        "rate_kib": 64,
        "burst_kib": 16.5,
        "compress_above": 128,
        "combine_bytes": 200,
        "rto_min_ms": 100,
        "rto_max_ms": 2000.0,
        "keep_alive_seconds": 5,
        "idle_seconds": 30,
        "window": 100,
        "crc_length": 4,
        "login": "0.0.0.0:9100",
    }
    settings = StreamSettings.from_table(table)
    assert {name: getattr(settings, name) for name in table if name != "login"} == {
        name: value for name, value in table.items() if name != "login"
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_datagram", 127),
        ("max_datagram", 1401),
        ("max_datagram", "512"),
        ("max_datagram", 512.0),
        ("max_datagram", True),
        ("rate_kib", 0),
        ("rate_kib", "fast"),
        ("burst_kib", 0.4),
        ("window", 0),
        ("window", 2048),
        ("crc_length", 3),
        ("rto_min_ms", 0),
        ("rto_min_ms", 3001),
        ("rto_max_ms", 199),
        ("keep_alive_seconds", 0),
        ("idle_seconds", -1),
        ("compress_above", -1),
    ],
)
def test_what_cannot_work_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=key):
        StreamSettings.from_table({key: value})
