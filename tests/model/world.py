"""Does each step on the broker's classes and on the reference; both must agree after it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model.driver import Driver
from model.kafka_rule import Fetch
from model.reference import FOLLOWERS, PARTITIONS, Leader

#: Where a response is: queued, waiting for data, made, hanging in a transfer, all with the socket.
QUEUED, WAITING, ANSWERED, STALLED, WRITTEN = "queued", "waiting", "answered", "stalled", "written"


@dataclass(repr=False)
class Connection:
    """A follower's connection as the test sees it."""

    name: str
    follower: int
    thread: int
    alive: bool = True
    stage: str | None = None
    has_data: bool = False
    fetch: Fetch | None = None

    def __repr__(self) -> str:
        return self.name

    def on_its_way(self) -> Fetch:
        """Return the fetch on this connection, which the stage says there is."""
        assert self.fetch is not None
        return self.fetch


class World:
    """Both sides, and the story so far, which is what a counter-example prints."""

    def __init__(self, driver: Driver, scope: str, rule: str) -> None:
        self.driver = driver
        self.leader = Leader(rule)
        self.connections: dict[str, Connection] = {}
        self.serving: Fetch | None = None
        self.story: list[str] = []
        self._do("open", scope)

    def append(self, partition: int, records: int, read_ms: int) -> None:
        self.leader.append(partition, records)
        self._do("append", partition, records, read_ms)

    def elect(self, partition: int, in_sync: tuple[int, ...]) -> None:
        self.leader.elect(partition, in_sync)
        self._do("elect", partition, " ".join(map(str, in_sync)))

    def resign(self, partition: int) -> None:
        self.leader.resign(partition)
        self._do("resign", partition)

    def restart(self, follower: int) -> None:
        self.leader.restart(follower)
        self._do("restart", follower)

    def fetch(
        self,
        link: Connection,
        asks: Mapping[int, tuple[int, int | None]],
        *,
        of_old_process: bool = False,
    ) -> None:
        """A fetch arrives; Kafka's client decides what of it the request names."""
        epoch = self.leader.broker_epochs[link.follower] - of_old_process
        wanted = " ".join(
            f"{partition}:{offset}:{-1 if leader_epoch is None else leader_epoch}"
            for partition, (offset, leader_epoch) in asks.items()
        )
        self.connections[link.name] = link
        link.stage = QUEUED
        link.fetch = Fetch(link.name, link.thread, link.follower, epoch, dict(asks))
        self._do("arrive", link.name, link.follower, epoch, link.thread, wanted)

    def serve(self, link: Connection, read_ms: int) -> None:
        self.leader.serve(link.on_its_way())
        link.stage, self.serving = WAITING, link.fetch
        self._do("serve", link.name, read_ms)
        self.serving = None

    def expire(self, link: Connection, read_ms: int) -> None:
        self._do("expire", link.name, read_ms)

    def offer(self, link: Connection, outcome: str) -> None:
        self.leader.socket_full(link.on_its_way(), False)
        if outcome == "stall":
            link.stage = STALLED
            self.leader.enter_call(link.thread)
        else:
            self._taken(link, outcome)
        self._do("offer", link.name, outcome)

    def leave(self, link: Connection, outcome: str) -> None:
        self.leader.leave_call(link.thread)
        self._taken(link, outcome)
        self._do("leave", link.name, outcome)

    def _taken(self, link: Connection, outcome: str) -> None:
        link.stage = WRITTEN if outcome == "all" else ANSWERED
        self.leader.socket_full(link.on_its_way(), outcome != "all")

    def settle(self, link: Connection) -> None:
        self.leader.settle(link.on_its_way())
        link.stage = link.fetch = None
        self._do("settle", link.name)

    def disconnect(self, link: Connection) -> None:
        link.alive = False
        if link.fetch is not None:
            self.leader.disconnect(link.fetch)
        self._do("disconnect", link.name)

    def pass_time(self, ms: int) -> None:
        self.leader.pass_time(ms)
        self._do("pass", ms)

    def freeze(self, ms: int) -> None:
        self._do("freeze", ms)

    def close(self, *, check: bool) -> None:
        """Everything ends; if that is to be checked, no mark may be left."""
        answer = self.driver.do("close")
        (closing,) = (event["closing"] for event in answer["trace"] if "closing" in event)
        followers = [one for partition in closing for one in partition["followers"].values()]
        left = sum(len(one["pending"]) for one in followers)
        if (marks := answer["state"]["marks"]) is not None:
            left += marks["marks_total"] - marks["released_total"] - marks["cleared_total"]
        assert left == 0 or not check, self._message(f"{left} marks are left at the end")

    def _do(self, operation: str, *arguments: Any) -> None:
        self.story.append(f"{operation}({', '.join(map(str, arguments))})")
        answer = self.driver.do(operation, *arguments)
        read_ms = arguments[-1] if operation in ("append", "serve", "expire") else 0
        for event in answer["trace"]:
            self._event(event, read_ms)
        self._compare(answer["state"])

    def _event(self, event: dict[str, Any], read_ms: int) -> None:
        match event:
            case {"arrived": {"full": full, "named": named, "forgotten": forgotten}, "on": name}:
                fetch = self.connections[name].on_its_way()
                fetch.new_members = full or bool(forgotten)
                fetch.named = frozenset(map(int, named))
                self.story[-1] += f"  # {'full' if full else 'incremental'}, names {sorted(named)}"
                self.leader.arrive(fetch)
            case {"read": partition, "state": state}:
                self.story[-1] += f"\n      reads partition {partition}"
                self._read(partition, read_ms, state)
            case {"answered": name, "has_data": has_data}:
                self.story[-1] += f"\n      answers {name}"
                link = self.connections[name]
                link.stage, link.has_data = ANSWERED, has_data
                self.leader.answered(link.on_its_way())
            case {"frozen": ms, "state": state}:
                self.leader.pass_time(ms, frozen=True)
                self._compare(state)
            case _:
                raise AssertionError(f"the driver tells of {event}, which the model does not know")

    def _read(self, partition: int, read_ms: int, state: dict[str, Any]) -> None:
        started_ms = self.leader.now_ms
        self.leader.pass_time(read_ms)
        self._compare(state)
        # A fetch that waited is read again, which Kafka does not record.
        if self.serving and partition not in self.serving.read:
            self.serving.read.add(partition)
            self.leader.read(self.serving, partition, started_ms)

    def _compare(self, state: dict[str, Any]) -> None:
        assert state["last_error"] == "", self._message(
            f"an error in our code: {state['last_error']}"
        )
        # The source patch counts none; its pending fetches are compared below.
        assert state["marks"] in (None, vars(self.leader.counters)), self._message(
            f"marks: Java {state['marks']}, reference {vars(self.leader.counters)}"
        )
        for partition in PARTITIONS:
            java, known = state["partitions"][partition], self.leader.partitions[partition]
            assert (java["leo"], java["leader_epoch"]) == (known.leo, known.epoch)
            assert bool(java["followers"]) == known.led
            for follower in FOLLOWERS if known.led else ():
                self._compare_follower(partition, follower, java["followers"][str(follower)])

    def _compare_follower(self, partition: int, follower: int, java: dict[str, Any]) -> None:
        who = f"follower {follower} of partition {partition}"
        lag = self.leader.least_lag_ms(partition, follower)
        assert java["least_lag_ms"] == lag, self._message(
            f"{who} is in sync from a lag limit of: Java {java['least_lag_ms']}, reference {lag} ms"
        )
        pending = sorted((one["offset"], one["age_ms"]) for one in java["pending"])
        expected = sorted(self.leader.pending(partition, follower))
        # Of several connections with a fetch for the partition, scope "request" shows one.
        shown = set(pending) <= set(expected) and bool(pending) == bool(expected)
        assert pending == expected or (self.leader.scope == "request" and shown), self._message(
            f"{who} has pending (offset, age in ms): Java {pending}, reference {expected}"
        )

    def _message(self, what: str) -> str:
        steps = "\n".join(f"  {number:3} {step}" for number, step in enumerate(self.story))
        return f"{what}\nafter\n{steps}"
