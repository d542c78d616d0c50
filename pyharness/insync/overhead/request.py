"""What `insync overhead` is asked to do."""

from dataclasses import dataclass
from typing import Annotated, Final

from insync.run.request import DEFAULT_KAFKA, Kafka, Names

RECORDS: Final = 150_000


@dataclass(frozen=True, kw_only=True, slots=True)
class OverheadRequest:
    arms: Annotated[Names, "Comma-separated arms; stock is the baseline."] = (
        "stock", "off", "read", "request", "step-down",
    )  # fmt: skip
    kafka: Kafka = DEFAULT_KAFKA
    rounds: Annotated[int, "How often each arm is measured; 6 give intervals."] = 6
    records: Annotated[int, "Records produced per measurement; 0: none."] = RECORDS
    idle: Annotated[int, "Partitions that nobody writes, each with three replicas."] = 0
