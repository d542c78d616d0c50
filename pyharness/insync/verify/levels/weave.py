"""Level weave: what the agent finds and would weave in the candidate's jars; no broker runs.

A method whose instructions match no build that the agent knows is named.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any, Final

from insync.artifacts import AGENT_JAR, LAB_JAR, built
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.distribution import SHORT_LIVED, java_command
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import class_path
from insync.engine.campaign import CampaignOfOne, Named, Place
from insync.errors import InsyncError
from insync.outcome import Outcome
from insync.progress import Progress
from insync.result import Result
from insync.verify.level import Level, Verification

MAIN: Final = "insync.lab.CheckBuild"
ANSWER_WITHIN_S: Final = 120.0


class WeaveLevel(Level, CampaignOfOne):
    name = of = "weave"
    says = "what the agent finds and would weave in the jars"
    part = "check"

    def __init__(self, what: Verification, progress: Progress) -> None:
        self._what = what

    def check(self, cell: Named, place: Place) -> Result:
        candidate, java = self._what.candidate, self._what.java
        checks = checks_of(
            ask(candidate.kafka, java, place.progress), wanted=candidate.agent is not None,
            allowed=self._what.request.unknown_methods,
        )  # fmt: skip
        return Result(of=self.of, children=tuple(checks))


def ask(kafka: str, java: Java, progress: Progress) -> dict[str, Any]:
    """Return what the agent says of the jars of a build; raises InsyncError without an answer."""
    jars = [built(AGENT_JAR), built(LAB_JAR), *class_path(find(kafka), progress.phase)]
    command = [*java_command(java.binary, jars, SHORT_LIVED), MAIN]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=ANSWER_WITHIN_S,
            check=False,
        )  # fmt: skip
        answer: dict[str, Any] = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InsyncError(f"the agent did not answer: {error}") from error
    except ValueError:
        last = next((line for line in done.stderr.splitlines() if line.strip()), "no output")
        raise InsyncError(f"the agent ended with {done.returncode}: {last}") from None
    return answer


def checks_of(answer: Mapping[str, Any], *, wanted: bool, allowed: bool) -> Iterator[Result]:
    """Yield the checks; where the agent is not wanted, nothing is expected of a build.

    `allowed` is whether unknown methods may be woven.
    """
    version, adapter = answer["version"], answer.get("adapter")
    good = Outcome.PASS if wanted else Outcome.OBSERVED
    bad = Outcome.FAIL if wanted else Outcome.OBSERVED
    problems = list(dict.fromkeys(map(str, answer["problems"])))
    yield Result(
        of="adapter", expected="the agent has one for this version",
        found=f"{version}: {adapter}" if adapter else f"{version}: none; {'; '.join(problems)}",
        outcome=good if adapter else bad,
    )  # fmt: skip
    if adapter is None:
        return
    fits = "every symbol is there and every hook fits"
    for each in problems:
        yield Result(of="symbols", expected=fits, found=each, outcome=bad)
    if not problems:
        found = f"{len(answer['woven'])} methods and classes to weave"
        yield Result(of="symbols", expected=fits, found=found, outcome=good)
    for feature, value in answer.get("features", {}).items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else "yes" if value else "no"
        yield Result(
            of="features", expected=feature.replace("_", " "), found=text or "none",
            outcome=Outcome.OBSERVED,
        )  # fmt: skip
    unknown = [str(each) for each in answer["unknown"]]
    same = "the instructions are those of a known build"
    permission = "; --allow-unknown-methods weaves it" if wanted and not allowed else ""
    if not unknown:
        count = f"{len(answer['digests'])} methods"
        yield Result(of="methods", expected=same, found=count, outcome=good)
    for method in unknown:
        yield Result(
            of=short(method), expected=same, found=f"differs from every known build{permission}",
            outcome=Outcome.OBSERVED if allowed else bad,
        )  # fmt: skip


def short(method: str) -> str:
    """Return a class and a method without packages, parameters and result."""
    owner, _, member = method.partition("(")[0].rpartition(".")
    return f"{owner.rpartition('.')[2]}.{member}"
