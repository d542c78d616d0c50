"""Checks of a scenario what can be known before a broker starts."""

from collections.abc import Iterator

from insync.events.run_info import Bound
from insync.fuzz.judge import fault_words, workload_words
from insync.outcome import Outcome
from insync.progress import Progress
from insync.result import Result
from insync.run.plan import Plan
from insync.run.request import RunRequest
from insync.scenario.model import Scenario
from insync.verify.levels.weave import ask, checks_of


def check(request: RunRequest, plan: Plan, progress: Progress) -> Result:
    """Return what a run of the plan would do, and what of it would prove nothing."""
    scenario, cell = plan.scenario, plan.cells[0]
    known = [
        ("scenario", scenario.summary or scenario.name),
        ("workload", workload_words(scenario)),
        *(("fault", fault_words(each)) for each in scenario.faults),
    ]
    here = plan.skip or f"Kafka {cell.kafka}, nodes are {cell.cluster}"
    parts = [
        *(Result(of=of, found=found, outcome=Outcome.PASS) for of, found in known),
        Result(of="here", found=here, outcome=Outcome.UNKNOWN if plan.skip else Outcome.PASS),
        *_arms(scenario, chosen=request.arms is not None),
    ]
    if plan.tools.agent_jar is not None and plan.tools.kafka.release.path is not None:
        answer = ask(cell.kafka, plan.tools.java, progress)
        woven = checks_of(answer, wanted=True, allowed=request.unknown_methods)
        parts.append(Result(of="weave", children=tuple(woven)))
    return Result(of=scenario.name, children=tuple(parts))


def _arms(run: Scenario, *, chosen: bool) -> Iterator[Result]:
    """Yield what is expected of each arm that runs, and of others unless arms were `chosen`."""
    for arm in run.arms:
        bounds = run.expect.get(arm, {})
        words = "; ".join(f"{name} {Bound(**each.model_dump())}" for name, each in bounds.items())
        compared = [
            f"{each.metric} against {each.against}" for each in run.compare if each.arm == arm
        ]
        found = "; ".join(filter(None, [words, *compared]))
        outcome = Outcome.PASS if found else Outcome.OBSERVED
        yield Result(
            of=arm, found=found or "nothing is expected, so it is only observed", outcome=outcome
        )
    for arm in () if chosen else run.expect:
        if arm not in run.arms:
            found = f"[expect.{arm}] counts only if the arm runs, as with --arms {arm}"
            yield Result(of=arm, found=found, outcome=Outcome.OBSERVED)
    for arm in run.control_arms:
        if arm not in run.arms:
            found = "a control arm that does not run: the verdict would be unknown"
            yield Result(of=arm, found=found, outcome=Outcome.UNKNOWN)
