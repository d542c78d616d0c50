"""What stands beside a finding of logs: lines, lanes, what KIP-501 would have done, and the words.

The logs are those of a leader that drops both followers at once and takes them back 20 s later.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from insync.cli.app import app
from insync.why.answer import Diagnosis, Kip501, SlowBroker
from insync.why.facts import Span
from insync.why.page import page
from insync.why.redact import redacted
from insync.why.words import markdown, terminal_lines
from unit.why.log_files import (
    BOOTED,
    END,
    HEALTHY,
    SETTINGS,
    SLOW_LEADER,
    STARTED,
    STOPPING,
    UNFENCED,
    Line,
    Logs,
    fences,
    leads,
    shrinks,
)
from unit.why.made_up import judged, told

OTHERS: dict[int, list[Line]] = {
    2: [(2, leads("u-2", 2)), (2, leads("u-3", 2))],
    3: [(2, leads("u-4", 3)), (2, leads("u-5", 3)), END],
}
"""What shows that the links of broker 1 work: its followers lead two partitions each with it."""
FULL_AGAIN = (61, "INFO [Partition t-1 broker=1] ISR updated to 1,2,3 and version updated to 3")
FENCED: list[Line] = [(50, fences(1)), (55, UNFENCED)]


def found(
    logs: Logs, *more: Line, decided: bool = True, slow: Sequence[Line] = SLOW_LEADER,
    min_isr: int = 2,
) -> Diagnosis:  # fmt: skip
    config = f"\tmin.insync.replicas = {min_isr}"
    logs.write("1/server.log", *slow[:1], config, *slow[1:], FULL_AGAIN, *more)
    for broker, lines in OTHERS.items():
        logs.write(f"{broker}/server.log", *(lines if decided else HEALTHY))
    return logs.answer()


def only(shown: Diagnosis) -> tuple[SlowBroker, Kip501]:
    concerned = [(each, each.kip_501) for each in shown.findings if each.kip_501 != Kip501()]
    ((finding, kip),) = concerned
    assert kip is not None
    return finding, kip


def test_of_a_slow_leader_kip_501_would_have_kept_all_and_saved_all(logs: Logs) -> None:
    finding, kip = only(found(logs))
    assert (finding.cause, kip.removals, kip.kept) == ("disk", 4, (4, 4))
    assert (kip.under_min_isr, kip.offline) == (40.0, 0.0)
    assert (kip.solution_1, kip.step_down) == ((40.0, 40.0), (40.0, 40.0))


def test_what_it_would_have_saved_begins_at_zero_if_the_cause_is_open(logs: Logs) -> None:
    finding, kip = only(found(logs, decided=False))
    assert (finding.cause, kip.kept, kip.solution_1) == ("undecided", (0, 4), (0, 40.0))
    assert any("bad links" in each for each in kip.not_known)


@pytest.mark.parametrize(
    ("left", "expected", "blamed"),
    [
        (("1,3", "2,3"), "1-2 network: link", ["1 rightly", "2 rightly"]),
        (("1,2", "1,2"), "3 disk or network or process: following", ["3 rightly"]),
    ],
    ids=["bad links", "a slow follower"],
)
def test_of_others_it_would_have_kept_nobody(
    logs: Logs, left: tuple[str, str], expected: str, blamed: list[str]
) -> None:
    for broker, isr in enumerate(left, 1):
        dropped = (39 + broker, shrinks(f"t-{broker}", broker, isr))
        logs.write(f"{broker}.log", SETTINGS, (1, leads(f"t-{broker}", broker)), dropped)
    shown = logs.answer()
    (finding,) = shown.findings
    assert (told(shown), judged(finding), finding.kip_501) == (expected, blamed, Kip501())
    assert any("KIP-501: not its case" in each for each in terminal_lines(shown))


def test_of_a_broker_that_was_told_to_stop_it_would_have_kept_nobody(logs: Logs) -> None:
    started = STARTED.replace("id=2", "id=1")
    again: list[Line] = [(39, STOPPING), (50, BOOTED), (55, started), END]
    findings = found(
        logs, slow=[*SLOW_LEADER[:2], (0, started), *SLOW_LEADER[2:8], *again]
    ).findings
    assert [(each.site, each.kip_501) for each in findings] == [("stopped on request", Kip501())]


def test_a_step_down_saves_nothing_for_sure_if_then_too_few_replicas_are_left(logs: Logs) -> None:
    _, kip = only(found(logs, min_isr=3))
    assert (kip.solution_1, kip.step_down) == ((40.0, 40.0), (0, 40.0))
    assert any("too few replicas" in each for each in kip.not_known)


def test_a_leader_that_is_fenced_as_the_last_in_the_isr_leaves_it_offline(logs: Logs) -> None:
    shown = found(logs, *FENCED)
    _, kip = only(shown)
    assert (kip.under_min_isr, kip.offline) == (30.0, 10.0)
    assert "eligible.leader.replicas" in markdown([shown])
    assert "eligible.leader.replicas" not in markdown([found(logs)])


def test_an_isr_that_is_not_full_at_the_end_is_said_to_be_open(logs: Logs) -> None:
    for slow, is_open in ((SLOW_LEADER[:-1], True), (SLOW_LEADER, False)):
        _, kip = only(found(logs, slow=slow))
        assert any("at the end of the logs" in each for each in kip.not_known) is is_open


def test_lines_have_their_file_and_number_and_are_about_the_finding(logs: Logs) -> None:
    finding, _ = only(found(logs, (300, fences(1)), (310, UNFENCED)))
    places = {(Path(each.file).parent.name, each.number, each.brokers) for each in finding.lines}
    assert places == {("1", 6, (1, 2, 3)), ("1", 8, (1, 2, 3))}
    shown = (logs.folder / "1" / "server.log").read_text().splitlines()
    assert all(each.text == shown[each.number - 1] for each in finding.lines)


def test_lanes_say_what_each_broker_led(logs: Logs) -> None:
    finding, _ = only(found(logs, *FENCED))
    of_1 = [each for each in finding.lanes if each.broker == 1]
    figures = {(each.partitions, each.in_sync, each.under) for each in of_1}
    assert figures == {(2, 6, 0), (2, 4, 1), (2, 2, 2)}
    assert all(each.in_sync == each.replicas for each in finding.lanes if each.broker != 1)
    assert all(one.until_ms <= two.since_ms for one, two in pairwise(of_1))


@pytest.mark.parametrize("decided", [True, False])
def test_page_and_markdown_say_the_same(logs: Logs, *, decided: bool) -> None:
    shown = found(logs, decided=decided)
    text = re.sub(r"<[^>]+>", " ", page([shown]))
    for said in (text, markdown([shown])):
        assert "follower" in said
        assert ("would have kept 4 of 4" in said) is decided
        assert "server.log:6" in said
        assert "t-0, t-1" in said
        assert "logs do not show acks" in said
    assert page([shown]).count("<svg") == 1
    assert ("badge fail" in page([shown])) is decided
    assert ("badge unknown" in page([shown])) is not decided


def test_nobody_was_slow_is_an_answer_of_the_page(logs: Logs) -> None:
    logs.write("server.log", *HEALTHY)
    said = page([logs.answer()])
    assert "badge pass" in said
    assert "no slow broker found" in said
    assert "<svg" not in said


def test_another_kind_of_file_is_refused(logs: Logs) -> None:
    found(logs)
    done = CliRunner().invoke(app, ["why", "--logs", str(logs.folder), "--out", "a.pdf"])
    assert "expected a name that ends with .html or .md" in str(done.exception)


SECRETS = ("payments", "kafka-7.corp.example", "10.1.2.3", "checkout-service", "datacentre")
GAVE_UP = (
    "WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error in response for fetch request"
    " (type=FetchRequest, clientId=checkout-service, fetchData={payments-0=x}): Connection to"
    " kafka-7.corp.example:9092 (10.1.2.3) failed"
)


@pytest.mark.parametrize("redact", [True, False])
def test_the_command_writes_every_form_and_redacted_ones_have_no_name(
    tmp_path: Path, *, redact: bool
) -> None:
    folder = tmp_path / "datacentre" / "kafka-7.corp.example"
    found(Logs(folder), (45, GAVE_UP))
    log = folder / "1" / "server.log"
    log.write_text(log.read_text().replace("t-0", "payments-0").replace("t-1", "payments-1"))
    (folder / "cut.log").write_text("no date\n")
    html, report = tmp_path / "a.html", tmp_path / "a.md"
    args = ["why", "--logs", str(folder), "--out", str(html), "--out", str(report)]
    texts = []
    for form in ((), ("--json",)):
        done = CliRunner().invoke(app, [*args, *form, *(["--redact"] if redact else [])])
        assert done.exit_code == 0, done.output
        texts.append(re.sub("written: .*", "", done.stdout))
    (said,) = json.loads(texts[1])["answers"][0]["findings"]
    assert (said["kip_501"]["removals"], said["lines"][0]["number"]) == (4, 6)
    texts += [html.read_text(), report.read_text()]
    assert texts[2].startswith("<!doctype html>")
    assert texts[3].startswith("# 4 log files in ")
    shown = {secret for text in texts for secret in SECRETS if secret in text}
    assert shown == (set() if redact else set(SECRETS))
    if redact:
        for text in texts:
            assert "topic-1" in text
            assert "file-1" in text
            assert "Shrinking ISR from 1,2,3 to 1" in text
            assert "Error in response" in text or text == texts[0]


def test_lines_that_say_the_same_are_shown_three_times_and_counted(logs: Logs) -> None:
    slow = [*SLOW_LEADER[:4], *((40, shrinks(f"t-{each}", 1, "1")) for each in range(9))]
    shown = found(logs, (41, GAVE_UP), slow=slow)
    finding, _ = only(shown)
    assert [each.number for each in finding.lines] == [6, 7, 8, 16]
    assert finding.more_lines == 6
    assert "Lines of the logs, 4 of 10" in page([shown])


def test_sentences_are_redacted_alike_wherever_a_name_is() -> None:
    span = Span(since_ms=0, until_ms=1)
    said = (
        "kafka-7.corp.example:9991 did not answer",
        "/var/log/kafka/server.log: no line",
        "from http://prometheus.corp:9090",
        "10.1.2.3 and kafka-7.corp.example:9991",
        "Prometheus: whose series those of corp-a, corp-b are (--broker-from)",
    )
    one, two = redacted([Diagnosis(about=said[1], span=span, gaps=said)] * 2)
    assert one == two
    assert one.about == "path-1: no line"
    assert one.gaps[0] == "host-1 did not answer"
    assert one.gaps[3].endswith(" and host-1")
    assert "series those of host-" in one.gaps[4]
    assert not any(name in str(one) for name in ("corp", "kafka", "10.1"))


def test_of_many_brokers_those_are_drawn_that_lacked_something(logs: Logs) -> None:
    for broker in range(4, 30):
        own = leads(f"w-{broker}", broker, f"{broker},2,3")
        logs.write(f"{broker}/server.log", (2, own), END)
    assert re.findall(r">b(\d+)</text>", page([found(logs)])) == ["1"]


def test_a_page_of_too_many_findings_has_the_worst_and_counts_the_others(logs: Logs) -> None:
    shown = found(logs)
    (worst,) = shown.findings
    mild = replace(worst, blamed=(), site="mild" + " x" * 4_000)
    crowded = page([replace(shown, findings=(*[mild] * 60, worst))])
    assert len(crowded) < 400_000
    assert "51 more findings are in --json" in crowded
    assert "wrongly" in crowded
    assert "more findings" not in page([shown])
