"""Computes what a partition costs from clusters of several sizes, and what many would cost."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final

from insync.overhead.figures import OF_SCALE
from insync.overhead.rounds import Round

DOCUMENT: Final = "scale.json"
FAR: Final = 200_000
"""Partitions of a cluster for which figures are computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """How a figure of an arm grows with the partitions of which a broker has a replica.

    Attributes:
        arm: the arm.
        figure: the figure's name.
        values: its median by the number of partitions.
        per_partition: the slope of the line through the values with the fewest and the most.
        far: the value of that line at `FAR` partitions.

    """

    arm: str
    figure: str
    values: Mapping[int, float]
    per_partition: float
    far: float


def slopes(measured: Mapping[int, Sequence[Round]]) -> list[Slope]:
    """Return the slopes of every arm and figure; `measured` are the rounds by partitions.

    There are at least two numbers of partitions.
    """
    first, last = min(measured), max(measured)
    arms = dict.fromkeys(arm for each in measured[first] for arm in each)
    found = []
    for arm in arms:
        for spec in OF_SCALE:
            values = {
                count: median(each[arm][spec.name] for each in rounds)
                for count, rounds in sorted(measured.items())
            }
            slope = (values[last] - values[first]) / (last - first)
            far = values[first] + slope * (FAR - first)
            found.append(
                Slope(arm=arm, figure=spec.name, values=values, per_partition=slope, far=far)
            )
    return found


def document(kafka: str, java: str, measured: Mapping[int, Sequence[Round]]) -> dict[str, Any]:
    """Return the content of scale.json."""
    return {
        "v": 1,
        "kafka": kafka,
        "java": java,
        "figures": {spec.name: {"kind": spec.kind, "says": spec.says} for spec in OF_SCALE},
        "rounds": {str(count): list(rounds) for count, rounds in measured.items()},
        "far": FAR,
        "slopes": [asdict(each) for each in slopes(measured)],
    }
