"""Jobs in JVMs side by side, with a stand-in for Java, and the files of results that they write."""

import json
import threading
from pathlib import Path

import pytest

from insync.kafka_tests.jvm import JvmJob, JvmSide, written
from insync.kafka_tests.results import PASSED, file_of, part_of, read_class
from insync.kafka_tests.run import run_jobs
from unit.kafka_tests.fakes import fake_side


def run(jobs: list[JvmJob]) -> tuple[dict[str, list[str]], list[str]]:
    told: list[str] = []
    return run_jobs(jobs, side_by_side=2, tell=told.append), told


def job(side: JvmSide, folder: Path, *names: str) -> JvmJob:
    return JvmJob(side=side, word="w", tests=dict.fromkeys(names, ()), folder=folder / side.name)


def outcomes(folder: Path, name: str) -> dict[str, str]:
    return {each.id: each.outcome for each in read_class(folder / f"{name}.jsonl").tests.values()}


def test_a_class_that_has_results_is_not_run_again(tmp_path: Path) -> None:
    side = fake_side("off", tmp_path, {"A": {"a": "passed"}, "B": {"b": "passed"}})
    run([job(side, tmp_path, "A")])
    _, told = run([job(side, tmp_path, "A", "B")])
    assert told == ["off: B"]
    assert run([job(side, tmp_path, "A", "B")]) == ({}, [])


def test_after_a_jvm_ended_in_a_class_the_next_classes_run(tmp_path: Path) -> None:
    crash = {"A": {"a": "passed", "b": "crash", "c": "passed"}, "B": {"d": "passed"}}
    side = fake_side("off", tmp_path, crash)
    cut, told = run([job(side, tmp_path, "A", "B")])
    assert cut == {"off": ["the JVM ended with exit code 134"]}
    assert told == ["off: A, B", "off: B"]
    assert outcomes(tmp_path / "off", "A") == {"a": "passed", "b": "failed"}
    assert outcomes(tmp_path / "off", "B") == {"d": "passed"}
    cut_short = read_class(tmp_path / "off" / "A.jsonl")
    assert cut_short.cut == cut_short.tests["b"].detail == "the JVM ended with exit code 134"
    assert not list((tmp_path / "off").glob("*.part"))


def test_a_jvm_that_does_not_start_is_not_tried_again(tmp_path: Path) -> None:
    bad, good = fake_side("read", tmp_path, {}), fake_side("off", tmp_path, {"A": {"a": "passed"}})
    cut, _ = run([job(bad, tmp_path, "A"), job(good, tmp_path, "A")])
    assert cut == {"read": ["the JVM ended with exit code 2: Exception: no class A"]}
    assert outcomes(tmp_path / "off", "A") == {"a": "passed"}


def test_chosen_tests_run_alone(tmp_path: Path) -> None:
    side = fake_side("off", tmp_path, {"A": {"a": "passed", "b": "passed"}})
    one = JvmJob(side=side, word="w", tests={"A": ["b"]}, folder=tmp_path / "off")
    run([one])
    assert outcomes(tmp_path / "off", "A") == {"b": "passed"}


def test_an_error_of_one_job_ends_the_jvms_of_others(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\nexec sleep infinity\n")
    java.chmod(0o755)
    hangs, fails = (JvmSide(name=name, java=java, jars=()) for name in ("off", "read"))
    (tmp_path / "read").touch()
    with pytest.raises(NotADirectoryError):
        run([job(hangs, tmp_path, "A"), job(fails, tmp_path, "A")])
    assert not list((tmp_path / "off").glob("*.jsonl")), "it runs again"


def test_results_may_be_completed_while_their_size_is_looked_at(tmp_path: Path) -> None:
    side = fake_side("off", tmp_path, {})
    looked_at = job(side, tmp_path, "A")
    looked_at.folder.mkdir()
    part, whole = part_of(looked_at.folder, "A"), file_of(looked_at.folder, "A")
    part.write_text("1234")
    done = threading.Event()

    def complete_and_begin_again() -> None:
        while not done.is_set():
            part.rename(whole)
            whole.rename(part)

    jvm = threading.Thread(target=complete_and_begin_again)
    jvm.start()
    try:
        sizes = {written(looked_at) for _ in range(20_000)}
    finally:
        done.set()
        jvm.join()
    assert 4 in sizes
    assert sizes <= {0, 4, 8}


ONE = {"id": "[one]", "name": "one()", "shown": "one()"}


def lines(*entries: dict[str, object]) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def test_a_class_is_read_test_by_test(tmp_path: Path) -> None:
    file = tmp_path / "T.jsonl"
    file.write_text(lines(
        {"type": "started", **ONE},
        {"type": "ended", **ONE, "outcome": "passed", "ms": 3, "detail": ""},
        {"type": "class", "ms": 5, "cpu_ms": 4, "agent": {"errors": 0}},
    ))  # fmt: skip
    found = read_class(file)
    assert [(test.name, test.outcome, test.ms) for test in found.tests.values()] == [
        ("one()", PASSED, 3)
    ]
    assert (found.ms, found.cpu_ms, found.agent, found.cut) == (5, 4, {"errors": 0}, "")


@pytest.mark.parametrize("text", ["not json\n", '{"type": "ended", "id": 1}\n', "{}\n"])
def test_a_file_of_another_form_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "T.jsonl"
    file.write_text(text)
    with pytest.raises(ValueError, match="not a line of test results"):
        read_class(file)
