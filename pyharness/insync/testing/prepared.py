"""Prepare a cluster for faults of chosen kinds, before it is known what exactly they will do."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from insync.errors import InputError, did_you_mean
from insync.faults.kind import ClusterKind
from insync.faults.registry import KINDS, why_not
from insync.faults.spec import OnProcess, Planned
from insync.nodes import BROKERS, CONTROLLER_ID
from insync.scenario.load import load
from insync.scenario.model import Scenario

MOST_PARTITIONS: Final = 1_024
"""How many rules the stalls of a broker have together; each uses one per partition."""
_OPERATIONS: Final = ("read", "write", "fsync") * 64
CHEAP: Final = tuple(
    name
    for name, kind in KINDS.items()
    if not kind.tags.log_folder and "link" not in name
)  # fmt: skip
"""Kinds that need no proxy and no file system of their own: healthy brokers run as without them."""


def require_kinds(names: Sequence[str], cluster: ClusterKind, folder: Path) -> None:
    """Check that faults of these kinds can be injected here; raises InputError."""
    for name in names:
        if name not in KINDS:
            raise InputError(
                f"faults: {name!r}, expected some of {', '.join(KINDS)}{did_you_mean(name, KINDS)}"
            )
        reason = why_not(name, cluster, folder)
        if reason is not None:
            raise InputError(f"faults: {reason}")


def possible(cluster: ClusterKind, folder: Path) -> tuple[str, ...]:
    """Return the cheap kinds that can be injected here."""
    return tuple(name for name in CHEAP if why_not(name, cluster, folder) is None)


def scenario_of(kinds: Sequence[str]) -> Scenario:
    """Return a scenario that requires of its cluster what faults of these kinds may need.

    It is not to be run: its faults have no times, and are done to every node.
    """
    specs = tuple(spec for name in kinds for spec in _samples(name))
    return load("control").model_copy(update={"faults": specs})


def _samples(name: str) -> Iterator[Planned]:
    """Yield a spec for each node; no rule of scenarios is checked."""
    kind = KINDS[name]
    nodes = list(range(1, BROKERS + 1))
    if kind.tags.log_folder and issubclass(kind.spec, OnProcess):
        nodes.append(CONTROLLER_ID)
    for node in nodes:
        yield kind.spec.model_construct(
            kind=name, broker=node, at_ms=0, for_ms=1,
            partitions=tuple(range(MOST_PARTITIONS)), operations=_OPERATIONS,
        )  # fmt: skip
