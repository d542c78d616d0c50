"""`python -m insync.matrix.worker TASK`: run one arm's scenarios on as few clusters as possible.

Scenarios with equal requirements share a cluster. A scenario that fails leaves its cluster in an
unknown state, so the next one starts on a fresh cluster. A cluster that does not start is started
a second time; if that fails, too, its scenarios have no result, and those on other clusters run.
Exits with 0, or with 3 if a cluster did not start. On SIGTERM it stops cleanly; scenarios that had
finished are complete.
"""

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Final

from insync.errors import InsyncError
from insync.events.writer import EventWriter
from insync.matrix.progress import ProgressWriter, progress_file
from insync.matrix.task import Part, Task, load_task
from insync.outcome import Outcome
from insync.run.arm import record_lack, run_repeats
from insync.run.arm_cluster import Wanted, open_arm_cluster, wanted
from insync.run.disks import disks_differ
from insync.run.history import write_histories
from insync.run.plan import Plan, resolve
from insync.run.request import RunRequest
from insync.signals import interruptible

LOOK_SECONDS: Final = 0.05
STARTS: Final = 2
"""How often a cluster is started before its scenarios are given up: a start may fail by chance."""


class NotStartedError(InsyncError):
    """A cluster did not start, so that no scenario ran on it."""


def do_task(task: Task, progress: ProgressWriter) -> None:
    """Run all scenarios of a task; raises InsyncError if a cluster did not start."""
    plans = [_plan(task, part, progress) for part in task.parts]
    homes = (
        task.home if number == 1 else task.home.with_name(f"{task.home.name}-{number}")
        for number in count(1)
    )
    go, failure = task.go, None
    for group in by_cluster(plans, task.arm):
        left, starts = group, 0
        while left:
            try:
                done = _run_on_one_cluster(left, task.arm, next(homes), progress, go)
            except NotStartedError as error:
                starts += 1
                progress.not_started(error)
                if starts == STARTS:
                    failure = error
                    break
            else:
                left, starts, go = left[done:], 0, None
    if failure is not None:
        raise failure


def by_cluster(plans: Sequence[Plan], arm: str) -> list[list[Plan]]:
    """Group the plans by the cluster that they require of an arm, in order."""
    groups: list[tuple[Wanted, list[Plan]]] = []
    for plan in plans:
        want = wanted(plan.scenario, arm)
        same = next((own for known, own in groups if known == want and _may_join(plan, own)), None)
        if same is None:
            groups.append((want, [plan]))
        else:
            same.append(plan)
    return [group for _, group in groups]


def _may_join(plan: Plan, group: Sequence[Plan]) -> bool:
    """Whether a broker's log folder can be on one disk for all of them."""
    return disks_differ([each.scenario for each in (*group, plan)]) is None


def _run_on_one_cluster(
    plans: Sequence[Plan], arm: str, home: Path, progress: ProgressWriter, go: Path | None
) -> int:
    """Run scenarios until all are done or one fails; return how many were started.

    The first one begins when the file `go` is there, if one is named. Raises NotStartedError.
    """
    begun: list[Plan] = []
    unusable: str | None = None
    with ExitStack() as opened:
        try:
            arm_cluster = opened.enter_context(open_arm_cluster(plans, arm, home, progress))
        except InsyncError as error:
            raise NotStartedError(str(error)) from error
        if go is not None:
            _await(go, progress)
        try:
            for plan in plans:
                begun.append(plan)
                progress.begun(plan.scenario.name)
                unusable = run_repeats(arm_cluster, plan, progress)
                if unusable is not None:
                    break
        except (InsyncError, OSError) as error:
            progress.broken(begun[-1].scenario.name, error)
            whole = begun[:-1]
        else:
            whole = begun
        finally:
            # Also after an interrupt, so that finished scenarios are complete.
            with record_lack(begun[-1], arm, unusable):
                write_histories(arm_cluster, begun)
    for plan in whole:
        progress.ended(plan.scenario.name)
    return len(begun)


def _await(go: Path, progress: ProgressWriter) -> None:
    """Wait for a file; the process that started this one makes it, or ends this one."""
    progress.waiting()
    while not go.exists():
        time.sleep(LOOK_SECONDS)


def _plan(task: Task, part: Part, progress: ProgressWriter) -> Plan:
    request = RunRequest(
        scenario=part.file or part.scenario, arms=(task.arm,),
        kafka=str(task.kafka_path or task.kafka), cluster=task.cluster,
        scale=part.scale, repeats=task.repeats, seed=task.seed, client=part.client,
        default_timeouts=part.default_timeouts, unknown_methods=task.unknown_methods,
    )  # fmt: skip
    return resolve(request, part.out, progress)


def main(arguments: Sequence[str]) -> int:
    """Carry out the task in the file that is the only argument; return the exit code."""
    path = Path(arguments[0])
    task = load_task(path)
    try:
        with interruptible(), EventWriter(progress_file(path)) as writer:
            do_task(task, ProgressWriter(task, writer))
    except (InsyncError, OSError) as error:
        print(f"insync: {task.name}: {error}", file=sys.stderr)
        return Outcome.UNKNOWN.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
