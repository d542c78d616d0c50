"""Makes logs of brokers and controllers, as Kafka writes them, for the tests of `insync why`."""

from pathlib import Path
from typing import Final

from insync.why.answer import Diagnosis
from insync.why.sources.logs import answers
from unit.why.made_up import told

Line = str | tuple[int, str]
"""A text, or a second and a text that gets its date."""

SETTINGS: Final = "\treplica.lag.time.max.ms = 10000"
X: Final = "INFO nothing of use"
END: Final[Line] = (99, X)
MADE: Final = (
    "INFO [Partition t-0 broker=1] ISR updated to 1 (under-min-isr) and version updated"
    " to 1 (kafka.cluster.Partition)"
)
BACK: Final = "INFO [Partition t-0 broker=1] ISR updated to 1,2,3 and version updated to 3"
BOOTED: Final = "INFO Registered `kafka:type=kafka.Log4jController` MBean"
"""A process's first line."""
STARTED: Final = "INFO [KafkaServer id=2] started (kafka.server.KafkaServer)"
STOPPING: Final = (
    "INFO Terminating process due to signal SIGTERM (org.apache.kafka.LoggingSignalHandler)"
)


def at(second: int, text: str) -> str:
    """Return a line in the pattern of Kafka's own log4j configuration."""
    return f"[2026-01-02 03:{second // 60:02}:{second % 60:02},250] {text}"


def leads(partition: str, leader: int, isr: str = "1,2,3") -> str:
    return (
        f"INFO [Broker id={leader}] Leader {partition} with topic id Some(x) starts at leader epoch"
        f" 0 from offset 0 with partition epoch 0, high watermark 0, ISR [{isr}], adding replicas"
        " [] (state.change.logger)"
    )


def shrinks(
    partition: str, leader: int, after: str, *, before: str = "1,2,3", caught_up: int = -1
) -> str:
    """Return a leader's line; broker 2 had caught up `caught_up` seconds after the first line."""
    when = -1 if caught_up < 0 else 1767322800250 + 1000 * caught_up
    return (
        f"INFO [Partition {partition} broker={leader}] Shrinking ISR from {before} to {after}."
        " Leader: (highWatermark: 3, endOffset: 9). Out of sync replicas: (brokerId: 2, endOffset:"
        f" 3, lastCaughtUpTimeMs: {when}). (kafka.cluster.Partition)"
    )


def fences(broker: int) -> str:
    return (
        f"INFO [QuorumController id=100] Fencing broker {broker} because its session has timed out."
    )


def changes(broker: int, fenced: int) -> str:
    """Return a line of a controller that fences a broker (1), or lets it in again (-1)."""
    return (
        "INFO [QuorumController id=100] Replayed BrokerRegistrationChangeRecord modifying the"
        f" registration for broker {broker}: BrokerRegistrationChangeRecord(brokerId={broker},"
        f" brokerEpoch=3, fenced={fenced}, inControlledShutdown=0, logDirs=[])"
    )


UNFENCED: Final = changes(1, -1)
LEADS_0: Final[Line] = (1, leads("t-0", 1))
SLOW_LEADER: Final[list[Line]] = [
    (0, "INFO KafkaConfig values:"), SETTINGS, LEADS_0, (1, leads("t-1", 1)),
    (40, shrinks("t-0", 1, "1")), (40, MADE),
    (41, shrinks("t-1", 1, "1")), (41, MADE.replace("t-0", "t-1")), (60, BACK),
]  # fmt: skip
HEALTHY: Final[list[Line]] = [(1, leads("t-2", 2)), (2, leads("t-3", 3)), (90, X)]


class Logs:
    """Logs of a cluster in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: int | str, *lines: Line) -> None:
        """Write a file; that of a broker, by its id, has its settings, and is of 99 seconds."""
        if isinstance(name, int):
            lines = ((0, f"INFO [Broker id={name}] x"), SETTINGS, *lines, END)
        file = self.folder / (f"{name}.log" if isinstance(name, int) else name)
        file.parent.mkdir(exist_ok=True, parents=True)
        text = (each if isinstance(each, str) else at(*each) for each in lines)
        file.write_text("\n".join(text) + "\n")

    def answer(self, lag_ms: float | None = None, zone: str = "UTC") -> Diagnosis:
        (found,) = answers([str(self.folder)], lag_ms, None, zone)
        return found

    def told(self, lag_ms: float | None = None) -> str:
        """Return who was slow, why and where."""
        return told(self.answer(lag_ms))
