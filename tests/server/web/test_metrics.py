"""Metrics: what an independent reader finds in a scrape of a running server, and that the page about them
and the dashboard speak of the same."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_open_metrics
from prometheus_client.parser import text_string_to_metric_families as read_text

from protocol.denials import Denial
from protocol.endings import Ending
from protocol.eq2.stream.statistics import Statistics
from server.counters import Histogram, StreamSums
from server.settings.config import parse
from server.web.edge_collector import ONLY
from server.web.metrics import FORBIDDEN, Scrape
from tests.kit.actors import make_actor
from tests.kit.datagrams import Faults
from tests.kit.eq2_player import Eq2Player
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer
from tests.kit.town import CONFIG, Town
from tests.kit.visitor import Visitor, front_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prometheus_client.core import Metric
    from trio.testing import MockClock

    from tests.kit.datagrams import ClientEnd

DOCS = Path(__file__).parents[3] / "docs"
TOKEN = "a-token-of-many-letters-é"

SETTINGS = (
    CONFIG.replace("[listen.web]", f'[listen.web]\nmetrics_token = "{TOKEN}"')
    + "[accounts]\nauto_create = true\n"
)

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]

ROUGH = Faults(loss=0.1, delay=0.05, jitter=0.02)

COUNTING = ("_total", "_count", "_bucket", "_sum")
"""How samples end that only grow."""


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    running = Town(nursery, parse(SETTINGS))
    await running.open()
    return running


def samples_of(families: Iterable[Metric]) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def modern_families(text: str) -> Iterable[Metric]:
    """As the strict reader has it: it raises ValueError at whatever OpenMetrics forbids."""
    families: Iterable[Metric] = read_open_metrics(text)  # type: ignore[no-untyped-call] # as it is
    return families


async def scraped(town: Town) -> Samples:
    """As Prometheus reads it today."""
    body, kind = await Scrape(town.app).answer("application/openmetrics-text; version=1.0.0")
    assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    return samples_of(modern_families(body.decode()))


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, tuple(sorted(labels.items()))]


def labels_of(samples: Samples) -> dict[tuple[str, str], set[str]]:
    """The values of each label of each metric."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, labels in samples:
        for label, text in labels:
            found[name, label].add(text)
    return found


async def five_games(town: Town) -> None:
    """One player of each game that has one, each from an address of its own."""
    for number, game in enumerate(("uo", "eo", "eq2", "co", "l2")):
        actor = make_actor(game, town, peer=f"192.0.2.{number + 1}")
        await actor.enters(f"konto{number}", f"Anna{'bcdef'[number]}")
    await trio.sleep(2)  # until all is on disk, and counted


async def test_both_readers_find_the_same_numbers_and_they_fit_the_server(
    town: Town, autojump_clock: MockClock
) -> None:
    await five_games(town)
    scrape = Scrape(town.app)
    modern, _ = await scrape.answer("text/plain, application/openmetrics-text;version=1.0.0;q=0.8")
    plain, kind = await scrape.answer("text/html, */*")
    assert kind == "text/plain; version=0.0.4; charset=utf-8"
    samples = samples_of(modern_families(modern.decode()))
    old = samples_of(read_text(plain.decode()))
    # The process and its garbage go on between the two.
    ours = {key: number for key, number in samples.items() if key[0].startswith("causeway_")}
    assert ours == {key: number for key, number in old.items() if key[0].startswith("causeway_")}

    for game in ("uo", "eo", "eq2", "co", "l2"):
        assert value(ours, "causeway_online", game=game) == 1
        assert value(ours, "causeway_connections", game=game, state="in_world") == 1
        assert value(ours, "causeway_received_bytes_total", game=game) > 50
        assert value(ours, "causeway_sent_bytes_total", game=game) > 500
        assert value(ours, "causeway_packets_out_total", game=game) > 10
        assert value(ours, "causeway_logins_total", game=game, result="ok") >= 1
    assert value(ours, "causeway_online", game="web") == 0
    assert value(ours, "causeway_packets_in_total", game="uo", packet="GameLogin") == 1
    assert value(ours, "causeway_sessions_ended_total", game="uo", reason="relayed") == 1
    assert value(ours, "causeway_accounts_made_total", by="player") == 5
    assert value(ours, "causeway_accounts") == value(ours, "causeway_stored_characters") == 5
    assert value(ours, "causeway_characters", realm="confluence") == 5
    gold = sum(item.amount for item in town.app.world.items.values() if item.template.key == "gold")
    assert value(ours, "causeway_gold_coins") == gold > 0
    assert value(ours, "causeway_stored_items", kind="gold") == gold
    assert value(ours, "causeway_items") == len(town.app.world.items)
    assert value(ours, "causeway_turn_seconds_count") == town.app.loop.stats.turns
    assert value(ours, "causeway_dirty_rows") == 0
    assert value(ours, "causeway_commit_seconds_count") >= 1
    assert value(ours, "causeway_rows_written_total") > 5
    datagrams = value(ours, "causeway_udp_received_datagrams_total", listener="eq2", door="world")
    assert datagrams == town.app.gateway.sockets["eq2", "world"].counters.received > 0
    assert value(samples, "process_resident_memory_bytes") > 2**20
    assert value(samples, "python_gc_collections_total", generation="0") > 0
    # What nobody may read here: a password, a name, an address.
    for secret in (PASSWORD, "konto", "Annab", "192.0.2.", "127.0.0.1", TOKEN):
        assert secret not in modern.decode()
        assert secret not in plain.decode()
    assert "# HELP causeway_gold_coins Gold coins in the database" in plain.decode()


async def test_counters_only_grow_and_histograms_fit_whatever_players_do(
    town: Town, autojump_clock: MockClock
) -> None:
    before: Samples = {}
    chance = random.Random(7)
    people = [
        make_actor(game, town, peer=f"192.0.2.{number + 1}")
        for number, game in enumerate(("uo", "eo", "eq2", "co"))
    ]
    for day in range(4):
        for number, actor in enumerate(people):
            if day == 0 or not actor.online:
                await actor.enters(f"konto{number}", f"Anna{'bcdef'[number]}")
            elif chance.random() < 0.5:
                actor.leaves()
        await trio.sleep(3)
        now = await scraped(town)
        for key, number_ in before.items():
            if key[0].endswith(COUNTING) and not key[0].startswith(("process_", "python_")):
                assert now[key] >= number_, f"{key} went back"
        for name in ("turn_seconds", "turn_lateness_seconds", "commit_seconds"):
            buckets = [n for (kind, _), n in now.items() if kind == f"causeway_{name}_bucket"]
            assert buckets == sorted(buckets), "each holds those before it"
            assert buckets[-1] == value(now, f"causeway_{name}_count")
        before = now
    ended = sum(n for (name, _), n in before.items() if name == "causeway_sessions_ended_total")
    assert ended > 4, "what has left still counts"


async def test_no_client_makes_a_label(town: Town, autojump_clock: MockClock) -> None:
    front = front_of(town)
    quiet = Visitor(front)
    await five_games(town)
    await quiet.get("/metrics")
    await quiet.get("/nothing")
    known = labels_of(await scraped(town))
    strangers = (
        b"GET /" + b"%d" * 20 + b" HTTP/1.1\r\n\r\n",
        b"\x00" * 64,
        random.Random(3).randbytes(200),
    )
    for number, junk in enumerate(strangers):
        for game, door in (("uo", "game"), ("eo", "game"), ("co", "account"), ("l2", "login")):
            end = town.connect(game, door, peer=f"198.51.100.{number + 1}")
            await end.send_all(junk)
        wire = town.datagrams("eq2", "login", peer=f"198.51.100.{number + 1}")
        wire.send(junk)
        await Visitor(front, host=f"evil{number}.example").get(f'/{number}/a"b\n{{x}}')
        await quiet.request(f"MAKE{number}", f"/realms/{number}.json")
        await quiet.get(f"/static/{number}.js", {"accept": f"{number}", "user-agent": f"{number}"})
    browser = town.connect("web", "http", peer="203.0.113.10")
    for number in range(3):
        await browser.send_all(f'{{"t":"word{number}"}}\n'.encode())
    cora = Eq2Player(town, peer="203.0.113.11")
    await cora.enters("konto9", "Cora")
    await cora.does(cora.client.raw_bytes(b"\xff\x0a\x01abc", b"\xc8"))  # types of which no layout is known
    player = EoPlayer(town, peer="203.0.113.9")
    await player.logs_in('evil"name\n{}', "wrong")
    await trio.sleep(30)
    found = labels_of(await scraped(town))
    assert "unknown" in found["causeway_packets_in_total", "packet"]
    program = {
        "reason": {ending.name.lower() for ending in Ending},
        "route": {getattr(route, "path", "") for route in front._routes()} | {"none"},
        "status": {"200", "400", "404", "405", "421"},
        "result": {"ok", "bad_credentials", "bad_name"},
    }
    for (name, label), texts in found.items():
        if name == "causeway_packets_in_total" and label == "packet":
            rows = {
                entry.name
                for family in town.families.values()
                for door in family.doors.values()
                for entry in door.table
            }
            assert texts <= rows | {"unknown"}
        elif name == "causeway_stream_dropped_total" and label == "reason":
            assert all(re.fullmatch("[a-z_]+", text) for text in texts)
        else:
            assert texts <= known.get((name, label), set()) | program.get(label, set()), (name, label)


async def test_what_is_refused_shed_and_thrown_away_is_counted(town: Town, autojump_clock: MockClock) -> None:
    town.change("limits", connections_per_address=1, connects_per_10s=2)
    for _ in range(4):
        town.connect("eo", peer="198.51.100.1")
    guest = EoPlayer(town, peer="203.0.113.5")
    await guest.logs_in("guest", PASSWORD)
    guest.leaves()
    wrong = EoPlayer(town, peer="203.0.113.6")
    await wrong.logs_in("guest", "not-it")
    await trio.sleep(1)
    samples = await scraped(town)
    refused = "causeway_connections_refused_total"
    assert value(samples, refused, game="eo", limit="connections_per_address") == 1
    assert value(samples, refused, game="eo", limit="connects_per_10s") == 2
    assert value(samples, "causeway_logins_total", game="eo", result="ok") == 1
    assert value(samples, "causeway_logins_total", game="eo", result="bad_credentials") == 1


async def test_a_disk_that_takes_nothing_is_seen(
    town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(town.database, "commit_batch", full)
        await UoPlayer(town).enters("konto", "Anna")
        await trio.sleep(5)
        during = await scraped(town)
    await trio.sleep(10)
    after = await scraped(town)
    failed = value(during, "causeway_storage_errors_total")
    assert failed == value(during, "causeway_storage_failing") >= 3
    assert value(during, "causeway_dirty_rows") >= 2
    assert 5 <= value(during, "causeway_durable_lag_seconds") < 10
    assert value(after, "causeway_storage_errors_total") >= failed
    for name in ("storage_failing", "dirty_rows", "durable_lag_seconds"):
        assert value(after, f"causeway_{name}") == 0
    assert value(during, "causeway_commit_seconds_count") < value(after, "causeway_commit_seconds_count")


async def test_messages_that_a_slow_client_lost_are_told_by_game_and_name(
    town: Town, autojump_clock: MockClock
) -> None:
    player = UoPlayer(town)
    await player.enters("konto", "Anna")
    (connection,) = town.app.gateway.connections.values()
    connection.shed.update(MobileMoving=3)
    here = await scraped(town)
    player.leaves()
    await trio.sleep(1)
    gone = await scraped(town)
    for samples in (here, gone):
        assert value(samples, "causeway_shed_messages_total", game="uo", message="MobileMoving") == 3


class Far(Town):
    """A town to which datagrams have a long and bad way."""

    def datagrams(
        self, game: str, door: str, *, peer: str = "127.0.0.1", faults: Faults | None = None
    ) -> ClientEnd:
        return super().datagrams(game, door, peer=peer, faults=faults or ROUGH)


async def test_the_streams_of_those_who_left_still_count(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Far(nursery, parse(SETTINGS))
    await town.open()
    player = Eq2Player(town, peer="192.0.2.8")
    await player.enters("cora", "Cora")
    for number in range(30):
        await player.does(player.client.say_bytes(f"hello {number}"))
    here = await scraped(town)
    player.leaves()
    await trio.sleep(120)
    gone = await scraped(town)
    assert value(here, "causeway_online", game="eq2") == 1
    assert value(gone, "causeway_connections", game="eq2", state="in_world") == 0
    for name in ("sent_packets_total", "uncompressed_bytes_total", "round_trip_seconds_count"):
        before = value(here, f"causeway_stream_{name}", game="eq2")
        assert value(gone, f"causeway_stream_{name}", game="eq2") >= before > 0
    assert value(here, "causeway_stream_retransmissions_total", game="eq2") > 0
    mean = value(here, "causeway_stream_round_trip_seconds_sum", game="eq2") / value(
        here, "causeway_stream_round_trip_seconds_count", game="eq2"
    )
    assert 0.08 < mean < 0.4, "in seconds, there and back"
    assert ("causeway_stream_latest_round_trip_seconds", (("rank", "worst"),)) in here
    assert ("causeway_stream_latest_round_trip_seconds", (("rank", "worst"),)) not in gone


def test_statistics_of_streams_are_summed_field_by_field() -> None:
    one = Statistics(reliable_sent=3, retransmissions=2, crc_errors=1, bytes_before_compression=100)
    one.measured(20)
    one.drop("malformed")
    other = Statistics(reliable_sent=4, timeouts=5)
    other.measured(30)
    other.drop("malformed")
    sums = StreamSums()
    sums.add(one)
    sums.add(other)
    both = StreamSums()
    both.add(sums)
    assert both == sums
    assert (sums.reliable_sent, sums.retransmissions, sums.timeouts, sums.crc_errors) == (7, 2, 5, 1)
    assert (sums.rtt_samples, sums.rtt_total_ms, sums.dropped) == (2, 50.0, {"malformed": 2})


def test_a_histogram_counts_what_is_at_most_its_bound() -> None:
    histogram = Histogram((1, 2.5))
    for number in (0.5, 1, 1.5, 2.5, 99):
        histogram.observe(number)
    assert histogram.buckets() == [("1.0", 2.0), ("2.5", 4.0), ("+Inf", 5.0)]
    assert (histogram.count, histogram.total) == (5, 104.5)


async def test_metrics_are_for_this_machine_or_whoever_has_the_token(
    town: Town, autojump_clock: MockClock
) -> None:
    front = front_of(town)
    here = await Visitor(front).get("/metrics")
    assert here.status == 200
    assert here.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in here.headers
    assert b"causeway_online" in here.body
    asked_for = "application/openmetrics-text; version=1.0.0"
    assert (await Visitor(front).get("/metrics", {"accept": asked_for})).body.endswith(b"# EOF\n")
    assert (await Visitor(front).post("/metrics", {})).status == 405

    right = {"authorization": f"Bearer {TOKEN}".encode().decode("latin-1")}  # as every program sends it
    strangers: tuple[tuple[Visitor, dict[str, str]], ...] = (
        (Visitor(front, peer="203.0.113.1"), {}),
        (Visitor(front), {"x-forwarded-for": "127.0.0.1"}),
        (Visitor(front), {"forwarded": "for=127.0.0.1"}),
    )
    wrong = (
        "Bearer",
        "Bearer ",
        "Bearer x",
        right["authorization"].replace("Bearer", "Basic"),
        right["authorization"] + "x",
        right["authorization"][:-1],
        "Bearer \xe4",
    )
    for visitor, headers in strangers:
        for word in (None, *wrong):
            refused = await visitor.get(
                "/metrics", headers | ({} if word is None else {"authorization": word})
            )
            assert (refused.status, refused.text) == (403, FORBIDDEN)
        assert (await visitor.get("/metrics", headers | right)).status == 200
    assert TOKEN not in repr(town.settings)


async def test_without_a_token_nobody_elsewhere_gets_in(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery)
    await town.open()
    visitor = Visitor(front_of(town), peer="203.0.113.1")
    for word in ("Bearer", "Bearer ", "bearer x"):
        assert (await visitor.get("/metrics", {"authorization": word})).status == 403


async def test_the_page_the_dashboard_and_the_alerts_know_exactly_what_is_exposed(
    town: Town, autojump_clock: MockClock
) -> None:
    body, _ = await Scrape(town.app).answer("")
    endings = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("_sum", "_count")}
    exposed: set[str] = set()
    readable: set[str] = set()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", body.decode(), re.MULTILINE):
        assert name not in exposed, "twice"
        exposed.add(name)
        readable |= {name + ending for ending in endings.get(kind, ("",))}
        assert (kind == "counter") == name.endswith("_total"), name
    assert exposed.isdisjoint(ONLY)
    described = dict(re.findall(r"^# HELP (\S+) (.+)$", body.decode(), re.MULTILINE))
    assert described.keys() == exposed
    exposed |= {*ONLY}
    readable |= {*ONLY}

    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `((?:causeway|process|python)_[a-z_]+)` \|", page, re.MULTILINE)
    assert sorted(listed) == sorted(exposed)
    mentioned = set(re.findall(r"\b(?:causeway|process|python_gc)_[a-z_]+\b", page))
    assert mentioned <= exposed | readable

    board = json.loads((DOCS / "grafana.json").read_text(encoding="utf-8"))
    expressions = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    shown = set(re.findall(r"\b(?:causeway|process|python_gc)_[a-z_]+\b", " ".join(expressions)))
    assert shown <= readable
    bases = {re.sub("_(bucket|sum|count)$", "", name) if name not in exposed else name for name in shown}
    assert exposed - bases == {"process_start_time_seconds"}, "it is ours that is shown"

    alerts = (DOCS / "alerts.yml").read_text(encoding="utf-8")
    read = set(re.findall(r"\b(?:causeway|process)_[a-z_]+\b", alerts))
    assert len(read) > 10
    assert read <= readable
    # Each label value that a rule looks for is one that there is: else it would be silent for ever.
    reasons = re.findall(r'reason="([a-z_]+)"', alerts)
    results = re.findall(r'result=~"([a-z_|]+)"', alerts)
    assert [Ending[reason.upper()] for reason in reasons] == [Ending.OUR_BUG]
    assert [[Denial[name.upper()] for name in result.split("|")] for result in results] == [
        [Denial.BAD_CREDENTIALS, Denial.BUSY]
    ]
    rules = re.findall(r"^      - alert: (\w+)$", alerts, re.MULTILINE)
    told = page.partition("## Alerts")[2]
    assert sorted(re.findall(r"`(Causeway\w+)`", told)) == sorted(rules)
    assert alerts.count("expr: ") == alerts.count("summary: ") == len(rules)


def test_the_dashboard_is_one_that_grafana_takes() -> None:
    board = json.loads((DOCS / "grafana.json").read_text(encoding="utf-8"))
    assert (board["uid"], board["title"], board["id"]) == ("causeway", "Causeway", None)
    assert board["schemaVersion"] >= 39
    variables = {variable["name"]: variable for variable in board["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    assert variables["datasource"]["query"] == "prometheus"
    source = {"type": "prometheus", "uid": "${datasource}"}
    assert variables["instance"]["datasource"] == source
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    titles = [panel["title"] for panel in panels if panel["type"] == "row"]
    named = ["World", "Players", "Network", "EverQuest II's UDP", "Storage", "Web page", "Process"]
    assert titles == [*named, "Other worlds", "Edges"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        assert 0 <= at["x"] < at["x"] + at["w"] <= 24
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
        if panel["type"] == "row":
            continue
        assert panel["datasource"] == source
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]) > 0
        for target in panel["targets"]:
            assert target["datasource"] == source
            assert target["expr"].count("(") == target["expr"].count(")")
            assert 'instance=~"$instance"' in target["expr"]


async def test_requests_and_messages_are_counted_by_route(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town))
    for path in ("/health", "/health", "/nothing/of/the/kind", "/metrics"):
        await visitor.get(path)
    await Visitor(visitor.front, host="elsewhere.example").get("/health")
    async with visitor.connect("/watch") as socket:
        await socket.until("realm")
        watching = await scraped(town)
    requests = "causeway_web_requests_total"
    assert value(watching, requests, route="/health", status="200") == 2
    assert value(watching, requests, route="/metrics", status="200") == 1
    assert value(watching, requests, route="none", status="404") == 1
    assert value(watching, requests, route="none", status="421") == 1
    assert value(watching, requests, route="/watch", status="101") == 1
    assert value(watching, "causeway_watchers") == 1
    assert value(watching, "causeway_web_messages_total", route="/watch") >= 1
