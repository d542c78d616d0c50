"""Read the record batches in every replica's log with the Kafka version that wrote them.

The reader (plugin-java/replicalogs) runs on that Kafka's class path, because only Kafka knows its
formats. Logs may be in use; an incomplete last batch is left out.
"""

import json
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final

from insync.artifacts import LOGS_JAR, built
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.jvm import SHORT_LIVED
from insync.errors import InsyncError

_MAIN: Final = "insync.logs.PrintBatches"
_WITHIN_S: Final = 120.0


def require_reader() -> Path:
    """Return the jar of the program that reads logs; raises InputError if it is not built."""
    return built(LOGS_JAR)


def batches(
    cluster: NodeCluster, dist: Distribution, topics: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yield the fields of every batch of `topics`, and of every log after its batches.

    The field `kind` is "batch" or "log"; the other fields are those of BatchLine or
    ReplicaLogLine, without `arm` and `repeat`. Raises InsyncError if the program fails.
    """
    if not topics:
        return
    brokers = [node for node in cluster.nodes.values() if node.role == "broker"]
    folders = [f"{node.id}={node.data_dir}" for node in brokers]
    with tempfile.TemporaryDirectory(prefix="insync-") as scratch:
        out, log = Path(scratch) / "batches.jsonl", Path(scratch) / "log.txt"
        command = dist.command(
            SHORT_LIVED, _MAIN, str(out), ",".join(sorted(topics)), *folders,
            jars=[require_reader()],
        )  # fmt: skip
        if process.run(command, log=log, folder=log.parent, within_s=_WITHIN_S) != 0:
            raise InsyncError(f"replicas' logs: not read: {process.complaint(log)}")
        with out.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
