"""Convert the changes in ZooKeeper's log to the states of partitions and brokers.

Kafka's controller keeps each partition's full state in one node, and its replicas in the topic's
node. A broker is registered as long as the session in which it created its own node; without a
registration it counts as fenced, as KRaft calls it: it leads no partition. Eligible leader
replicas did not exist yet, so `elr` is null. Does no input or output: takes changes, returns
dicts.
"""

import json
import re
from collections.abc import Iterable, Iterator

from insync.brokers.cluster.quorum.isr_lines import Line, line
from insync.brokers.cluster.quorum.zookeeper_log import Change
from insync.errors import InsyncError

CONTROLLER = "/controller"
_TOPIC = re.compile(r"/brokers/topics/([^/]+)")
_STATE = re.compile(r"/brokers/topics/([^/]+)/partitions/(\d+)/state")
_BROKER = re.compile(r"/brokers/ids/(\d+)")


def states(changes: Iterable[Change], arm: str) -> Iterator[Line]:
    """Yield the lines of isr.jsonl for `changes`, in log order; `arm` goes into each.

    Raises InsyncError for a change that Kafka would not write.
    """
    history = _History(arm)
    for change in changes:
        try:
            yield from history.follow(change)
        except (KeyError, ValueError) as error:
            raise InsyncError(
                f"zookeeper log: {change.path} is {change.data!r}: {error!r}"
            ) from None


class _History:
    """The state after the changes so far."""

    def __init__(self, arm: str) -> None:
        self._arm = arm
        self._replicas: dict[str, dict[str, list[int]]] = {}
        self._adding: dict[str, dict[str, list[int]]] = {}
        self._session_of: dict[int, int] = {}

    def follow(self, change: Change) -> Iterator[Line]:
        """Apply one change; yield the lines that result."""
        if change.path is None:
            yield from self._session_ended(change)
        elif found := _STATE.fullmatch(change.path):
            yield from self._partition(change, found[1], found[2])
        elif found := _BROKER.fullmatch(change.path):
            yield from self._broker(change, int(found[1]))
        elif (found := _TOPIC.fullmatch(change.path)) and change.data:
            assigned = json.loads(change.data)
            self._replicas[found[1]] = assigned["partitions"]
            self._adding[found[1]] = assigned.get("adding_replicas", {})

    def _partition(self, change: Change, topic: str, index: str) -> Iterator[Line]:
        if change.data is None:
            return
        state = json.loads(change.data)
        yield line(
            self._arm,
            change.time_ms,
            kind="partition",
            topic=topic,
            partition=int(index),
            leader=state["leader"],
            leader_epoch=state["leader_epoch"],
            isr=state["isr"],
            replicas=self._replicas[topic][index],
            adding=self._adding[topic].get(index, []),
        )

    def _broker(self, change: Change, broker: int) -> Iterator[Line]:
        if change.ephemeral:
            self._session_of[broker] = change.session
            yield self._fencing(change, broker, fenced=False)
        elif change.data is None and self._session_of.pop(broker, None) is not None:
            yield self._fencing(change, broker, fenced=True)

    def _session_ended(self, change: Change) -> Iterator[Line]:
        gone = [who for who, session in self._session_of.items() if session == change.session]
        for broker in gone:
            del self._session_of[broker]
            yield self._fencing(change, broker, fenced=True)

    def _fencing(self, change: Change, broker: int, *, fenced: bool) -> Line:
        return line(self._arm, change.time_ms, kind="broker", broker=broker, fenced=fenced)
