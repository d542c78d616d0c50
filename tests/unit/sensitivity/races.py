"""Makes up a race in which one metric has a given value, as `histories` does for a workload."""

from collections.abc import Sequence
from typing import Any, Final

from insync.events import schema
from unit.sensitivity.histories import LEADERS, Line, Repeat, Way

_STATE: Final = {
    "log_start_offset": 5, "high_watermark": 10, "leo": 20, "fetchers": 9,
    "failed_partitions": 0, "put_right": 0,
}  # fmt: skip


def _last(repeat: Repeat) -> list[Line]:
    return [line for line in repeat.lines[schema.SAMPLES] if line["moment"] == "after"]


def _of_broker(repeat: Repeat, **fields: Any) -> None:
    for line in _last(repeat):
        if line["broker"] == 2:
            line.update(fields)


def _behind(repeat: Repeat, many: float) -> None:
    for line in _last(repeat):
        if line["broker"] == 2 and line["partition"] < many:
            line["leo"] -= 1


def _sampled(**state: int) -> Way:
    def made(repeat: Repeat, many: float) -> None:
        for number in range(round(many)):
            sample(repeat, 100.0 + number, "during", brokers=(2,), partitions=(0,), **state)

    return made


MADE: Final[dict[str, Way]] = {
    "fetchers_lost": lambda race, many: _of_broker(race, fetchers=_STATE["fetchers"] - round(many)),
    "partitions_failed": lambda race, many: _of_broker(race, failed_partitions=round(many)),
    "partitions_behind": _behind,
    "start_above_end": _sampled(log_start_offset=21, high_watermark=21),
    "start_above_watermark": _sampled(log_start_offset=11),
    "starts_put_right": lambda race, many: _of_broker(race, put_right=round(many)),
}
"""How each metric of a race gets a value."""


def sample(
    repeat: Repeat, at: float, moment: str, brokers: Sequence[int] = (1, 2),
    partitions: Sequence[int] = tuple(range(len(LEADERS))), **state: int,
) -> None:  # fmt: skip
    for broker in brokers:
        for partition in partitions:
            line = {**_STATE, **state, "broker": broker, "partition": partition}
            repeat.add(schema.SAMPLES, at, moment=moment, **line)


def made(metric: str, value: float, number: int, start_ms: float) -> Repeat:
    repeat = Repeat(number, start_ms)
    sample(repeat, 10.0, "before")
    sample(repeat, 1_000.0, "after")
    MADE[metric](repeat, value)
    repeat.end(2_000.0)
    return repeat
