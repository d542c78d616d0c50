"""Run jobs in several JVMs side by side until every class has a file of results."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from insync.kafka_tests.jvm import Job, TestJvm

_POLL_S: Final = 0.2

Ended = Callable[[Job], None]


def run_jobs(
    jobs: Sequence[Job], *, side_by_side: int, tell: Callable[[str], None], ended: Ended
) -> dict[str, list[str]]:
    """Run jobs in their order; return per side why JVMs ended early, if any did.

    A JVM that ends during a class is replaced for the classes after it. One that ends before its
    first class is not, and neither are its side's later ones. `ended` is called after each JVM.
    Every JVM has ended when this returns or raises.
    """
    waiting = [job for job in jobs if job.missing()]
    running: list[TestJvm] = []
    cut: dict[str, list[str]] = {}
    refused: set[str] = set()
    try:
        while waiting or running:
            while waiting and len(running) < side_by_side:
                job = waiting.pop(0)
                if job.side.name not in refused:
                    tell(f"{job.side.name}: {', '.join(map(_simple, job.missing()))}")
                    running.append(TestJvm(job))
            time.sleep(_POLL_S)
            for jvm in [each for each in running if each.poll()]:
                running.remove(jvm)
                before = len(jvm.job.missing())
                why = jvm.finish()
                ended(jvm.job)
                if why:
                    cut.setdefault(jvm.job.side.name, []).append(why)
                left = len(jvm.job.missing())
                if left and left == before == jvm.planned:
                    refused.add(jvm.job.side.name)
                elif left:
                    waiting.insert(0, jvm.job)
    finally:
        for jvm in running:
            jvm.kill()
    return cut


def _simple(name: str) -> str:
    return name.rpartition(".")[2]
