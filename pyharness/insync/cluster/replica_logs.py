"""The record batches in every replica's log, as the Kafka that wrote them reads them.

A small program of ours runs on that Kafka's class path (plugin-java/replicalogs): formats are Kafka's
to know. The logs may be in use; what is not written to its end is left out.
"""

import json
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final

from insync.cluster.common import NodeCluster
from insync.errors import InputError, InsyncError
from insync.kafka import process
from insync.kafka.distribution import Distribution
from insync.kafka.jvm import SHORT_LIVED

JAR: Final = Path(__file__).parents[1] / "_built" / "insync-logs.jar"
_MAIN: Final = "insync.logs.PrintBatches"
_WITHIN_S: Final = 120.0


def require_reader() -> Path:
    """Return the jar of the program that reads logs; raises InputError where it is not built."""
    if not JAR.is_file():
        raise InputError(f"{JAR.name}: not built, expected in {JAR.parent}: run `make setup`")
    return JAR


def batches(
    cluster: NodeCluster, dist: Distribution, topics: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yield the fields of every batch of `topics`, and of every log after its batches.

    Their `kind` is "batch" or "log"; the others are those of BatchLine and ReplicaLogLine
    but for `arm` and `repeat`. Raises InsyncError if the program failed.
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
