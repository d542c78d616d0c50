"""One arm of a scenario: its repeats on a running cluster, then what its nodes left.

`run_arm` gives a scenario a cluster of its own. `play` is for those who let several
scenarios play on one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from insync.events.schema import events_dir, nodes_dir
from insync.events.writer import Publish
from insync.run.agents import BASE, write_counters
from insync.run.context import ArmContext, ArmFiles
from insync.run.history import write_histories
from insync.run.plan import Plan
from insync.run.publish.events import Live, told_live
from insync.run.race.repeat import run_race
from insync.run.readiness import warm_up
from insync.run.repeat import run_repeat
from insync.run.stage import Stage, open_stage
from insync.run.watch import Watch


def run_arm(plan: Plan, arm: str, watch: Watch, live: Live | None = None) -> None:
    """Run all repeats of one arm; the cluster is gone when this returns or raises.

    `live` is where it is told of while it goes on, if it is.
    """
    home, events = nodes_dir(plan.out, arm), events_dir(plan.out, arm)
    settings = None if live is None else live.settings(arm)
    stage_of = open_stage([plan], arm, home, watch, events, settings)
    with _told_if_cut(plan, arm), stage_of as stage:
        with told_live(live, stage, plan, watch) as publish:
            _play(stage, plan, watch, publish)
        watch.phase(f"{arm}: reading the controller's and the replicas' logs")
        write_histories(stage, [plan])


def play(stage: Stage, plan: Plan, watch: Watch) -> None:
    """Run all repeats of a scenario on a running cluster, which is whole again at the end.

    Writes into the plan's folder; raises InsyncError if a repeat could not be finished, and
    then the cluster is fit for nothing more.
    """
    with _told_if_cut(plan, stage.arm):
        _play(stage, plan, watch)


def _play(
    stage: Stage, plan: Plan, watch: Watch, publish: Callable[[str], Publish] | None = None
) -> None:
    with ArmFiles(plan, stage.arm, publish) as files:
        context = ArmContext(plan=plan, stage=stage, files=files)
        files.phase("cluster_ready")
        warm_up(context, watch)
        write_counters(context, BASE)
        for repeat in range(plan.scenario.repeats):
            (run_repeat if plan.scenario.race is None else run_race)(context, repeat, watch)
            watch.repeat_done()


@contextmanager
def _told_if_cut(plan: Plan, arm: str) -> Iterator[None]:
    """Write down what cuts the arm short, Ctrl-C included."""
    try:
        yield
    except BaseException as error:
        with ArmFiles(plan, arm) as files:
            files.phase("aborted", note=f"{type(error).__name__}: {error}")
        raise
