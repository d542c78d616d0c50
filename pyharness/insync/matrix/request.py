"""What was asked of a matrix, as the command line states it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.run.request import DEFAULT_CLUSTER, DEFAULT_KAFKA, ClusterKind


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixRequest:
    """One matrix.

    None: the scenarios of every site, the arms that they name and a version has, their own
    repeats, the scale of their group, and as many arms at a time as it takes.
    """

    kafka: Sequence[str] = (DEFAULT_KAFKA,)
    cluster: ClusterKind = DEFAULT_CLUSTER
    only: Sequence[str] | None = None
    arms: Sequence[str] | None = None
    repeats: int | None = None
    scale: float | None = None
    seed: int = 1
    out: Path | None = None
    at_once: int | None = None
