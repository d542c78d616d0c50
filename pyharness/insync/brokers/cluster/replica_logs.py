"""Read the logs of Kafka's nodes, such as the record batches of every replica.

The program (plugin-java/replicalogs) runs on the class path of the Kafka that wrote them, because
only Kafka knows its formats. Logs may be in use; an incomplete last batch is left out.
"""

import json
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from insync.artifacts import LOGS_JAR, built
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import SHORT_LIVED, Distribution
from insync.errors import InsyncError

_WITHIN_S: Final = 120.0


def lines(dist: Distribution, main: str, *arguments: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON lines that its class `main` prints; raises InsyncError if the class fails."""
    with tempfile.TemporaryDirectory(prefix="insync-") as scratch:
        out, log = Path(scratch) / "lines.jsonl", Path(scratch) / "log.txt"
        command = dist.command(
            SHORT_LIVED, f"insync.logs.{main}", str(out), *arguments, jars=[built(LOGS_JAR)]
        )
        if process.run(command, log=log, folder=log.parent, within_s=_WITHIN_S) != 0:
            raise InsyncError(f"{main} cannot read the logs: {process.complaint(log)}")
        with out.open(encoding="utf-8") as printed:
            yield from map(json.loads, printed)


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
        yield from lines(dist, "PrintBatches", ",".join(sorted(topics)), *folders)


_STARTS: Final = re.compile(
    r"INFO (?:starting \(KafkaServer\)"
    r"|\[BrokerServer id=\d+\] Transition from SHUTDOWN to STARTING)"
)
_TAKES_UP: Final = re.compile(
    r"^(?P<time>\S+Z) INFO .*?(?P<role>Leader|Follower|\]) (?P<topic>\S+)-(?P<partition>\d+) "
    r"(?:with topic id \S+ )?starts at leader epoch (?P<epoch>\d+) from offset (?P<offset>\d+)"
    r"(?:.*? high watermark (?P<watermark>\d+))?",
    re.IGNORECASE,
)


def roles(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the fields of RoleLine, without `arm` and `broker`, from the lines of a broker's log.

    Kafka 1.1 logs only leaders, and no high watermark with them.
    """
    life = 0
    for line in lines:
        if _STARTS.search(line):
            life += 1
        elif found := _TAKES_UP.match(line):
            watermark = found["watermark"]
            yield {
                "t_ms": datetime.fromisoformat(found["time"]).timestamp() * 1000,
                "life": life,
                "topic": found["topic"],
                "partition": int(found["partition"]),
                "role": "follower" if found["role"] == "Follower" else "leader",
                "leader_epoch": int(found["epoch"]),
                "from_offset": int(found["offset"]),
                "high_watermark": None if watermark is None else int(watermark),
            }
