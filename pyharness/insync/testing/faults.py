"""Inject faults of any kind into a running cluster of a test, and show that they acted."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from insync.analysis.verdict.facts import FaultFact, facts_of
from insync.analysis.verdict.invalid_reasons import missing_evidence
from insync.brokers.cluster.admin import partitions
from insync.brokers.cluster.ready import await_ready
from insync.errors import InputError, InsyncError, did_you_mean
from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import FaultContext
from insync.faults.kind import ClusterKind
from insync.faults.registry import KINDS, fault_of, why_not
from insync.faults.spec import OnProcess, Planned, Surroundings
from insync.nodes import BROKERS, CONTROLLER_ID
from insync.run.arm_cluster import ArmCluster
from insync.scenario.load import load
from insync.scenario.model import Fault, Scenario
from insync.scenario.problems import describe

SERVES_WITHIN_S: Final = 60.0
MOST_MS: Final = 600_000
"""How long a fault may last at most: then the brokers lift it themselves if the test has died."""
_ANY: TypeAdapter[Any] = TypeAdapter(Fault)


@dataclass(frozen=True)
class Injected:
    """A fault that was lifted: what was planned, and its evidence."""

    planned: Mapping[str, Any]
    line: FaultLine


class Faults:
    """Injects faults of the kinds for which a cluster was prepared.

    `lifted` has every fault that was lifted, in order.
    """

    def __init__(self, arm_cluster: ArmCluster, prepared: Scenario, kinds: Sequence[str]) -> None:
        """Use a running cluster that is prepared for the faults of a scenario of these kinds."""
        self._arm_cluster = arm_cluster
        self._prepared = prepared
        self._kinds = kinds
        self.lifted: list[Injected] = []

    @contextmanager
    def __call__(self, kind: str, broker: int, *, topic: str = "", **keys: Any) -> Iterator[None]:
        """Inject a fault for a block, lift it at its end, and check that it acted.

        `keys` are those of the kind in a scenario file, without its times; `partitions` are those
        of `topic`. Raises InputError for a fault that cannot be, and InsyncError if there is no
        evidence that it acted: then what the block saw proves nothing.
        """
        spec, leaders = self._planned(kind, broker, topic, keys)
        at = FaultContext.of(
            spec, arm=self._arm_cluster.arm, repeat=0, topic=topic, leaders=leaders,
            io_threads=self._prepared.broker.num_io_threads,
        )  # fmt: skip
        fault = fault_of(spec, at, self._arm_cluster)
        fault.prepare()
        try:
            fault.begin()
            yield
        finally:
            fault.lift()
            if not isinstance(sys.exception(), KeyboardInterrupt):  # then the cluster ends anyway
                self._await(broker)
        self._keep(spec, fault.evidence())

    def _planned(
        self, kind: str, broker: int, topic: str, keys: Mapping[str, Any]
    ) -> tuple[Planned, Sequence[int]]:
        """Return the fault's spec, checked, and the leader of each partition of the topic."""
        if kind not in KINDS or kind not in self._kinds:
            names = ", ".join(self._kinds) or "none"
            raise InputError(
                f"faults: {kind!r}: the cluster is not prepared for it, expected one of {names};"
                " faults=[...] of the cluster names others"
            )
        times = {"at_ms": 0}
        if "for_ms" in KINDS[kind].spec.model_fields:
            times["for_ms"] = MOST_MS
        try:
            spec: Planned = _ANY.validate_python({"kind": kind, "broker": broker, **times, **keys})
            leaders = leaders_of(self._arm_cluster.cluster.bootstrap, topic) if topic else []
            file = self._arm_cluster.cluster.nodes[1].folder / "server.properties"
            settings = file.read_text(encoding="utf-8")
            spec.check_within(
                Surroundings(
                    index=0,
                    leaders=leaders,
                    flushes="log.flush.interval.messages=" in settings,
                    rolls="log.roll.ms=" in settings,
                    deletes="log.retention.check.interval.ms=" in settings,
                    earlier=(),
                )
            )
        except ValidationError as error:
            raise InputError("; ".join(describe(error, within=("faults", 0)))) from None
        except PydanticCustomError as error:
            raise InputError(f"faults: {kind}: {error.message()}") from None
        return spec, leaders

    def _await(self, number: int) -> None:
        """Wait until a broker serves again, unless another fault has ended it meanwhile."""
        node = self._arm_cluster.cluster.nodes[number]
        if node.process.poll() is None:
            await_ready([node], SERVES_WITHIN_S)

    def _keep(self, spec: Planned, line: FaultLine) -> None:
        """Keep a lifted fault; raises InsyncError without evidence that it acted."""
        planned = spec.model_dump(mode="json")
        if "for_ms" in planned:
            planned["for_ms"] = line.lifted_ms - line.injected_ms
        self.lifted.append(Injected(planned, line))
        (fact,) = facts_of(FaultFact, [asdict(line)])
        plan = PlannedFault.model_validate(planned)
        problem = next(missing_evidence(plan, fact, plan.words), None)
        if problem is not None:
            raise InsyncError(f"faults: {problem}")


def leaders_of(bootstrap: str, topic: str) -> list[int]:
    """Return the leader of each partition of a topic; raises InputError if there is no such."""
    found = partitions(bootstrap.split(",")[0], topic)
    if not found:
        raise InputError(f"topic {topic!r}: not found at {bootstrap}, expected an existing topic")
    return [found[number][0] for number in sorted(found)]


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
