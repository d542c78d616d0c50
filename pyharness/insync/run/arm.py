"""Run one arm of a scenario: its repeats on a running cluster, then the logs of its nodes.

`run_arm` starts a cluster for one scenario. `run_repeats` uses a running cluster, so that several
scenarios can share it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from insync.errors import InsyncError
from insync.events.schema import events_dir, nodes_dir
from insync.events.writer import Publish
from insync.run.agents import BASE, write_counters
from insync.run.arm_cluster import ArmCluster, open_arm_cluster
from insync.run.attached import attached
from insync.run.clients.java import java_clients
from insync.run.context import ArmContext, ArmFiles
from insync.run.history import write_histories
from insync.run.plan import Plan
from insync.run.progress import Progress
from insync.run.publish.events import LiveTopic, publish_events
from insync.run.race.repeat import run_race
from insync.run.readiness import warm_up
from insync.run.repeat import run_repeat


def run_arm(plan: Plan, arm: str, progress: Progress, live: LiveTopic | None = None) -> None:
    """Run all repeats of one arm; the cluster has ended when this returns or raises.

    `live` is the topic to which the events are published meanwhile, if any.
    """
    home, events = nodes_dir(plan.out, arm), events_dir(plan.out, arm)
    settings = None if live is None else live.settings(arm)
    open_cluster = open_arm_cluster([plan], arm, home, progress, events, settings)
    with _record_abort(plan, arm), open_cluster as arm_cluster:
        with publish_events(live, arm_cluster, plan, progress) as publish:
            unusable = _record_repeats(arm_cluster, plan, progress, publish)
        progress.phase(f"{arm}: reading the controller's and the replicas' logs")
        with record_lack(plan, arm, unusable):
            write_histories(arm_cluster, [plan])


def run_attached_arm(plan: Plan, arm: str, progress: Progress) -> None:
    """Run all repeats on a cluster that insync did not start: it has no logs of nodes to read."""
    with _record_abort(plan, arm), attached(plan, arm) as arm_cluster:
        _record_repeats(arm_cluster, plan, progress)


def run_repeats(arm_cluster: ArmCluster, plan: Plan, progress: Progress) -> str | None:
    """Run the repeats of a scenario on a running cluster, as long as it can be used.

    Returns why the cluster cannot be used any more; None if all ISRs are full again. Writes into
    the plan's folder. Raises InsyncError if a repeat could not be finished for another reason; the
    cluster must not be used after that either.
    """
    with _record_abort(plan, arm_cluster.arm):
        return _record_repeats(arm_cluster, plan, progress)


def _record_repeats(
    arm_cluster: ArmCluster,
    plan: Plan,
    progress: Progress,
    publish: Callable[[str], Publish] | None = None,
) -> str | None:
    client = plan.scenario.workload.client
    with (
        ArmFiles(plan, arm_cluster.arm, publish) as files,
        java_clients(arm_cluster.kafka, arm_cluster.home, client) as driver,
    ):
        context = ArmContext(plan=plan, arm_cluster=arm_cluster, files=files, driver=driver)
        files.phase("cluster_ready")
        warm_up(context, progress)
        write_counters(context, BASE)
        for repeat in range(plan.scenario.repeats):
            run = run_repeat if plan.scenario.race is None else run_race
            unusable = run(context, repeat, progress)
            progress.repeat_done()
            if unusable is not None:
                files.phase("aborted", repeat=repeat, note=f"no further repeat: {unusable}")
                return unusable
    return None


@contextmanager
def record_lack(plan: Plan, arm: str, unusable: str | None) -> Iterator[None]:
    """Record that histories of an unusable cluster could not be written, and go on."""
    try:
        yield
    except InsyncError as error:
        if unusable is None:
            raise
        with ArmFiles(plan, arm) as files:
            files.phase("aborted", note=f"no histories: {error}")


@contextmanager
def _record_abort(plan: Plan, arm: str) -> Iterator[None]:
    """Record the phase "aborted" when an exception, Ctrl-C included, ends the arm early."""
    try:
        yield
    except BaseException as error:
        with ArmFiles(plan, arm) as files:
            files.phase("aborted", note=f"{type(error).__name__}: {error}")
        raise
