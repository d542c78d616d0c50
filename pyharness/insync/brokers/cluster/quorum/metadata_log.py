"""Read every leader and ISR change of a cluster from the log of its controllers.

The log is complete and has the controller's timestamps; polling brokers would miss short shrinks
and mix the brokers' views. It can be read while the cluster runs and after it has stopped.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace

from insync.brokers.cluster import replica_logs
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.quorum import zookeeper_log
from insync.brokers.cluster.quorum.zookeeper_log import Line, line
from insync.brokers.kafka.distribution import Distribution
from insync.errors import InsyncError
from insync.nodes import CONTROLLER_ID

_IDS = {
    "isr": "isr", "replicas": "replicas", "elr": "eligibleLeaderReplicas",
    "adding": "addingReplicas",
}  # fmt: skip
"""The fields of a change record that name replicas, by what a state calls them."""
# BrokerRegistrationFencingChange: what a change record's `fenced` means; 0 is not a change.
_FENCING = {1: True, -1: False}


@dataclass(frozen=True)
class PartitionRecord:
    """A partition's state: leader -1 means none; `elr` is None until the log names one.

    `adding` are the replicas that a reassignment adds, until all of them are in the ISR.
    """

    leader: int
    leader_epoch: int
    isr: Sequence[int]
    replicas: Sequence[int]
    elr: Sequence[int] | None
    adding: Sequence[int] = field(default_factory=list)

    def changed(self, data: Line) -> "PartitionRecord":
        """Return the state after a PARTITION_CHANGE_RECORD, as PartitionRegistration does."""
        leads = data.get("leader", -2)
        # -2 keeps leader and epoch; naming a leader, even the same one, starts a new epoch.
        moved = {} if leads == -2 else {"leader": leads, "leader_epoch": self.leader_epoch + 1}
        named = {own: data[name] for own, name in _IDS.items() if data.get(name) is not None}
        return replace(self, **moved, **named)


def states(records: Iterable[Line], arm: str) -> Iterator[Line]:
    """Yield the lines of isr.jsonl for `records`, in log order; `arm` goes into each.

    A record has the controller's time `t_ms`, its `type` and its `data`, as Kafka names them.
    Raises InsyncError for a change of something that no earlier record created.
    """
    history = _History(arm)
    for record in records:
        try:
            yield from history.follow(record["t_ms"], record["type"], record["data"])
        except KeyError as missing:
            raise InsyncError(
                f"metadata log: {record['type']} without the {missing} it builds on"
            ) from None


class _History:
    """The state after the records so far."""

    def __init__(self, arm: str) -> None:
        self._arm = arm
        self._topics: dict[str, str] = {}
        self._partitions: dict[tuple[str, int], PartitionRecord] = {}
        self._fenced: dict[int, bool] = {}

    def follow(self, time_ms: int, kind: str, data: Line) -> Iterator[Line]:
        """Apply one record; yield the line that results, if any."""
        match kind:
            case "TOPIC_RECORD":
                self._topics[data["topicId"]] = data["name"]
            case "PARTITION_RECORD":
                ids = data["isr"], data["replicas"], data.get("eligibleLeaderReplicas")
                created = PartitionRecord(data["leader"], data["leaderEpoch"], *ids)
                yield self._partition(time_ms, data, created)
            case "PARTITION_CHANGE_RECORD":
                before = self._partitions[data["topicId"], data["partitionId"]]
                yield self._partition(time_ms, data, before.changed(data))
            case "CLEAR_ELR_RECORD":
                yield from self._without_elr(time_ms, data["topicName"])
            case "REGISTER_BROKER_RECORD":
                yield from self._broker(time_ms, data["brokerId"], data["fenced"])
            case "BROKER_REGISTRATION_CHANGE_RECORD" if data.get("fenced") in _FENCING:
                yield from self._broker(time_ms, data["brokerId"], _FENCING[data["fenced"]])

    def _partition(self, time_ms: int, data: Line, state: PartitionRecord) -> Line:
        topic, index = data["topicId"], data["partitionId"]
        self._partitions[topic, index] = state
        known = {"topic": self._topics[topic], "partition": index, **asdict(state)}
        return line(self._arm, time_ms, kind="partition", **known)

    def _without_elr(self, time_ms: int, name: str) -> Iterator[Line]:
        """Clear the ELR of the topic `name`, or of every topic if `name` is empty."""
        for (topic, index), state in list(self._partitions.items()):
            if state.elr and name in ("", self._topics[topic]):
                cleared = replace(state, elr=[])
                yield self._partition(time_ms, {"topicId": topic, "partitionId": index}, cleared)

    def _broker(self, time_ms: int, broker: int, fenced: bool) -> Iterator[Line]:
        if self._fenced.get(broker) is not fenced:
            self._fenced[broker] = fenced
            yield line(self._arm, time_ms, kind="broker", broker=broker, fenced=fenced)


def isr_events(cluster: NodeCluster, dist: Distribution, arm: str) -> Iterator[Line]:
    """Yield the lines of isr.jsonl so far, in log order.

    Raises InsyncError when there is no log or it cannot be read. An incomplete record at the end
    is left out.
    """
    if dist.release.zookeeper:
        changes = zookeeper_log.changes(cluster.zookeeper.transaction_log)
        for line in zookeeper_log.states(changes, arm):
            if line["broker"] != CONTROLLER_ID:  # it registers as a broker, but has no partitions
                yield line
    else:
        logs = [node.metadata_log for node in cluster.controllers]
        # The log of a controller that was down may lack the end.
        longest = max(logs, key=lambda log: sum(each.stat().st_size for each in log.glob("*.log")))
        records = replica_logs.lines(dist, "PrintMetadata", str(longest))
        yield from states(records, arm)
