"""The server's numbers, as families of Prometheus' metrics (docs/metrics.md says what each means).

Numbers are wanted every few seconds, by one or two who ask, from a server that is busy with other things. So
almost everything is read from the server's own state when somebody asks, between two turns, and costs nothing
until then; what has to be counted as it happens is in `server.counters`. Metric objects that code all
over the server has to know and to feed were not used: a number that is already there would be kept twice.

Labels hold the program's own words and those of its configuration and data, never a client's: no names, no
addresses, no text of strangers, so that nobody can fill a database with time series. Where all values of a
label are known each has a sample from the beginning, that of 0 too: what is not there cannot be compared with
later. What only the database knows (`Counted`) is asked for before a scrape, at most every so often.
"""

from __future__ import annotations

import platform
from collections import Counter
from typing import TYPE_CHECKING, Final

import trio
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from protocol.endings import Ending
from protocol.session import Phase
from server.cluster.bus import REASONS, BusCounts
from server.counters import UNKNOWN, Histogram, StreamSums, Traffic
from server.turn.stats import STAGES
from server.version import version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from server.store.census import Counted
    from server.web.host import Host

LIMITS: Final = ("connections", "connections_per_address", "connects_per_10s")
"""The keys of [limits] that keep a connection out."""


class ServerCollector(Collector):
    """Reads the state of one server. Runs between two turns, never within one."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._version = version()
        self.census: Counted | None = None
        """What the database held when it was last counted."""

    def describe(self) -> Iterable[Metric]:
        """See Collector. No names: a registry of one's own has nothing else to collide with."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Every family, with its samples of now."""
        yield from self._server()
        yield from self._turns()
        yield from self._population()
        yield from self._stored()
        yield from self._players()
        yield from self._traffic()
        yield from self._queues()
        yield from self._datagrams()
        yield from self._streams()
        yield from self._storage()
        yield from self._web()
        yield from self._cluster()

    def _server(self) -> Iterator[Metric]:
        app = self._app
        yield InfoMetricFamily(
            "causeway",
            "Which program this is.",
            {"version": self._version, "python": platform.python_version()},
        )
        yield GaugeMetricFamily(
            "causeway_start_time_seconds", "When the server began, in seconds since 1970 UTC.", app.began_at
        )
        yield GaugeMetricFamily(
            "causeway_closed",
            "1 while nobody may log in: the server stops, or the disk is too far behind.",
            float(bool(app.closed)),
        )

    def _turns(self) -> Iterator[Metric]:
        stats, world = self._app.loop.stats, self._app.world
        yield _histogram("causeway_turn_seconds", "How long the world's turns took.", stats.all_seconds)
        yield _histogram(
            "causeway_turn_lateness_seconds",
            "How much later than it should have a turn began.",
            stats.all_lateness,
        )
        yield GaugeMetricFamily(
            "causeway_turn_longest_seconds",
            "The longest turn since the server began.",
            stats.worst_seconds,
        )
        yield CounterMetricFamily(
            "causeway_turns_over_budget", "Turns that took longer than tick_budget_ms.", stats.over_budget
        )
        yield GaugeMetricFamily(
            "causeway_overloaded",
            "1 while more comes in than turns of turn_ms can do.",
            float(stats.overloaded),
        )
        yield GaugeMetricFamily(
            "causeway_turn_allowance_work",
            "Inputs times viewers that the next turn may take in.",
            stats.allowance,
        )
        yield GaugeMetricFamily(
            "causeway_crowd_limit",
            "Others whom each player is shown at most now; 0 if there is no limit.",
            stats.crowd,
        )
        yield GaugeMetricFamily(
            "causeway_waiting_clients",
            "Clients of whom the last turn left packets for the next one.",
            stats.waiting,
        )
        stages = GaugeMetricFamily(
            "causeway_turn_stage_seconds", "Where the time of the last turn went, by stage.", labels=["stage"]
        )
        for stage, seconds in zip(STAGES, stats.parts, strict=True):
            stages.add_metric([stage], seconds)
        yield stages
        yield GaugeMetricFamily("causeway_timers", "Timers of the world that wait.", len(world.timers))

    def _population(self) -> Iterator[Metric]:
        world = self._app.world
        residents = GaugeMetricFamily(
            "causeway_residents", "Creatures and people without a player, by realm.", labels=["realm"]
        )
        characters = GaugeMetricFamily(
            "causeway_characters", "Characters that stand in a realm, played or lingering.", labels=["realm"]
        )
        ground = GaugeMetricFamily(
            "causeway_ground_items", "Items that lie on the ground, by realm.", labels=["realm"]
        )
        # There are few characters among very many mobiles, so those are looked at as little as possible.
        people = [mobile for mobile in world.mobiles.values() if mobile.account]
        here = Counter(mobile.realm for mobile in world.mobiles.values())
        theirs = Counter(mobile.realm for mobile in people)
        for name, realm in world.realms.items():
            residents.add_metric([name], here[realm] - theirs[realm])
            characters.add_metric([name], theirs[realm])
            ground.add_metric([name], realm.space.population - here[realm])
        yield residents
        yield characters
        yield GaugeMetricFamily(
            "causeway_lingering_characters",
            "Characters in the world whose client is gone.",
            sum(not mobile.online for mobile in people),
        )
        yield ground
        yield GaugeMetricFamily("causeway_items", "Items in memory, whoever has them.", len(world.items))

    def _stored(self) -> Iterator[Metric]:
        census, app = self.census, self._app
        yield CounterMetricFamily(
            "causeway_census_failures", "Times that the database could not be counted.", app.census.failures
        )
        gold = GaugeMetricFamily(
            "causeway_gold_coins", "Gold coins in the database, whoever has them, when last counted."
        )
        items = GaugeMetricFamily(
            "causeway_stored_items",
            "Items in the database by kind, each of a stack, when last counted.",
            labels=["kind"],
        )
        accounts = GaugeMetricFamily("causeway_accounts", "Accounts in the database, when last counted.")
        characters = GaugeMetricFamily(
            "causeway_stored_characters", "Characters in the database, when last counted."
        )
        age = GaugeMetricFamily("causeway_census_age_seconds", "How long ago the database was last counted.")
        if census is not None:
            kinds = Counter(dict.fromkeys(app.content.items, 0))
            for kind, amount in census.amounts.items():
                kinds[kind if kind in app.content.items else UNKNOWN] += amount
            for kind, amount in kinds.items():
                items.add_metric([kind], amount)
            gold.add_metric([], census.amounts.get("gold", 0))
            accounts.add_metric([], census.accounts)
            characters.add_metric([], census.characters)
            age.add_metric([], trio.current_time() - app.census.at)
        yield from (gold, items, accounts, characters, age)

    def _players(self) -> Iterator[Metric]:
        app, counts, games = self._app, self._app.counts, list(self._app.families)
        yield _by_game(
            GaugeMetricFamily("causeway_online", "Characters that clients play, by game.", labels=["game"]),
            games,
            self._playing(),
        )
        connections = GaugeMetricFamily(
            "causeway_connections",
            "Connections, by game and how far they have come.",
            labels=["game", "state"],
        )
        states = Counter(
            (connection.session.family.name, connection.session.phase)
            for connection in app.gateway.connections.values()
        )
        ended = CounterMetricFamily(
            "causeway_sessions_ended", "Connections that ended, by game and how.", labels=["game", "reason"]
        )
        refused = CounterMetricFamily(
            "causeway_connections_refused",
            "Connections that were not let in, by game and the key of [limits] that says so.",
            labels=["game", "limit"],
        )
        for game in games:
            for phase in Phase:
                connections.add_metric([game, phase.name.lower()], states[game, phase])
            for ending in Ending:
                ended.add_metric([game, ending.name.lower()], counts.ended[game, ending])
            for limit in LIMITS:
                refused.add_metric([game, limit], counts.refused[game, limit])
        yield connections
        yield ended
        yield refused
        logins = CounterMetricFamily(
            "causeway_logins",
            "Names and passwords that were tried, by game and outcome.",
            labels=["game", "result"],
        )
        for (game, result), number in sorted(counts.logins.items()):
            logins.add_metric([game, result], number)
        yield logins
        made = CounterMetricFamily(
            "causeway_accounts_made",
            "Accounts that were made, by players themselves or staff.",
            labels=["by"],
        )
        for who in ("player", "staff"):
            made.add_metric([who], counts.accounts_made[who])
        yield made

    def _playing(self) -> Mapping[str, int]:
        return Counter(mobile.game for mobile in self._app.world.mobiles.values() if mobile.online)

    def _traffic(self) -> Iterator[Metric]:
        app, counts, games = self._app, self._app.counts, list(self._app.families)
        traffic = counts.traffic(app.gateway.connections)
        for name, about, attribute in (
            ("causeway_received_bytes", "Bytes from clients, by game.", "bytes_in"),
            ("causeway_sent_bytes", "Bytes to clients, by game.", "bytes_out"),
            ("causeway_packets_out", "Messages to clients, by game.", "messages_out"),
            ("causeway_packets_ignored", "Packets that meant nothing when they came, by game.", "ignored"),
        ):
            values = {game: getattr(traffic.get(game, _STILL), attribute) for game in games}
            yield _by_game(CounterMetricFamily(name, about, labels=["game"]), games, values)
        packets = CounterMetricFamily(
            "causeway_packets_in", "Packets from clients, by game and kind.", labels=["game", "packet"]
        )
        for game, kinds in sorted(counts.packets_in.items()):
            for kind, number in sorted(kinds.items()):
                packets.add_metric([game, kind], number)
        yield packets
        shed = CounterMetricFamily(
            "causeway_shed_messages",
            "Messages that were not sent because a client was too slow, by game and kind.",
            labels=["game", "message"],
        )
        for named, number in sorted(app.gateway.shed.items()):
            game, _, message = named.partition(" ")
            shed.add_metric([game, message], number)
        yield shed

    def _queues(self) -> Iterator[Metric]:
        connections = self._app.gateway.connections.values()
        waiting = [connection.waiting for connection in connections]
        inboxes = [len(connection.session.inbox) for connection in connections]
        yield GaugeMetricFamily(
            "causeway_queue_bytes", "Bytes that wait for all clients together.", sum(waiting)
        )
        yield GaugeMetricFamily(
            "causeway_queue_longest_bytes", "Bytes that wait for the slowest client.", max(waiting, default=0)
        )
        yield GaugeMetricFamily(
            "causeway_inbox_longest_packets",
            "Packets of the busiest client that wait for a turn.",
            max(inboxes, default=0),
        )

    def _datagrams(self) -> Iterator[Metric]:
        sockets = self._app.gateway.sockets
        doors = ["listener", "door"]
        counted = (
            ("causeway_udp_received_datagrams", "Datagrams that came to a UDP door.", "received"),
            ("causeway_udp_received_bytes", "Their bytes.", "bytes_in"),
            ("causeway_udp_sent_datagrams", "Datagrams that were sent to clients of a UDP door.", "sent"),
            (
                "causeway_udp_sent_bytes",
                "Bytes that were sent from a UDP door, answers included.",
                "bytes_out",
            ),
            ("causeway_udp_stranger_datagrams", "Datagrams from addresses without a session.", "unknown"),
            ("causeway_udp_replies", "Answers to such datagrams.", "replies"),
            ("causeway_udp_refused", "Addresses that had proven themselves and were not let in.", "refused"),
            (
                "causeway_udp_dropped_datagrams",
                "Datagrams of clients that sent faster than they are heard.",
                "queue_full",
            ),
        )
        for name, about, attribute in counted:
            family = CounterMetricFamily(name, about, labels=doors)
            for door, bound in sockets.items():
                family.add_metric(door, getattr(bound.counters, attribute))
            yield family
        sessions = GaugeMetricFamily("causeway_udp_sessions", "Sessions at a UDP door.", labels=doors)
        half_open = GaugeMetricFamily(
            "causeway_udp_half_open",
            "Addresses that were answered and have not proven themselves yet.",
            labels=doors,
        )
        for door, bound in sockets.items():
            sessions.add_metric(door, len(bound.peers))
            half_open.add_metric(door, bound.doorman.half_open)
        yield sessions
        yield half_open

    def _streams(self) -> Iterator[Metric]:
        streams, trips = self._app.counts.streams(self._app.gateway.connections)
        counted = (
            ("causeway_stream_sent_packets", "Reliable packets, each time one was sent.", "reliable_sent"),
            (
                "causeway_stream_retransmissions",
                "Reliable packets that were sent again.",
                "retransmissions",
            ),
            ("causeway_stream_timeouts", "Times that nothing was acknowledged in time.", "timeouts"),
            ("causeway_stream_holes", "Packets taken for lost because later ones had arrived.", "holes"),
            ("causeway_stream_crc_errors", "Packets with a wrong checksum.", "crc_errors"),
            (
                "causeway_stream_repeated_packets",
                "Reliable packets that clients sent again although they had arrived.",
                "past_packets",
            ),
            (
                "causeway_stream_early_packets",
                "Reliable packets that came before their turn.",
                "future_packets",
            ),
            (
                "causeway_stream_uncompressed_bytes",
                "Bytes of packets that were compressed, before that.",
                "bytes_before_compression",
            ),
            ("causeway_stream_compressed_bytes", "The same, after it.", "bytes_after_compression"),
        )
        for name, about, attribute in counted:
            family = CounterMetricFamily(name, about, labels=["game"])
            for game, sums in streams.items():
                family.add_metric([game], getattr(sums, attribute))
            yield family
        yield _dropped(streams)
        rounds = SummaryMetricFamily(
            "causeway_stream_round_trip_seconds",
            "Round trips that were measured: how many, and their sum.",
            labels=["game"],
        )
        for game, sums in streams.items():
            rounds.add_metric([game], sums.rtt_samples, sums.rtt_total_ms / 1000)
        yield rounds
        latest = GaugeMetricFamily(
            "causeway_stream_latest_round_trip_seconds",
            "The last round trip of each session: the median, the 95th in a hundred, the worst.",
            labels=["rank"],
        )
        ranked = sorted(trips)
        if ranked:
            for rank, part in (("median", 0.5), ("p95", 0.95), ("worst", 1.0)):
                latest.add_metric([rank], ranked[min(len(ranked) - 1, int(part * len(ranked)))] / 1000)
        yield latest

    def _storage(self) -> Iterator[Metric]:
        storage = self._app.storage
        health = storage.health
        yield GaugeMetricFamily(
            "causeway_dirty_rows", "Changes that are not on disk yet, in rows.", health.pending_rows
        )
        yield GaugeMetricFamily(
            "causeway_durable_lag_seconds",
            "Age of the oldest change that is not on disk.",
            health.lag_seconds,
        )
        yield _histogram(
            "causeway_commit_seconds", "How long commits took that succeeded.", storage.commit_seconds
        )
        yield CounterMetricFamily(
            "causeway_storage_errors", "Commits that failed; each is tried again.", storage.failed_commits
        )
        yield GaugeMetricFamily(
            "causeway_storage_failing",
            "Commits that failed since the last one that did not.",
            health.failures,
        )
        yield CounterMetricFamily("causeway_rows_written", "Rows that got to disk.", storage.rows_written)

    def _web(self) -> Iterator[Metric]:
        counts = self._app.counts
        live = self._app.live
        yield GaugeMetricFamily(
            "causeway_watchers", "Browsers that look at the map.", live.viewers if live is not None else 0
        )
        messages = CounterMetricFamily(
            "causeway_web_messages", "Messages that were sent through WebSockets, by route.", labels=["route"]
        )
        for route, number in sorted(counts.web_messages.items()):
            messages.add_metric([route], number)
        yield messages
        requests = CounterMetricFamily(
            "causeway_web_requests",
            "Requests to the web page, by route and status; 101 is a WebSocket that was opened.",
            labels=["route", "status"],
        )
        for (route, status), number in sorted(counts.web_requests.items()):
            requests.add_metric([route, str(status)], number)
        yield requests

    def _cluster(self) -> Iterator[Metric]:
        """Zeros if this world stands alone."""
        relay = self._app.relay
        counts = relay.bus.counts if relay is not None else BusCounts()
        waiting, worlds = (relay.bus.waiting, len(relay.others.worlds)) if relay is not None else (0, 0)
        yield GaugeMetricFamily(
            "causeway_bus_up",
            "1 while the line to other worlds is good.",
            float(relay is not None and relay.bus.up),
        )
        yield CounterMetricFamily("causeway_bus_lines", "Lines to the others that were opened.", counts.lines)
        yield CounterMetricFamily("causeway_bus_sent", "Messages sent to other worlds.", counts.sent)
        yield CounterMetricFamily(
            "causeway_bus_received", "Messages that came from other worlds.", counts.received
        )
        yield GaugeMetricFamily(
            "causeway_bus_waiting",
            "Messages that wait to be sent to other worlds.",
            waiting,
        )
        dropped = CounterMetricFamily(
            "causeway_bus_dropped", "Messages that were lost here, by reason.", labels=["reason"]
        )
        for reason, number in sorted({**dict.fromkeys(REASONS, 0), **counts.dropped}.items()):
            dropped.add_metric([reason], number)
        yield dropped
        yield GaugeMetricFamily(
            "causeway_other_worlds",
            "Other worlds that live.",
            worlds,
        )
        yield GaugeMetricFamily(
            "causeway_online_elsewhere",
            "Characters that are played in other worlds.",
            len(self._app.world.elsewhere.people),
        )


_STILL: Final = Traffic()


def _histogram(name: str, about: str, histogram: Histogram) -> Metric:
    return HistogramMetricFamily(name, about, buckets=histogram.buckets(), sum_value=histogram.total)


def _by_game(
    family: GaugeMetricFamily | CounterMetricFamily, games: Iterable[str], values: Mapping[str, int]
) -> Metric:
    """Every game has a sample, that of 0 too: what is not there cannot be compared with later."""
    for game in games:
        family.add_metric([game], values.get(game, 0))
    return family


def _dropped(streams: Mapping[str, StreamSums]) -> Metric:
    family = CounterMetricFamily(
        "causeway_stream_dropped",
        "What came in and was thrown away, by reason.",
        labels=["game", "reason"],
    )
    for game, sums in streams.items():
        for reason, number in sorted(sums.dropped.items()):
            family.add_metric([game, reason.replace(" ", "_")], number)
    return family
