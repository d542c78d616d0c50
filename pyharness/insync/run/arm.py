"""Run one arm of a scenario: its repeats on a running cluster, then the logs of its nodes.

`run_arm` starts a cluster for one scenario. `run_repeats` uses a running cluster, so that several
scenarios can share it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from insync import arms
from insync.brokers.cluster.admin import create_topic
from insync.errors import InsyncError
from insync.events.schema import events_dir, nodes_dir
from insync.nodes import BROKERS, ring
from insync.progress import Progress
from insync.run.arm_cluster import ArmCluster, open_arm_cluster
from insync.run.attached import attached
from insync.run.cell import CellSpec
from insync.run.context import BASE, ArmContext, ArmFiles, write_counters
from insync.run.history import write_histories
from insync.run.plan import Tools
from insync.run.race import run_race
from insync.run.readiness import warm_up
from insync.run.repeat import run_repeat
from insync.run.request import EventTopic, Existing
from insync.run.requirements import java_clients

BOOTSTRAP: Final = "events-bootstrap"
"""The file among an arm's nodes that holds the address of its own topic of events."""


def run_arm(
    cell: CellSpec, tools: Tools, progress: Progress, topic: EventTopic | None = None
) -> None:
    """Run all repeats of a cell; the cluster has ended when this returns or raises.

    `topic` is that to which the agents send their events as well, if any.
    """
    arm = cell.arm
    home, events = nodes_dir(cell.out, arm), events_dir(cell.out, arm)
    topic = topic if arms.has_agent(arm) else None
    settings = None if topic is None else topic.settings(f"{cell.out.name}/{arm}")
    open_cluster = open_arm_cluster([cell], tools, home, progress, events, settings)
    with _record_abort(cell), open_cluster as arm_cluster:
        if topic is not None and topic.bootstrap is None:
            at = arm_cluster.cluster.bootstrap
            create_topic(at, topic.name, [ring(leader) for leader in range(1, BROKERS + 1)], {})
            (home / BOOTSTRAP).write_text(at, encoding="utf-8")
        unusable = _record_repeats(arm_cluster, cell, progress)
        progress.phase(f"{arm}: reading the controller's and the replicas' logs")
        with record_lack(cell, unusable):
            write_histories(arm_cluster, [cell])


def run_attached_arm(cell: CellSpec, existing: Existing, tools: Tools, progress: Progress) -> None:
    """Run all repeats on a cluster that insync did not start: it has no logs of nodes to read."""
    with _record_abort(cell), attached(cell, existing, tools) as arm_cluster:
        _record_repeats(arm_cluster, cell, progress)


def run_repeats(arm_cluster: ArmCluster, cell: CellSpec, progress: Progress) -> str | None:
    """Run the repeats of a cell on a running cluster, as long as it can be used.

    Returns why the cluster cannot be used any more; None if all ISRs are full again. Writes into
    the cell's folder. Raises InsyncError if a repeat could not be finished for another reason; the
    cluster must not be used after that either.
    """
    with _record_abort(cell):
        return _record_repeats(arm_cluster, cell, progress)


def _record_repeats(arm_cluster: ArmCluster, cell: CellSpec, progress: Progress) -> str | None:
    client = cell.scenario.workload.client
    with (
        ArmFiles(cell) as files,
        java_clients(arm_cluster.kafka, arm_cluster.home, client) as driver,
    ):
        context = ArmContext(cell=cell, arm_cluster=arm_cluster, files=files, driver=driver)
        files.phase("cluster_ready")
        warm_up(context, progress)
        write_counters(context, BASE)
        for repeat in range(cell.scenario.repeats):
            run = run_repeat if cell.scenario.race is None else run_race
            unusable = run(context, repeat, progress)
            progress.repeat_done()
            if unusable is not None:
                files.phase("aborted", repeat=repeat, note=f"no further repeat: {unusable}")
                return unusable
    return None


@contextmanager
def record_lack(cell: CellSpec, unusable: str | None) -> Iterator[None]:
    """Record that histories of an unusable cluster could not be written, and go on."""
    try:
        yield
    except InsyncError as error:
        if unusable is None:
            raise
        with ArmFiles(cell) as files:
            files.phase("aborted", note=f"no histories: {error}")


@contextmanager
def _record_abort(cell: CellSpec) -> Iterator[None]:
    """Record the phase "aborted" when an exception, Ctrl-C included, ends the arm early."""
    try:
        yield
    except BaseException as error:
        with ArmFiles(cell) as files:
            files.phase("aborted", note=f"{type(error).__name__}: {error}")
        raise
