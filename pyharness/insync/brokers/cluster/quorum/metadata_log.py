"""Every leader and ISR change of a cluster, from the log that its controller keeps.

The log misses nothing and has the controller's times, where polling brokers misses short
shrinks and mixes up their views. It may be read while the cluster runs, and after it stopped.
"""

from collections.abc import Iterator

from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.quorum import (
    kraft_log,
    metadata_records,
    zookeeper_log,
    zookeeper_records,
)
from insync.brokers.cluster.quorum.isr_lines import Line
from insync.brokers.kafka.distribution import Distribution
from insync.nodes import CONTROLLER_ID


def isr_events(cluster: NodeCluster, dist: Distribution, arm: str) -> Iterator[Line]:
    """Yield the lines of isr.jsonl so far, in log order.

    Raises InsyncError when there is no log or it cannot be read. A record that had not been
    written to its end is left out.
    """
    if dist.release.zookeeper:
        changes = zookeeper_log.changes(cluster.zookeeper.transaction_log)
        for line in zookeeper_records.states(changes, arm):
            if line["broker"] != CONTROLLER_ID:  # it registers as a broker, but holds nothing
                yield line
    else:
        printed = kraft_log.printed(cluster.controller.metadata_log, dist)
        yield from metadata_records.states(printed, arm)
