"""Run Kafka's tests on the baseline and on every arm, again where they differ, and judge."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from threading import Event
from typing import Any, Final

from insync.engine.campaign import CampaignOfOne, Named, Place
from insync.kafka_tests import judge, results
from insync.kafka_tests.judge import Findings
from insync.kafka_tests.jvm import JvmJob, run_jvm
from insync.kafka_tests.request import TestsPlan
from insync.lists import grouped
from insync.result import Result


def run_jobs(
    jobs: Sequence[JvmJob], *, side_by_side: int, tell: Callable[[str], None]
) -> dict[str, list[str]]:
    """Run jobs in their order; return per side why JVMs ended early, if any did.

    Every JVM has ended when this returns or raises.
    """
    over = Event()
    with ThreadPoolExecutor(side_by_side) as pool:
        try:
            ends = [pool.submit(_run_job, job, over, tell) for job in jobs]
            wait(ends, return_when=FIRST_EXCEPTION)
        finally:
            over.set()
    cut: dict[str, list[str]] = {}
    for job, end in zip(jobs, ends, strict=True):
        if why := end.result():
            cut.setdefault(job.side.name, []).extend(why)
    return cut


def _run_job(job: JvmJob, over: Event, tell: Callable[[str], None]) -> list[str]:
    """Run a job until it has all of its classes; return why JVMs ended early.

    A JVM that ends during a class is replaced for the classes after it. One that ends before its
    first class is not.
    """
    cut = []
    while (left := job.missing()) and not over.is_set():
        tell(f"{job.side.name}: {', '.join(name.rpartition('.')[2] for name in left)}")
        if why := run_jvm(job, over):
            cut.append(why)
        if job.missing() == left:
            break
    return cut


_AGAIN: Final = 2
"""How often a test that differs is run again, on both sides."""


def run(plan: TestsPlan, tell: Callable[[str], None]) -> Result:
    """Run what the folder of a plan lacks, and judge it.

    Raises InsyncError if a JVM cannot be started. What has been run is kept in any case.
    """
    cut = _run_classes(plan, tell)
    findings = judge.compare_all(plan)
    for number in range(1, _AGAIN + 1):
        unclear = {
            name: [each for each in found if each.kind == "different"]
            for name, found in findings.items()
        }
        if any(unclear.values()):
            _run_again(plan, unclear, results.AGAIN.format(number), tell)
            findings = judge.compare_all(plan)
    return judge.judge(plan, findings, cut)


def _run_classes(plan: TestsPlan, tell: Callable[[str], None]) -> dict[str, list[str]]:
    """Run every class that has no results yet, on every side."""
    for each in plan.classes:
        # Of a class whose JVM ended early there is no baseline yet.
        file = results.file_of(plan.out / plan.sides[0].name, each.name)
        if file.is_file() and results.read_class(file).cut:
            file.unlink()
    for side in plan.sides:
        for old in (plan.out / side.name).glob(results.AGAIN.format("*")):
            shutil.rmtree(old)
    jobs = [
        JvmJob(side=side, word=word, tests=dict.fromkeys((each.name for each in classes), ()),
            folder=plan.out / side.name)
        for side in plan.sides
        for word, classes in grouped(plan.classes, lambda each: each.jvm).items()
    ]  # fmt: skip
    return run_jobs(jobs, side_by_side=plan.request.at_once, tell=tell)


def _run_again(plan: TestsPlan, unclear: Findings, name: str, tell: Callable[[str], None]) -> None:
    """Run the tests that differ again, on the baseline and in each arm in which they do."""
    of_all = [each for found in unclear.values() for each in found]
    wanted = {plan.sides[0].name: of_all, **unclear}
    jobs = [
        JvmJob(side=side, word=word.rpartition(".")[2], folder=plan.out / side.name / name,
            tests={word: list(dict.fromkeys(each.id for each in found))})
        for side in plan.sides
        for word, found in grouped(wanted[side.name], lambda each: each.name).items()
    ]  # fmt: skip
    tell(f"{name}: {sum(len(ids) for job in jobs for ids in job.tests.values())} tests")
    run_jobs(jobs, side_by_side=plan.request.at_once, tell=tell)


class KafkaTests(CampaignOfOne):
    """The campaign of `insync kafka-tests`. Its files say which classes are missing."""

    name = "kafka-tests"
    says = "Kafka's own test classes on a build, test by test beside a baseline"
    part = "arm"
    notes = (
        "A test that ends otherwise than in the baseline is run again on both sides; if it then"
        " ends as in the baseline, it is flaky, and observed only.",
        "A known difference is one of a correct change, with its reason.",
    )

    def __init__(self, plan: TestsPlan) -> None:
        self.plan = plan
        self.at_once = plan.request.at_once
        self.of = f"Kafka {plan.candidate.name}"

    def asked(self) -> Mapping[str, Any]:
        """Return the builds, the digests of all jars, and what else decides the result."""
        return {
            "Kafka": self.plan.candidate.name,
            "compared with": self.plan.baseline.name,
            **{f"{name}, SHA-256": digest for name, digest in self.plan.asked.items()},
            "arms": [side.name for side in self.plan.sides[1:]],
            "classes": [each.simple for each in self.plan.classes],
            "java": self.plan.java.description,
        }

    def check(self, cell: Named, place: Place) -> Result:
        return run(replace(self.plan, out=place.folder), place.progress.phase)
