"""Rules of a scenario that one field alone cannot state.

Each raises `Broken` with the key path, the value and what was expected, in the
words that the user is to read.
"""

from collections.abc import Sequence
from typing import Final

from pydantic_core import PydanticCustomError

LEAST_LAG_MS: Final = 500  # below this a busy two-core host shrinks the ISR by itself


def _broken(key: str, value: object, expected: str) -> PydanticCustomError:
    """Return the error for a rule; `load` puts key, value and expectation on one line."""
    context = {"key": key, "value": repr(value), "expected": expected}
    return PydanticCustomError("rule", "{key}: {value}, expected {expected}", context)


def check_lag(lag_ms: int, wait_ms: int) -> None:
    """Check that the lag can be measured here; Kafka itself wants the wait below it."""
    if lag_ms < LEAST_LAG_MS:
        raise _broken("replica_lag_time_max_ms", lag_ms, f"at least {LEAST_LAG_MS}")
    if wait_ms >= lag_ms:
        expected = f"less than replica_lag_time_max_ms, which is {lag_ms}"
        raise _broken("replica_fetch_wait_max_ms", wait_ms, expected)


def check_delay(mode: str, delay_ms: int) -> None:
    """Check that a delay has a length and a hold has none."""
    if mode == "delay" and delay_ms == 0:
        raise _broken("delay_ms", delay_ms, "more than 0 for mode 'delay'")
    if mode == "hold" and delay_ms != 0:
        raise _broken("delay_ms", delay_ms, "none for mode 'hold'")


def check_bounds(low: float | None, high: float | None) -> None:
    """Check that an expectation has a bound, and that its bounds leave room."""
    if low is None and high is None:
        raise _broken("min", None, "min or max or both")
    if low is not None and high is not None and low > high:
        raise _broken("min", low, f"at most max, which is {high:g}")


def check_unique(key: str, values: Sequence[object]) -> None:
    """Check that a list names nothing twice."""
    if len(set(values)) != len(values):
        raise _broken(key, list(values), "each only once")


def check_control_arms(control: Sequence[str], arms: Sequence[str]) -> None:
    """Check that control arms are among the arms that are run."""
    for index, arm in enumerate(control):
        if arm not in arms:
            raise _broken(f"control_arms[{index}]", arm, f"one of the arms: {', '.join(arms)}")


def check_partitions(index: int, partitions: Sequence[int], leaders: Sequence[int]) -> None:
    """Check that a fault is on partitions that exist."""
    for place, partition in enumerate(partitions):
        if partition >= len(leaders):
            expected = f"0 to {len(leaders) - 1}, the partitions of workload.leaders"
            raise _broken(f"faults[{index}].partitions[{place}]", partition, expected)


def check_led(index: int, broker: int, partitions: Sequence[int], leaders: Sequence[int]) -> None:
    """Check that a fault is on partitions that its broker leads when a repeat begins."""
    for place, partition in enumerate(partitions):
        if leaders[partition] != broker:
            led = [number for number, leader in enumerate(leaders) if leader == broker]
            expected = f"a partition led by broker {broker}: {led}"
            raise _broken(f"faults[{index}].partitions[{place}]", partition, expected)


def check_not_led(
    index: int, broker: int, partitions: Sequence[int], leaders: Sequence[int]
) -> None:
    """Check that an election moves each partition to another leader."""
    for place, partition in enumerate(partitions):
        if leaders[partition] == broker:
            expected = f"a partition that broker {broker} does not lead already"
            raise _broken(f"faults[{index}].partitions[{place}]", partition, expected)


def check_apart(index: int, at_ms: int, end_ms: int, other_at_ms: int, other_end_ms: int) -> None:
    """Check that two faults on one broker do not overlap."""
    if at_ms < other_end_ms and other_at_ms < end_ms:
        expected = (
            f"outside of {other_at_ms} to {other_end_ms}, when the same broker is frozen or"
            " killed, or has another fault"
        )
        raise _broken(f"faults[{index}].at_ms", at_ms, expected)


def check_start(index: int, at_ms: int, steady_ms: int) -> None:
    """Check that a fault comes after the steady time."""
    if at_ms < steady_ms:
        expected = f"at least timeline.steady_ms, which is {steady_ms}"
        raise _broken(f"faults[{index}].at_ms", at_ms, expected)
