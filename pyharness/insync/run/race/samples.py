"""Sample a race: each replica's start, high watermark and end offset, and its fetcher threads."""

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Final

from insync.background import Background
from insync.errors import InsyncError
from insync.events.schema import Moment, SampleLine, now_ms
from insync.run.agents import connect_all
from insync.run.context import ArmContext
from insync_bridge import BridgeClient, BridgeError

EVERY_SECONDS: Final = 0.05
STOP_SECONDS: Final = 30.0


class Sampler(Background):
    """Writes a SampleLine per broker and partition, again and again until the block is left."""

    def __init__(self, context: ArmContext, topic: str, repeat: int) -> None:
        """Connect to the brokers' bridges; raises InsyncError if one does not answer."""
        super().__init__("insync-samples", EVERY_SECONDS, STOP_SECONDS)
        self._context = context
        self._topic = topic
        self._repeat = repeat
        self._bridges = connect_all(context.arm_cluster.bridge)
        self._partitions = range(len(context.cell.scenario.workload.leaders))
        self._lock = threading.Lock()
        self.fetchers: dict[Moment, dict[int, int]] = {}
        """How many fetcher threads each broker had at a moment."""

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            super().__exit__(kind)
        finally:
            for bridge in self._bridges.values():
                bridge.close()

    def write(self, moment: Moment) -> None:
        """Take a sample now; raises InsyncError if a broker does not answer, or did not before."""
        self._keep(self._take(moment))

    def write_settled(self, moment: Moment, most_ms: int) -> None:
        """Write the first sample in which all replicas of a partition have equal start and end.

        After `most_ms` write the current sample. Raises InsyncError as `write` does.
        """
        until = time.monotonic() + most_ms / 1000
        while not _settled(lines := self._take(moment)) and time.monotonic() < until:
            time.sleep(EVERY_SECONDS)
        self._keep(lines)

    def lost(self) -> list[int]:
        """Return the brokers that have fewer fetcher threads after the race than before."""
        before, after = self.fetchers["before"], self.fetchers["after"]
        return [broker for broker in sorted(after) if after[broker] < before[broker]]

    def _step(self) -> None:
        self.write("during")

    def _take(self, moment: Moment) -> list[SampleLine]:
        try:
            self.check()
            return self._ask(moment)
        except BridgeError as error:
            raise InsyncError(str(error)) from error

    def _keep(self, lines: Sequence[SampleLine]) -> None:
        for line in lines:
            self._context.files.samples.write(line)

    def _ask(self, moment: Moment) -> list[SampleLine]:
        with self._lock:
            return [
                line
                for broker, bridge in self._bridges.items()
                for line in self._ask_broker(moment, broker, bridge)
            ]

    def _ask_broker(
        self, moment: Moment, broker: int, bridge: BridgeClient
    ) -> Iterator[SampleLine]:
        fetchers = bridge.fetchers()
        self.fetchers.setdefault(moment, {})[broker] = len(fetchers.threads)
        for partition in self._partitions:
            own = bridge.own_replica(self._topic, partition)
            if own is None:
                continue
            yield SampleLine(
                arm=self._context.arm, repeat=self._repeat, t_ms=now_ms(), moment=moment,
                broker=broker, topic=self._topic, partition=partition,
                log_start_offset=own.log_start_offset, high_watermark=own.high_watermark,
                leo=own.leo, fetchers=len(fetchers.threads),
                failed_partitions=fetchers.failed_partitions,
                put_right=fetchers.bounded + fetchers.snapshots,
            )  # fmt: skip


def _settled(lines: Sequence[SampleLine]) -> bool:
    ends: dict[int, set[tuple[int, int]]] = {}
    for line in lines:
        ends.setdefault(line.partition, set()).add((line.log_start_offset, line.leo))
    return all(len(each) == 1 for each in ends.values())
