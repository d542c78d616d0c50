"""Read from a broker's log which partitions it leads or follows, and since which leader epoch.

Every version logs when it starts to lead or follow a partition, each with its own text. The
controller's log says which broker was made leader; this log says which broker acted as leader.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

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
