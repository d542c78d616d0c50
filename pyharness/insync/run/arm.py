"""One arm of a scenario: its repeats on a running cluster, then the ISR's history.

`run_arm` gives a scenario a cluster of its own. `play` and `write_histories` are for
those who let several scenarios play on one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from insync import arms
from insync.cluster.metadata_log import isr_events
from insync.events.schema import ISR, STEP_DOWNS, Line, events_dir, nodes_dir, topic_name
from insync.events.writer import EventWriter
from insync.run.context import ArmContext, ArmFiles
from insync.run.counters import BASE, write_counters
from insync.run.plan import Plan
from insync.run.repeat import run_repeat
from insync.run.stage import Stage, open_stage
from insync.run.step_downs import step_downs
from insync.run.watch import Watch


def run_arm(plan: Plan, arm: str, watch: Watch) -> None:
    """Run all repeats of one arm; the cluster is gone when this returns or raises."""
    home, events = nodes_dir(plan.out, arm), events_dir(plan.out, arm)
    with _told_if_cut(plan, arm), open_stage([plan], arm, home, watch, events) as stage:
        _play(stage, plan, watch)
        watch.phase(f"{arm}: reading the controller's log")
        write_histories(stage, [plan])


def play(stage: Stage, plan: Plan, watch: Watch) -> None:
    """Run all repeats of a scenario on a running cluster, which is whole again at the end.

    Writes into the plan's folder; raises InsyncError if a repeat could not be finished, and
    then the cluster is fit for nothing more.
    """
    with _told_if_cut(plan, stage.arm):
        _play(stage, plan, watch)


def write_histories(stage: Stage, plans: Sequence[Plan]) -> None:
    """Stop the cluster and write each plan's histories: its own topics, and all brokers.

    That is isr.jsonl and, where leaders may step down, step-downs.jsonl. Stopped first, so that
    what it writes on its way down is nobody's history.
    """
    stage.cluster.stop()
    isr = ((line.get("topic"), line) for line in isr_events(stage.cluster, stage.kafka, stage.arm))
    _write_history(stage, plans, ISR, isr)
    if arms.steps_down(stage.arm):
        _write_history(stage, plans, STEP_DOWNS, ((each.topic, each) for each in step_downs(stage)))


def _write_history(
    stage: Stage,
    plans: Sequence[Plan],
    name: str,
    lines: Iterable[tuple[str | None, Line | Mapping[str, object]]],
) -> None:
    """Write each line, which comes with its topic, for the plans that it concerns."""
    with ExitStack() as files:
        writers = {
            _topics(plan): files.enter_context(EventWriter(events_dir(plan.out, stage.arm) / name))
            for plan in plans
        }
        for topic, line in lines:
            for topics, writer in writers.items():
                if topic is None or topic in topics:
                    writer.write(line)


def _play(stage: Stage, plan: Plan, watch: Watch) -> None:
    with ArmFiles(plan, stage.arm) as files:
        context = ArmContext(plan=plan, stage=stage, files=files)
        files.phase("cluster_ready")
        write_counters(context, BASE)
        for repeat in range(plan.scenario.repeats):
            run_repeat(context, repeat, watch)
            watch.repeat_done()


def _topics(plan: Plan) -> frozenset[str]:
    repeats = range(plan.scenario.repeats)
    return frozenset(topic_name(plan.scenario.name, repeat) for repeat in repeats)


@contextmanager
def _told_if_cut(plan: Plan, arm: str) -> Iterator[None]:
    """Write down what cuts the arm short, Ctrl-C included."""
    try:
        yield
    except BaseException as error:
        with ArmFiles(plan, arm) as files:
            files.phase("aborted", note=f"{type(error).__name__}: {error}")
        raise
