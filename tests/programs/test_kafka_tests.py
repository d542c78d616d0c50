"""Kafka's own tests, the short level: with the agent, on a broken build, interrupted."""

import signal
import zipfile
from pathlib import Path

import psutil
import pytest

from commands import insync, insync_json, start_insync
from insync.brokers.kafka import builds
from insync.brokers.kafka.resolve import class_path
from waiting import wait_for

KAFKA = "4.3.1"
ARM = "step-down"
"""It has scope `request`, too."""
MISSING = "kafka/server/DelayedFetch.class"


@pytest.mark.long
def test_an_interrupted_run_leaves_no_jvm_and_is_resumed(tmp_path: Path) -> None:
    """The agent changes no result."""
    out = tmp_path / "out"
    asked = ("kafka-tests", "--short", "--arms", ARM, "--out", out)
    running = start_insync(*asked)
    wait_for(lambda: list((out / ARM).glob("*.jsonl")), bool, within_s=180)
    running.send_signal(signal.SIGINT)
    assert running.wait(30) == 3
    left = [each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"])]
    assert not [words for words in left if any(str(out) in word for word in words)]
    done = sorted(file.name for file in (out / ARM).glob("*.jsonl"))
    times = {name: (out / ARM / name).stat().st_mtime_ns for name in done}

    result = insync_json(*asked, "--resume")
    facts = result["facts"]
    assert (result["verdict"], facts["Kafka"], facts["compared with"]) == ("pass", KAFKA, KAFKA)
    assert {name: (out / ARM / name).stat().st_mtime_ns for name in done} == times
    (arm,) = (each for each in result["children"] if each["of"] == ARM)
    *classes, agent = arm["children"]
    assert (agent["of"], agent["outcome"], len(classes)) == ("agent", "pass", 5)
    assert all(" passed" in each["baseline"] for each in classes)


def test_a_build_that_breaks_a_test_fails(tmp_path: Path) -> None:
    libs = tmp_path / "libs"
    libs.mkdir()
    for file in class_path(builds.find(KAFKA), print):
        if file.name.startswith("kafka_2.13-"):
            without(MISSING, file, libs / file.name)
        else:
            (libs / file.name).symlink_to(file)
    out = tmp_path / "out"
    one = ("--only", "DelayedFetchTest", "--arms", "absent")
    done = insync("kafka-tests", "--kafka", libs, *one, "--out", out)
    assert done.returncode == 1, done.stderr
    assert "fail: absent, DelayedFetchTest, " in done.stdout
    assert "different, failed, then failed, then failed" in done.stdout
    assert "<failure" in (out / "junit.xml").read_text()


def without(entry: str, jar: Path, target: Path) -> None:
    """Write a jar without one of its classes."""
    with zipfile.ZipFile(jar) as source, zipfile.ZipFile(target, "w") as changed:
        for name in source.namelist():
            if name != entry:
                changed.writestr(name, source.read(name))
