"""Compares the answers of `insync why` with the faults that recorded runs injected.

`python tests/why_confusion.py [--logs] FOLDER...` prints the confusion matrix over all runs in the
folders: of answers about recordings, or about the log files of their stock brokers.
A fault counts if it acted for at least replica.lag.time.max.ms, which is what stock Kafka needs to
drop anybody, and if no other fault was near: within two lags. One during which every record had its
ack within a lag, and no replica left an ISR, slowed no broker: the right answer is nobody.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from insync.arms import lag_factor
from insync.events.schema import ISR, repeat_file
from insync.why.answer import Diagnosis, SlowBroker
from insync.why.facts import Span
from insync.why.sources import logs as logged
from insync.why.sources.recorded import answers

TRUE_CAUSE: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "stall", "queue-stall", "disk-stall", "disk-throttle", "memory-pressure", "read-error",
            "write-error", "corrupt",
        ),
        "disk",
    ),
    **dict.fromkeys(
        ("freeze", "cpu-quota", "cpu-neighbour", "jvm-pause", "kill", "power-failure", "lost-log",
         "stop", "disk-full", "disk-read-only"),
        "process",
    ),
    **dict.fromkeys(("link", "client-link", "controller-link", "quorum-link", "answer"), "network"),
}  # fmt: skip
"""The cause behind each kind of fault that slows a broker.

A broker whose only log directory fails ends itself, so the truth of a full disk is its process.
"""
HARMLESS: Final = frozenset({
    "add-replica", "client-freeze", "clock-jump", "config-update", "elect", "more-partitions",
    "remove-replica", "produce-flood", "topic-churn", "create-topic", "delete-topic",
    "move-log-dir",
})  # fmt: skip
"""The kinds that slow no broker: the right answer about their time is nobody."""
NONE: Final = "none"
OTHER: Final = "another broker"
CONTROLLERS: Final = 100
"""Ids from which on a node is a controller, which is not a broker that an answer could name."""
_SLOWED: Final = ("cpu-quota", "cpu-neighbour")
_BY_CALL: Final = "delay"


@dataclass(frozen=True, slots=True)
class Judged:
    """A fault of a recorded run, the true cause, and the answer about its time.

    `traced` says that an ISR lacked a replica then: nothing else shows in logs.

    `answer` is a cause, `NONE`, or `OTHER` if the answer names a broker that had no fault.
    """

    run: str
    arm: str
    kind: str
    site: str
    truth: str
    answer: str
    traced: bool

    @property
    def is_right(self) -> bool:
        return self.truth == self.answer


def judged(folder: Path, *, by_logs: bool = False) -> Iterator[Judged]:
    """Yield each fault of a run that counts; nothing for a race or a run that was cut short.

    The answers are those about the recording, or about the log files of its brokers alone.
    """
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    if record["scenario"].get("race") or not record.get("finished_ms"):
        return
    for answer, arm, repeat in _of_logs(folder, record) if by_logs else _of_recording(folder):
        lag = record["scenario"]["broker"]["replica_lag_time_max_ms"] * lag_factor(arm)
        faults = [
            fault
            for fault in _lines(folder / "events" / arm / "faults.jsonl")
            if repeat in (None, fault["repeat"] + 1)
        ]
        for fault in faults:
            seen = not by_logs or answer.span.holds(fault["injected_ms"] + lag)
            if seen and _counts(fault, faults, answer, lag):
                events, span = folder / "events" / arm, _span(fault, answer)
                traced = _left_an_isr(events, span, lag)
                felt = traced or _was_felt(events, fault, span, lag)
                truth = _truth(fault, by_logs=by_logs) if felt else NONE
                yield Judged(
                    run=folder.name, arm=arm, kind=fault["fault"], site=fault["site"],
                    truth=truth, answer=_answer(fault, answer, lag), traced=traced,
                )  # fmt: skip


def _of_recording(folder: Path) -> Iterator[tuple[Diagnosis, str, int]]:
    for answer in answers(folder):
        arm, repeat = answer.about.split(", ")[1:]
        yield answer, arm, int(repeat.removeprefix("repeat "))


def _of_logs(folder: Path, record: Mapping[str, Any]) -> Iterator[tuple[Diagnosis, str, None]]:
    """Yield the answer about all repeats of the arm `stock`, whose brokers have no agent.

    The scenarios of a campaign share clusters, whose folders are beside those of the runs.
    """
    shared = (each / str(record["kafka"]) for each in folder.parents[:3])
    found = (each / "nodes" / "stock" for each in (folder, *shared))
    nodes = next((each for each in found if any(each.glob("*/*.log"))), None)
    if nodes is not None:
        lag = record["scenario"]["broker"]["replica_lag_time_max_ms"]
        yield logged.answers([f"{nodes}/*/*.log"], lag, None, "UTC")[0], "stock", None


def false_findings(folder: Path) -> Iterator[SlowBroker]:
    """Yield the findings of a run at whose time there was no fault at all."""
    for answer in answers(folder):
        arm = answer.about.split(", ")[1]
        spans = [_span(each, answer) for each in _lines(folder / "events" / arm / "faults.jsonl")]
        for finding in answer.findings:
            if not any(finding.span.touches(each, within_ms=3_000) for each in spans):
                yield finding


def _truth(fault: Mapping[str, Any], *, by_logs: bool) -> str:
    """Return the true cause; of a directory that failed, which only logs name, it is the disk."""
    own = TRUE_CAUSE.get(fault["fault"], NONE)
    own = "disk" if by_logs and fault["fault"] in ("disk-full", "disk-read-only") else own
    return NONE if fault["broker"] >= CONTROLLERS else own


def _span(fault: Mapping[str, Any], answer: Diagnosis) -> Span:
    lifted = fault["lifted_ms"] or answer.span.until_ms
    return Span(since_ms=fault["injected_ms"], until_ms=max(lifted, fault["injected_ms"]))


def _counts(
    fault: Mapping[str, Any], faults: Sequence[Mapping[str, Any]], answer: Diagnosis, lag: float
) -> bool:
    """Whether a fault acted for long enough, with no other one near that slows a broker."""
    span = _span(fault, answer)
    near = [
        other
        for other in faults
        if other is not fault
        and other["fault"] in TRUE_CAUSE
        and _span(other, answer).touches(span, within_ms=2 * lag)
    ]
    return not near and (_truth(fault, by_logs=False) == NONE or _acted_ms(fault, span) >= lag)


def _was_felt(events: Path, fault: Mapping[str, Any], span: Span, lag: float) -> bool:
    """Whether a record had no ack within a lag while a fault lasted.

    A fault that delays nothing for so long slows no broker that an operator would look for.
    """
    late = (
        line["done_ms"] is None or line["error"] is not None or line["latency_ms"] >= lag
        for line in _lines(events / repeat_file("produce", fault["repeat"]))
        if span.since_ms <= line["sent_ms"] <= span.until_ms
    )
    return any(late)


def _left_an_isr(events: Path, span: Span, lag: float) -> bool:
    """Whether a replica was out of an ISR while a fault lasted."""
    return any(
        len(line["isr"]) < len(line["replicas"])
        for line in _lines(events / ISR)
        if line["kind"] == "partition" and span.since_ms <= line["t_ms"] <= span.until_ms + lag
    )


def _acted_ms(fault: Mapping[str, Any], span: Span) -> float:
    """Return how long a fault acted; one that delays each call acts all the time."""
    if fault["mode"] == _BY_CALL:
        return span.ms
    acted = float(fault["acted_ms"] or 0)
    return min(acted, span.ms) if fault["fault"] in _SLOWED else acted


def _answer(fault: Mapping[str, Any], answer: Diagnosis, lag: float) -> str:
    """Return what is answered about a fault's time: of several findings, the longest during it.

    Of those that are equally long, the one that names the shortest time.
    """
    span = _span(fault, answer)
    seen = [each for each in answer.findings if each.span.touches(span, within_ms=lag / 2)]
    if not seen:
        return NONE
    main = max(seen, key=lambda each: (each.span.overlap_ms(span), -each.span.ms))
    ends = {fault["broker"], *_peers(fault)}
    return main.cause if set(main.brokers) & ends else OTHER


def _peers(fault: Mapping[str, Any]) -> Iterator[int]:
    for target in fault["target"] or ():
        if target.startswith("broker "):
            yield int(target.removeprefix("broker "))


def _lines(file: Path) -> list[dict[str, Any]]:
    if not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def as_markdown(cases: Iterable[Judged]) -> str:
    """Return the confusion matrix: a row per kind and site, a column per answer."""
    counted: dict[tuple[str, str], Counter[str]] = {}
    for case in cases:
        name = f"{case.kind} {case.site}".strip()
        counted.setdefault((case.truth, name), Counter())[case.answer] += 1
    columns = ("disk", "network", "process", NONE, "undecided", OTHER)
    lines = [f"| fault | truth | {' | '.join(columns)} | right |", "|---" * 9 + "|"]
    for (truth, name), answered in sorted(counted.items()):
        cells = " | ".join(str(answered[each] or "") for each in columns)
        right, of = answered[truth], sum(answered.values())
        lines.append(f"| `{name}` | {truth} | {cells} | {right} of {of} |")
    return "\n".join([*lines, ""])


def run_folders(folders: Iterable[Path]) -> list[Path]:
    return sorted({each.parent for folder in folders for each in folder.rglob("run.json")})


if __name__ == "__main__":
    by_logs = "--logs" in sys.argv
    given = [Path(each) for each in sys.argv[1:] if each != "--logs"]
    every = [case for run in run_folders(given) for case in judged(run, by_logs=by_logs)]
    print(as_markdown(every))
    traced = [case for case in every if case.traced or case.truth == NONE]
    for cases, which in ((every, "in all"), (traced, "without those that left no ISR smaller")):
        print(f"{sum(case.is_right for case in cases)} of {len(cases)} are right, {which}")
    for case in every:
        if not case.is_right:
            print(f"wrong: {case}")
