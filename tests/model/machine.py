"""Random histories: the steps that Hypothesis draws, and how many it draws.

Hypothesis shrinks a failure to a short list of steps. `make test` runs a fixed set of histories;
INSYNC_MODEL_EXAMPLES=N runs N new random ones per arm instead.
"""

import os
import sys
from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from model.driver import Driver
from model.reference import FOLLOWERS, PARTITIONS
from model.world import ANSWERED, QUEUED, STALLED, WAITING, WRITTEN, Connection, World

#: New random histories per arm, if requested.
RANDOM = int(os.environ.get("INSYNC_MODEL_EXAMPLES", "0"))
EXAMPLES = 60
STEPS = 40

#: A follower's fetchers, each with the network thread of its connection.
FETCHERS = {"2a": (2, 0), "2b": (2, 1), "3a": (3, 0)}
READ_MS = st.sampled_from((0, 300, 3_000))
TIMES_MS = st.sampled_from((1, 20, 60, 61, 500, 2_000, 5_000))
FREEZES_MS = st.sampled_from((10, 60, 500, 3_000, 50_000))
#: By how many steps a fetch goes on as soon as it has arrived; 4 end it.
GO_ON = st.integers(0, 4)
#: How far behind the leader's end a fetch asks, and which leader epoch it says: the right one, an
#: older one or none.
ASK = st.none() | st.tuples(st.integers(0, 3), st.sampled_from(("right", "none", "old")))


class Machine(RuleBasedStateMachine):
    """Random steps of a leader, its followers, and time."""

    driver: Driver
    scope = "off"
    follows = "off"
    world: World | None = None

    @initialize()
    def begin(self) -> None:
        self.world = World(self.driver, self.scope, self.follows)

    def running(self) -> World:
        assert self.world is not None
        return self.world

    def links(self, *stages: str | None) -> list[Connection]:
        return [one for one in self.running().connections.values() if one.stage in stages]

    def moving(self, *stages: str | None) -> list[Connection]:
        """Connections in a stage whose network thread does not hang."""
        hanging = {one.thread for one in self.links(STALLED)}
        return [one for one in self.links(*stages) if one.thread not in hanging]

    def free_fetchers(self) -> list[str]:
        hanging = {one.thread for one in self.links(STALLED)}
        busy = {
            one.name.split("'")[0]
            for one in self.running().connections.values()
            if one.alive and one.stage is not None
        }
        able = {name for name, (_, thread) in FETCHERS.items() if thread not in hanging}
        return sorted(able - busy)

    @rule(partition=st.sampled_from(PARTITIONS), records=st.integers(1, 3), read_ms=READ_MS)
    def append(self, partition: int, records: int, read_ms: int) -> None:
        if self.running().leader.partitions[partition].led:
            self.running().append(partition, records, read_ms)

    @rule(partition=st.sampled_from(PARTITIONS), in_sync=st.sets(st.sampled_from(FOLLOWERS)))
    def elect(self, partition: int, in_sync: set[int]) -> None:
        self.running().elect(partition, tuple(sorted(in_sync)))

    @rule(partition=st.sampled_from(PARTITIONS))
    def resign(self, partition: int) -> None:
        if self.running().leader.partitions[partition].led:
            self.running().resign(partition)

    @rule(follower=st.sampled_from(FOLLOWERS))
    def restart(self, follower: int) -> None:
        self.running().restart(follower)

    @precondition(lambda self: self.free_fetchers())
    @rule(data=st.data(), first=ASK, second=ASK, old_process=st.booleans(), steps=GO_ON)
    def fetch(
        self,
        data: st.DataObject,
        first: tuple[int, str] | None,
        second: tuple[int, str] | None,
        old_process: bool,
        steps: int,
    ) -> None:
        link = self.connection_of(data.draw(st.sampled_from(self.free_fetchers())))
        asks = {
            partition: self.ask(partition, *how)
            for partition, how in zip(PARTITIONS, (first, second), strict=True)
            if how is not None and not self.is_asked_on_a_later(link, partition)
        }
        self.running().fetch(link, asks, of_old_process=old_process)
        self.go_on(link, steps)

    def go_on(self, link: Connection, steps: int) -> None:
        """Let a fetch go on at once by its next steps, without any delay.

        Of independent rules alone, few histories have those of every step of a fetch.
        """
        for _ in range(steps):
            if link in self.links(QUEUED):
                self.running().serve(link, 0)
            elif link in self.links(WAITING):
                self.running().expire(link, 0)
            elif link in self.offered():
                self.running().offer(link, "all")
            elif link in self.settled():
                self.running().settle(link)

    def is_asked_on_a_later(self, link: Connection, partition: int) -> bool:
        """A follower has one fetcher per partition; it may give a connection up for a new one."""
        names = list(self.running().connections)
        later = names[names.index(link.name) + 1 :] if link.name in names else []
        fetches = [self.running().connections[name] for name in later]
        return any(
            one.follower == link.follower and one.fetch and partition in one.fetch.asks
            for one in fetches
        )

    def ask(self, partition: int, behind: int, epoch: str) -> tuple[int, int | None]:
        known = self.running().leader.partitions[partition]
        fetch_epoch = {"right": known.epoch, "none": None, "old": max(0, known.epoch - 1)}[epoch]
        return max(0, known.leo - behind), fetch_epoch

    def connection_of(self, fetcher: str) -> Connection:
        """The fetcher's connection, a new one if the last is lost."""
        follower, thread = FETCHERS[fetcher]
        mine = [one for one in self.running().connections.values() if one.name.startswith(fetcher)]
        alive = [one for one in mine if one.alive]
        return alive[0] if alive else Connection(fetcher + "'" * len(mine), follower, thread)

    @precondition(lambda self: self.links(QUEUED))
    @rule(data=st.data(), read_ms=READ_MS)
    def serve(self, data: st.DataObject, read_ms: int) -> None:
        self.running().serve(data.draw(st.sampled_from(self.links(QUEUED))), read_ms)

    @precondition(lambda self: self.links(WAITING))
    @rule(data=st.data(), read_ms=READ_MS)
    def expire(self, data: st.DataObject, read_ms: int) -> None:
        self.running().expire(data.draw(st.sampled_from(self.links(WAITING))), read_ms)

    def offered(self) -> list[Connection]:
        return [one for one in self.moving(ANSWERED) if one.alive]

    @precondition(lambda self: self.offered())
    @rule(data=st.data(), outcome=st.sampled_from(("all", "part", "stall")))
    def offer(self, data: st.DataObject, outcome: str) -> None:
        link = data.draw(st.sampled_from(self.offered()))
        self.running().offer(link, outcome if link.has_data or outcome != "stall" else "all")

    @precondition(lambda self: self.links(STALLED))
    @rule(data=st.data(), outcome=st.sampled_from(("all", "part")))
    def leave(self, data: st.DataObject, outcome: str) -> None:
        self.running().leave(data.draw(st.sampled_from(self.links(STALLED))), outcome)

    def settled(self) -> list[Connection]:
        lost = [one for one in self.moving(ANSWERED) if not one.alive]
        return self.moving(WRITTEN) + lost

    @precondition(lambda self: self.settled())
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        self.running().settle(data.draw(st.sampled_from(self.settled())))

    def connected(self) -> list[Connection]:
        stages = (None, QUEUED, WAITING, ANSWERED, WRITTEN)
        return [one for one in self.moving(*stages) if one.alive]

    @precondition(lambda self: self.connected())
    @rule(data=st.data())
    def disconnect(self, data: st.DataObject) -> None:
        self.running().disconnect(data.draw(st.sampled_from(self.connected())))

    @rule(ms=TIMES_MS)
    def pass_time(self, ms: int) -> None:
        self.running().pass_time(ms)

    @rule(ms=FREEZES_MS)
    def freeze(self, ms: int) -> None:
        self.running().freeze(ms)

    def teardown(self) -> None:
        if self.world is not None:
            # After a step that failed, marks that are left would hide the step.
            self.world.close(check=sys.exc_info()[0] is None)


def explore(
    driver: Driver,
    scope: str,
    follows: str,
    examples: int = EXAMPLES,
    *,
    phases: Sequence[Phase] = tuple(Phase),
) -> None:
    """Run random histories in a scope of the driver's leader; it must follow this rule."""
    machine = type("Machine", (Machine,), {"driver": driver, "scope": scope, "follows": follows})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=RANDOM or examples,
            stateful_step_count=STEPS,
            phases=phases,
            derandomize=not RANDOM,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
