"""Read the record batches in every replica's log."""

from collections.abc import Collection, Iterator
from typing import Any

from insync.brokers.cluster import log_reader
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.kafka.distribution import Distribution


def batches(
    cluster: NodeCluster, dist: Distribution, topics: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yield the fields of every batch of `topics`, and of every log after its batches.

    The field `kind` is "batch" or "log"; the other fields are those of BatchLine or
    ReplicaLogLine, without `arm` and `repeat`. Raises InsyncError if the logs cannot be read.
    """
    if topics:
        brokers = [node for node in cluster.nodes.values() if node.role == "broker"]
        folders = [f"{node.id}={place}" for node in brokers for place in node.data_dirs]
        yield from log_reader.lines(dist, "PrintBatches", ",".join(sorted(topics)), *folders)
