"""The cluster or the scenario of a test, as the command line and the test ask for it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from insync import engines
from insync.brokers.docker import engine
from insync.brokers.images.image import require
from insync.brokers.kafka.builds import find
from insync.engines import AnalysisOptions
from insync.errors import InputError
from insync.events.schema import REPORT
from insync.events.verdict import Verdict
from insync.nodes import BROKERS
from insync.outcome import Outcome
from insync.progress import Progress
from insync.run.analysis import analyse
from insync.run.request import ClusterKind, RunRequest
from insync.run.runner import run
from insync.testing import Asked
from insync.testing.faults import Injected, possible
from insync.testing.kafka_cluster import KafkaCluster


class ExistingCluster:
    """Brokers that insync did not start: of a `KafkaCluster` it has what clients can know."""

    kind, why, arm = "existing", "--insync-cluster", "stock"

    def __init__(self, asked: Asked) -> None:
        self.bootstrap = asked.bootstrap or ""
        self.kafka = asked.kafka

    def lifted(self) -> Sequence[Injected]:
        """Return no fault: none can be injected."""
        return ()

    def describe(self) -> str:
        """Return what the brokers are."""
        return f"cluster: {self.kind} ({self.why}), Kafka {self.kafka}, {self.bootstrap}"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(KafkaCluster, name):
            raise AttributeError(name)
        raise InputError(f"{name}: --insync-cluster existing, expected brokers of insync's own")


@contextmanager
def started(
    asked: Asked, keys: Mapping[str, Any], folder: Path
) -> Iterator[KafkaCluster | ExistingCluster]:
    """Start the cluster that is asked for, and stop it at the end of the block.

    `keys` are arguments of `KafkaCluster`; `faults` of None are those that cost healthy brokers
    nothing. Raises InputError for what cannot be.
    """
    if asked.cluster == "existing":
        yield ExistingCluster(asked)
        return
    kind, why = chosen(asked)
    wanted = dict(keys)
    if "faults" in wanted and wanted["faults"] is None:
        three = wanted.get("brokers", BROKERS) == BROKERS
        wanted["faults"] = possible(kind, folder) if three else ()
    with KafkaCluster(kafka=asked.kafka, cluster=kind, folder=folder, **wanted) as own:
        own.why = why
        yield own


def chosen(asked: Asked) -> tuple[ClusterKind, str]:
    """Return what the nodes run as, and why."""
    if asked.cluster == "local" or asked.cluster == "docker":
        return asked.cluster, "--insync-cluster"
    release = find(asked.kafka)
    if release.path is not None:
        return "local", "auto: an own build"
    try:
        with closing(engine.client()):
            require(release)
    except InputError as error:
        return "local", f"auto: {error}"
    return "docker", "auto"


class VerdictError(AssertionError):
    """A verdict is not the expected one; the message names the report."""


@dataclass(frozen=True)
class Judged:
    """The verdict on a scenario or a history, `found`, and where its report is."""

    of: str
    found: Verdict
    report: Path

    def __str__(self) -> str:
        """Return the verdict, why it is that one, and where the report is."""
        return f"{self.of}: {self.found.verdict}: {self.found.reason}\nreport: {self.report}"


def check(found: Sequence[Judged], expected: str) -> None:
    """Raise VerdictError unless every verdict is the expected one."""
    others = [each for each in found if each.found.verdict != expected]
    if others:
        raise VerdictError(f"expected {expected}:\n" + "\n".join(map(str, others)))


def run_scenario(asked: Asked, keys: Mapping[str, Any], out: Path) -> Judged:
    """Run a scenario into the folder `out` and analyse it; raises InputError and InsyncError.

    `keys` are those of the marker.
    """
    expected, verdicts = keys.get("expect", "pass"), (Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN)
    if expected not in verdicts:
        raise InputError(f"expect: {expected!r}, expected one of {', '.join(verdicts)}")
    if asked.cluster == "existing":
        raise InputError("scenario: --insync-cluster existing, expected brokers of insync's own")
    engines.require_analysis("scenario")
    request = RunRequest(
        scenario=str(keys["scenario"]),
        arms=keys.get("arms"),  # None: the scenario's
        kafka=asked.kafka,
        cluster=chosen(asked)[0],
        scale=keys.get("scale", 1.0),
        repeats=keys.get("repeats"),
        out=out,
    )
    folder = run(request, Progress())
    (verdict,) = analyse([folder], AnalysisOptions(), Progress())
    return Judged(f"scenario {verdict.scenario}", verdict, folder / REPORT)
