"""Takes samples of brokers: from outside of any, and over the bridge of those with the agent."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil

from insync.brokers.kafka.java import Java
from insync.errors import InsyncError
from insync.events.soak_info import SAMPLES, Sample
from insync.events.writer import EventWriter
from insync.overhead.observer import Counters, Observer, observer
from insync_bridge import BridgeClient

_MEGA: Final = 1e6
_NONE_LEFT_WITHIN_S: Final = 20.0
_POLL_S: Final = 0.2


class BrokerSampler:
    """Samples brokers, and writes each sample as a line."""

    def __init__(
        self,
        pids: Mapping[int, int],
        observed: Observer,
        bridges: Mapping[int, BridgeClient],
        writer: EventWriter,
    ) -> None:
        """Sample the brokers with these process ids; `bridges` are those that have one."""
        self._pids = pids
        self._observer = observed
        self._bridges = bridges
        self._writer = writer
        self.started = time.monotonic()
        self.samples: list[Sample] = []

    def take(self, after: str = "") -> None:
        """Take a sample of each broker, after a collection; raises InsyncError if one has ended.

        `after` is the disturbance since the last sample.
        """
        counters = self._observer.read(collect=True)
        for broker, seen in zip(self._pids, counters, strict=True):
            sample = self._sample(broker, seen, after)
            self.samples.append(sample)
            self._writer.write(sample.model_dump(mode="json"))

    def pending_when_off(self) -> dict[int, int] | None:
        """Return the marks that each broker still has; wait a while for none.

        Call it when the feature is off: then no new mark is made. None without the agent.
        """
        if not self._bridges:
            return None
        until = time.monotonic() + _NONE_LEFT_WITHIN_S
        while True:
            left = {
                broker: bridge.counters().pending_now for broker, bridge in self._bridges.items()
            }
            if not any(left.values()) or time.monotonic() > until:
                return left
            time.sleep(_POLL_S)

    def _sample(self, broker: int, seen: Counters, after: str) -> Sample:
        try:
            process = psutil.Process(self._pids[broker])
            threads, handles = process.num_threads(), process.num_fds()
        except psutil.Error as error:
            raise InsyncError(f"broker {broker}: not sampled: {error}") from error
        sample = Sample(
            t_s=round(time.monotonic() - self.started, 3), broker=broker,
            heap_mb=round(seen["heap"] / _MEGA, 3), threads=threads, handles=handles,
            fetches=seen["fetches"], evicted=seen["evicted"], closed=seen["closed"], after=after,
        )  # fmt: skip
        if broker not in self._bridges:
            return sample
        counters = self._bridges[broker].counters()
        return sample.model_copy(
            update={
                "pending": counters.pending_now,
                "marks": counters.marks_total,
                "held": counters.held_now,
                "errors": counters.errors,
                "dropped": counters.events_dropped,
            }
        )


@contextmanager
def sampler(
    java: Java, pids: Mapping[int, int], bridges: Mapping[int, Path], out: Path
) -> Iterator[BrokerSampler]:
    """Attach to brokers for a block; samples go to a file in `out`.

    `bridges` are the connection files of the brokers with the agent.
    """
    opened: dict[int, BridgeClient] = {}
    try:
        for broker, file in bridges.items():
            opened[broker] = BridgeClient.connect(file)
        with (
            observer(java, list(pids.values()), out) as observed,
            EventWriter(out / SAMPLES) as writer,
        ):
            yield BrokerSampler(pids, observed, opened, writer)
    finally:
        for bridge in opened.values():
            bridge.close()
