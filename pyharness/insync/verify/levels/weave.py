"""Level weave: what the agent finds and would weave in the candidate's jars; no broker runs.

A method whose instructions are those of no build that the agent knows is named, with the calls that
it has more or less than in the known build of the same version.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from insync.artifacts import AGENT_JAR, LAB_JAR, VERSIONS_TABLE, built
from insync.brokers.kafka import versions
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.distribution import java_command
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import class_path
from insync.engine.campaign import CampaignOfOne, Named, Place
from insync.errors import InsyncError
from insync.outcome import Outcome
from insync.progress import Progress
from insync.result import Result
from insync.run.version_support import read_table, row_of
from insync.verify.level import Level, Verification

MAIN: Final = "insync.lab.CheckBuild"
ANSWER_WITHIN_S: Final = 120.0
_FLAGS: Final = ("-XX:TieredStopAtLevel=1", "-Xmx256m")
"""For a JVM that lives for two seconds."""


class WeaveLevel(Level, CampaignOfOne):
    name = of = "weave"
    says = "what the agent finds and would weave in the jars"
    part = "check"
    brokers = False

    def __init__(self, what: Verification, progress: Progress) -> None:
        self._what = what

    def check(self, cell: Named, place: Place) -> Result:
        candidate, java = self._what.candidate, self._what.java
        answer = ask(candidate.kafka, java, place.progress)
        known, name = None, known_build(candidate.release.version)
        if answer.get("unknown") and name is not None:
            known = ask(name, java, place.progress)
        checks = checks_of(
            answer, known, name, wanted=candidate.agent is not None,
            allowed=self._what.request.unknown_methods,
        )  # fmt: skip
        return Result(of=self.of, children=tuple(checks))


def ask(kafka: str, java: Java, progress: Progress) -> dict[str, Any]:
    """Return what the agent says of the jars of a build; raises InsyncError without an answer."""
    jars = [built(AGENT_JAR), built(LAB_JAR), *class_path(find(kafka), progress.phase)]
    command = [*java_command(java.binary, jars, _FLAGS), MAIN]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=ANSWER_WITHIN_S,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InsyncError(f"the agent did not answer: {error}") from error
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        last = next((line for line in done.stderr.splitlines() if line.strip()), "no output")
        raise InsyncError(f"the agent ended with {done.returncode}: {last}") from None
    if not isinstance(answer, dict):
        raise InsyncError("the agent did not answer with an object")
    return answer


def known_build(version: str) -> str | None:
    """Return the version that the agent knows and is nearest: this one, else its adapter's own."""
    row = row_of(read_table(built(VERSIONS_TABLE).read_text(encoding="utf-8")), version)
    if row is None:
        return None
    of_row = [*row.get("tested", "").split(","), *row.get("linked", "").split(",")]
    here = [each for each in of_row if each in versions.known()]
    exact = versions.numbers(version)
    same = next((each for each in here if versions.numbers(each) == exact), None)
    return same or next((each for each in here if each == row.get("compile")), None)


def checks_of(
    answer: Mapping[str, Any],
    known: Mapping[str, Any] | None,
    name: str | None,
    *,
    wanted: bool,
    allowed: bool,
) -> Iterator[Result]:
    """Yield the checks; where the agent is not wanted, nothing is expected of a build.

    `known` is the answer about the build `name`, `allowed` whether unknown methods may be woven.
    """
    version, adapter = answer["version"], answer.get("adapter")
    good = Outcome.PASS if wanted else Outcome.OBSERVED
    bad = Outcome.FAIL if wanted else Outcome.OBSERVED
    problems = list(dict.fromkeys(map(str, answer["problems"])))
    yield Result(
        of="adapter", expected="the agent has one for this version", baseline=name or "",
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
            of=short(method), expected=same, baseline=name or "",
            found=_difference(method, answer, known) + permission,
            outcome=Outcome.OBSERVED if allowed else bad,
        )  # fmt: skip


def _difference(method: str, answer: Mapping[str, Any], known: Mapping[str, Any] | None) -> str:
    """Return how the calls of a method that no known build has differ from those of a known one."""
    if known is None:
        return "differs from every known build; the nearest one is not here to compare with"
    before = counterpart(method, known["calls"])
    if before is None:
        return "differs from every known build; the nearest one has no such method"
    return call_diff(known["calls"][before], answer["calls"].get(method, ()))


def counterpart(method: str, calls: Mapping[str, Any]) -> str | None:
    """Return the same method of the known build; if its parameters changed, the one of its name."""
    if method in calls:
        return method
    named = [each for each in calls if each.partition("(")[0] == method.partition("(")[0]]
    return named[0] if len(named) == 1 else None


def call_diff(before: Sequence[str], after: Sequence[str]) -> str:
    """Return which calls were added (+) and removed (-), in words if none was.

    One that was removed and added with other parameters or another result is changed (~).
    """
    gone = Counter(map(short, (Counter(before) - Counter(after)).elements()))
    come = Counter(map(short, (Counter(after) - Counter(before)).elements()))
    changed = gone & come
    lines = [
        f"{mark} {call}{f' ({times} times)' if times > 1 else ''}"
        for mark, calls in (("-", gone - changed), ("+", come - changed), ("~", changed))
        for call, times in calls.items()
    ]
    if not lines:
        moved = list(before) != list(after)
        return "the same calls in another order" if moved else "other instructions, the same calls"
    return "; ".join(lines)


def short(method: str) -> str:
    """Return a class and a method without packages, parameters and result."""
    path, _, _ = method.partition("(")
    writes = "=" if path.endswith("=") else ""
    owner, _, member = path.rstrip("=").rpartition(".")
    return f"{owner.rpartition('.')[2]}.{member}{writes}"
