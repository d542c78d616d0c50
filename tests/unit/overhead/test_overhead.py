"""How arms are measured in turn and compared; how Kafka's tool is read."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import invoke_refused
from insync import engines
from insync.brokers.kafka.versions import DEFAULT
from insync.engine.campaign import Options, campaign_folder, run_campaign
from insync.errors import InputError, InsyncError
from insync.overhead import campaign
from insync.overhead.campaign import Overhead
from insync.overhead.figures import FIGURES, Cost, Round, Values, differences
from insync.overhead.measure import TOOLS, Subject, figures
from insync.progress import Progress
from insync.result import Result

NAMES = [spec.name for spec in FIGURES]
SUMMARY = (
    "5000 records sent, 4512.6 records/sec (4.30 MB/sec), 12.34 ms avg latency, 345.00 ms max"
    " latency, 5 ms 50th, 30 ms 95th, 100 ms 99th, 200 ms 99.9th.\n"
)


def all_figures(value: float) -> Values:
    return dict.fromkeys(NAMES, value)


def of(figure: str, rounds: list[Round]) -> Cost:
    (found,) = (each for each in differences(rounds, "stock") if each.figure.name == figure)
    return found


def test_six_rounds_in_which_each_differs_show_that_an_arm_differs() -> None:
    rounds = [{"stock": all_figures(100 + n), "off": all_figures(110 + n)} for n in range(6)]
    found = of("bytes_per_fetch", rounds)
    assert found.change is not None
    assert found.change.difference == pytest.approx(10 / 102.5)
    assert found.change.low == found.change.high == found.change.difference
    assert found.words == "112 (+9.8% to +9.8%)"


def test_an_arm_that_is_once_above_and_once_below_does_not_differ() -> None:
    rounds = [{"stock": all_figures(100), "off": all_figures(100 + (-1) ** n)} for n in range(8)]
    found = of("bytes_per_fetch", rounds)
    assert found.words == "100 (-1.0% to +1.0%)"


def test_too_few_rounds_give_no_interval_and_no_claim() -> None:
    rounds = [{"stock": all_figures(1), "off": all_figures(9)}] * 5
    found = of("waited_per_fetch", rounds)
    assert found.words == "9.000 (+800.0%)"


def test_a_round_without_the_arm_or_the_baseline_does_not_count() -> None:
    rounds: list[Round] = [
        {"stock": all_figures(2), "off": all_figures(3)},
        {"stock": all_figures(50)},
        {"off": all_figures(90)},
    ]
    assert of("p50_ms", rounds).value == 3


def test_a_figure_of_which_stock_has_none_has_no_relative_change() -> None:
    rounds = [{"stock": all_figures(0), "off": all_figures(0.5)}] * 6
    found = of("blocked_per_fetch", rounds)
    assert (found.change, found.words) == (None, "0.5000")


@given(st.lists(st.floats(1, 1e6), min_size=6, max_size=12))
def test_two_equal_builds_show_no_difference(values: list[float]) -> None:
    rounds = [{"stock": all_figures(value), "off": all_figures(value)} for value in values]
    found = [each.change for each in differences(rounds, "stock")]
    assert all(each and each.low == each.high == 0 for each in found)


SIDES = [Subject(name=name, kafka=DEFAULT, arm="stock") for name in ("stock", "raised")]


class Measured:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, ends_after: int = 1_000) -> None:
        self.done: list[tuple[str, int]] = []
        self.ends_after = ends_after
        monkeypatch.setattr(campaign, "measure", self)
        monkeypatch.setattr(Overhead, "ready", lambda own, _: setattr(own, "_tool", None))

    def __call__(self, side: Subject, idle: int, *_: object) -> Values:
        if len(self.done) == self.ends_after:
            raise KeyboardInterrupt
        self.done.append((side.name, idle))
        return all_figures(10 + idle / 1_000 + (side.name == "raised"))


def measured(out: Path, rounds: int, idle: int = 0, *, resume: bool = False) -> Result:
    made = Overhead(SIDES, rounds, 0, idle)
    options = Options(out=out, resume=resume)
    return run_campaign(made, options, Progress(), campaign_folder(made, options))


def test_every_round_starts_with_another_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Measured(monkeypatch)
    found = measured(tmp_path / "out", 2)
    assert [side for side, _ in seen.done] == ["stock", "raised", "raised", "stock"]
    assert (found.outcome, [each.of for each in found.children]) == ("pass", ["raised"])
    complete, *figures = found.children[0].children
    assert (complete.of, complete.outcome) == ("rounds", "pass")
    assert len(figures) == len(FIGURES)
    assert {each.outcome for each in figures} == {"observed"}


def test_what_an_interrupted_measurement_left_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Measured(monkeypatch, ends_after=3)
    with pytest.raises(KeyboardInterrupt):
        measured(tmp_path / "out", 2)
    cut = Result.read(tmp_path / "out" / "verdict.json", "an overhead")
    assert (cut.outcome, cut.children[-1].found) == ("unknown", "1 is left")
    again = Measured(monkeypatch)
    assert measured(tmp_path / "out", 3, resume=True).outcome == "pass"
    assert [side for side, _ in again.done] == ["stock", "stock", "raised"], "a third round, too"


def test_brokers_with_other_idle_partitions_are_another_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Measured(monkeypatch)
    found = measured(tmp_path / "out", 1, idle=1_000)
    assert seen.done == [("stock", 1_000), ("raised", 1_000)]
    assert found.facts["idle partitions"] == "1000"
    with pytest.raises(InputError, match="idle partitions: 1000, now 0"):
        measured(tmp_path / "out", 1, resume=True)


def test_the_summary_of_the_last_lines_is_read() -> None:
    before = SUMMARY.replace("5000 records sent", "100 records sent")
    assert figures(before + SUMMARY, 0, 5000) == {
        "records_per_s": 4512.6, "p50_ms": 5, "p99_ms": 100, "p999_ms": 200,
    }  # fmt: skip


def test_a_tool_that_failed_or_has_less_is_an_error() -> None:
    for code, records in ((1, 5_000), (0, 5_001)):
        said = f"ProducerPerformance ended with {code}: 5000 records sent"
        with pytest.raises(InsyncError, match=said):
            figures(SUMMARY, code, records)
    with pytest.raises(InsyncError, match="it printed nothing"):
        figures("", 0, 1)


def test_the_tool_has_the_version_of_the_class_path_it_runs_on() -> None:
    assert TOOLS.parts[2] == DEFAULT


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--arms", "off,read"], "--arms off,read: expected stock and others, each once"),
        (["--arms", "stock"], "--arms stock: expected stock and others"),
        (["--kafka", "9.9.9"], "9.9.9"),
        (["--rounds", "0"], "--rounds 0: expected 1 to 999999999"),
        (["--records", "-1"], "--records -1: expected 0 to"),
        (["--idle", "-1"], "--idle -1: expected 0 to 50000"),
        (["--idle", "99999"], "--idle 99999: expected 0 to 50000"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in invoke_refused(capsys, "overhead", *arguments)


def test_without_scipy_it_is_refused_before_it_starts_a_broker(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: None if name == "scipy" else name)
    said = invoke_refused(capsys, "overhead", "--arms", "off")
    assert said.startswith("insync: overhead: needs scipy, which is not installed")
