"""Read every leader and ISR change of a cluster from the log of its controllers.

The log is complete and has the controller's timestamps; polling brokers would miss short shrinks
and mix the brokers' views. It can be read while the cluster runs and after it has stopped.
"""

from collections.abc import Iterator
from pathlib import Path

from insync.brokers.cluster import replica_logs
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.quorum import metadata_records, zookeeper_log, zookeeper_records
from insync.brokers.cluster.quorum.isr_lines import Line
from insync.brokers.kafka.distribution import Distribution
from insync.nodes import CONTROLLER_ID


def _longest(cluster: NodeCluster) -> Path:
    """Return the folder of the controllers' longest log: one that was down may lack the end."""
    return max((node.metadata_log for node in cluster.controllers), key=_size)


def _size(folder: Path) -> int:
    return sum(segment.stat().st_size for segment in folder.glob("*.log"))


def isr_events(cluster: NodeCluster, dist: Distribution, arm: str) -> Iterator[Line]:
    """Yield the lines of isr.jsonl so far, in log order.

    Raises InsyncError when there is no log or it cannot be read. An incomplete record at the end
    is left out.
    """
    if dist.release.zookeeper:
        changes = zookeeper_log.changes(cluster.zookeeper.transaction_log)
        for line in zookeeper_records.states(changes, arm):
            if line["broker"] != CONTROLLER_ID:  # it registers as a broker, but has no partitions
                yield line
    else:
        records = replica_logs.lines(dist, "PrintMetadata", str(_longest(cluster)))
        yield from metadata_records.states(records, arm)
