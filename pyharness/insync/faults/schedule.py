"""What is done when in a repeat: faults begin, and are lifted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from insync.faults.base import Fault
from insync.faults.registry import tags_of
from insync.faults.spec import Planned


@dataclass(frozen=True, slots=True)
class Moment:
    """A scheduled action of a repeat, `at_ms` after its start: a fault begins, or is lifted.

    `fault` is the fault's place in the scenario.
    """

    at_ms: int
    act: Callable[[], None]
    words: str
    fault: int
    lifts: bool = False


def moments(specs: Sequence[Planned], faults: Sequence[Fault[Any]]) -> list[Moment]:
    """Return what to do when, in order of time.

    Where a broker is killed at the moment at which a stall of it ends, the kill comes first: the
    process ends with its calls stalled.
    """
    deaths = {(spec.broker, spec.at_ms) for spec in specs if tags_of(spec).kills}
    planned: list[Moment] = []
    last: list[Moment] = []
    for number, (spec, fault) in enumerate(zip(specs, faults, strict=True)):
        words = spec.words
        if spec.end_ms == spec.at_ms:
            planned.append(Moment(spec.at_ms, fault.begin, words, number))
            continue
        length_s = (spec.end_ms - spec.at_ms) / 1000
        begins = Moment(spec.at_ms, fault.begin, f"{words} for {length_s:g} s", number)
        ends = Moment(spec.end_ms, fault.lift, f"{words} lifted", number, lifts=True)
        dies = tags_of(spec).outlasts_process and (spec.broker, spec.end_ms) in deaths
        planned.append(begins)
        (last if dies else planned).append(ends)
    return sorted([*planned, *last], key=lambda moment: moment.at_ms)
