"""What a fault kind is made of; `kinds/` has one file for each, `registry.py` finds them.

Imports no broker code: scenarios, tables, verdict and report read the kinds as well.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Protocol, get_args

from insync.events.run_info import PlannedFault
from insync.faults.base import Fault, FaultContext, Spec
from insync.faults.spec import Planned

if TYPE_CHECKING:
    from insync.faults.cluster import FaultCluster

ClusterKind = Literal["local", "docker", "existing"]
Probe = Callable[[Path], str | None]
"""Returns why a fault cannot be injected into a run recorded in a folder, or None."""

# What a broker's log folder lies on, where a fault needs that; it can be one thing only.
STALLABLE: Final = "a file system that can be stalled"
OWN_DISK: Final = "the machine's own disk"
VOLUME: Final = "a small volume"


class RecordedFigures(Protocol):
    """The figures that a fault left in a run."""

    @property
    def calls_held(self) -> int:
        """How many system calls it stalled."""

    @property
    def acted_ms(self) -> float:
        """How long it provably acted."""

    @property
    def figures(self) -> Mapping[str, float]:
        """What else shows that it acted, by the names of its kind."""


EvidenceRule = Callable[[PlannedFault, RecordedFigures], str | None]
"""Returns what is missing in the evidence of a fault, or None. Pure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Requirements:
    """What one fault needs of the cluster that it acts on.

    Args:
        stall_rules: rules of the stall shim for each repeat; with one or more, its broker runs
            under the shim.
        disk_rules: rules of the file system under its broker's log folder for each repeat.
        tracks_flushes: whether the file systems under its broker's folders know what was flushed.
        links: whether brokers replicate through proxies.
        client_links: whether clients reach brokers through proxies.
        controller_links: whether all nodes reach the controllers through proxies.
        answers: whether the proxies may act on single answers.
        jvm_flags: flags that its broker's JVM must have from its start on.
        clock: whether its broker is shown another time of day, by the stall shim.

    """

    stall_rules: int = 0
    disk_rules: int = 0
    tracks_flushes: bool = False
    links: bool = False
    client_links: bool = False
    controller_links: bool = False
    answers: bool = False
    clock: bool = False
    jvm_flags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class KindWords:
    """A kind in words, for `insync faults` and the table of kinds.

    Args:
        does: what the broker, or the cluster, then suffers.
        mechanism: by what.
        evidence: what shows that it acted.
        notes: what else a reader has to know; Markdown.

    """

    does: str
    mechanism: str
    evidence: str
    notes: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tags:
    """What the scenario rules, the run, the tables and the report must know of a kind.

    Args:
        alone: nothing else may be done to the same node meanwhile; it could not answer.
        once: a second one on the same nodes would lift the first.
        regroups: moves the process into a control group; a process is in one at a time.
        kills: ends the process as it begins.
        outlasts_process: may be in force while its process ends, or starts again: a kill at its
            end comes first.
        log_folder: what the broker's log folder must lie on; empty for anything.
        one_log_dir: finds partitions in the broker's first log directory only.
        moves_leaders: partitions get another leader by it, as planned; needs no end.
        harmless: a node that it is done to is as healthy as before.
        at_both_ends: it is at the broker's peer as much as at the broker.
        only_planned: no random scenario has it: it takes longer, or more of the host, than all else
            in one; loses records; or needs what brokers there do not have.
        stops_process: the process does nothing from the beginning to the end of the evidence.
        oldest: the first release with which it can be done, and what older ones do not.
        stops_clients: the process of the Java clients does nothing meanwhile.
        stops_following: the broker ceases to fetch from every leader.
        stops_following_at: sites at which the broker ceases to fetch the partitions named.
        late_shrinks: by the fault's words (such as "read stall"), why a shrink comes late
            while the fault is at the partition's leader.

    """

    alone: bool = False
    once: bool = False
    regroups: bool = False
    kills: bool = False
    outlasts_process: bool = False
    log_folder: str = ""
    one_log_dir: bool = False
    moves_leaders: bool = False
    harmless: bool = False
    at_both_ends: bool = False
    only_planned: bool = False
    stops_process: bool = False
    oldest: tuple[tuple[int, int], str] | None = None
    stops_clients: bool = False
    stops_following: bool = False
    stops_following_at: tuple[str, ...] = ()
    late_shrinks: Mapping[str, str] = field(default_factory=dict)


REASSIGNS: Final = ((2, 4), "older brokers are not asked for reassignments by a request")
LOCK_HELD: Final = "the isr-expiration task waited for the lock of the stalled read"
NOT_RUNNING: Final = "the leader was not running"


def always(_: Path) -> str | None:
    """Probe nothing: the fault can act on any machine."""
    return None


def both(probe: Probe) -> Mapping[ClusterKind, Probe]:
    """Return one probe for both kinds of cluster that insync starts."""
    return {"local": probe, "docker": probe}


def _no_requirements(_: Planned, __: int) -> Requirements:
    return Requirements()


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultKind(Generic[Spec]):
    """One kind of fault, whole.

    Args:
        spec: its keys in a scenario; its field `kind` is a Literal of the kind's name.
        words: for people.
        probes: per kind of cluster for which it exists, what finds out whether it can act here;
            by default it can, in both kinds that insync starts.
        inject: makes the fault that a spec plans; nothing is done to the cluster yet.
        requires: what a spec needs; the number is that of a broker's request handler threads.
        missing: the evidence rule, beyond the time for which it must have acted.
        tags: what other parts of insync must know of it.

    """

    spec: type[Spec]
    words: KindWords
    inject: "Callable[[Spec, FaultContext, FaultCluster], Fault[Any]]"
    probes: Mapping[ClusterKind, Probe] = field(default_factory=lambda: both(always))
    requires: Callable[[Spec, int], Requirements] = _no_requirements
    missing: EvidenceRule = lambda _, __: None
    tags: Tags = field(default_factory=Tags)

    @property
    def name(self) -> str:
        """What scenarios and events call it."""
        (name,) = get_args(self.spec.model_fields["kind"].annotation)
        return str(name)


def every(probe: Probe) -> Mapping[ClusterKind, Probe]:
    """Return one probe for these, and for a cluster that insync did not start."""
    return {**both(probe), "existing": probe}


def figure(name: str, value: float, expected: str) -> str:
    """Say that a figure is not what it has to be."""
    return f"{name} was {value:g}, expected {expected}"


def counted(*names: str) -> EvidenceRule:
    """Return the rule that none of these figures is 0."""

    def rule(_: PlannedFault, seen: RecordedFigures) -> str | None:
        without = (name for name in names if not seen.figures.get(name))
        return next((figure(name, 0.0, "at least 1") for name in without), None)

    return rule


def all_done(asked: str, done: str) -> EvidenceRule:
    """Return the rule that all was done that the fault asked for, by the names of two figures."""

    def rule(_: PlannedFault, seen: RecordedFigures) -> str | None:
        wanted, found = seen.figures.get(asked, 0.0), seen.figures.get(done, 0.0)
        if wanted == 0:
            return figure(asked, wanted, "at least 1")
        return None if found == wanted else figure(done, found, f"exactly {wanted:g}")

    return rule


def each_partition(*names: str) -> EvidenceRule:
    """Return the rule that these figures count all of the fault's partitions."""

    def rule(plan: PlannedFault, seen: RecordedFigures) -> str | None:
        expected = len(plan.partitions)
        found = ((name, seen.figures.get(name, 0.0)) for name in names)
        wrong = ((name, value) for name, value in found if value != expected)
        return next((figure(*each, f"exactly {expected}") for each in wrong), None)

    return rule


def every_rule(*rules: EvidenceRule) -> EvidenceRule:
    """Return the rule that is broken if one of these is."""
    return lambda plan, seen: next(filter(None, (rule(plan, seen) for rule in rules)), None)
