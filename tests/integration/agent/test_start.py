"""What the agent does and says at start: what it weaves, what it refuses, beside other agents."""

import os
import shutil
import signal
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from event_lines import read_lines
from insync.arms import FEATURE, SCOPE
from insync.artifacts import AGENT_JAR, LAB_JAR
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.node import AgentSpec
from insync.brokers.kafka.distribution import SHORT_LIVED, Distribution
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from insync.events import agent_log
from insync_bridge import BridgeClient
from integration.lab import BOTH_ROLES, Lab, StartCluster, compile_java, java_agent
from waiting import wait_for

Done = subprocess.CompletedProcess[str]
Begin = Callable[..., Done]
WITH_LAB = f"lab={LAB_JAR}"


@pytest.fixture
def begin(java: Java, dist: Distribution) -> Begin:
    """Return what runs Kafka's main class, which without arguments prints its usage and ends.

    `first` is put before the jars on the class path, `flags` before the agent's.
    """

    def run(
        *options: str, kafka: str = "", jar: Path = AGENT_JAR, first: Path | None = None,
        flags: tuple[str, ...] = (),
    ) -> Done:  # fmt: skip
        chosen = distribution(kafka, java) if kafka else dist
        if first is not None:  # the archive is not for other classes
            chosen = replace(chosen, jars=(first, *chosen.jars), cds=None)
        flag = f"-javaagent:{jar}={','.join(options)}"
        command = chosen.command([*SHORT_LIVED, *flags, flag], "kafka.Kafka")
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    return run


def runs(done: Done) -> bool:
    """Return whether Kafka's main class ran; if not, the agent must have ended the JVM."""
    assert ("USAGE" in done.stdout + done.stderr) == (done.returncode != 2)
    return done.returncode != 2


def assert_refused(done: Done, *words: str) -> None:
    """Assert that the agent ended the JVM with one line that has these words."""
    (line,) = done.stderr.splitlines()
    assert not runs(done)
    assert all(word in line for word in words), line


@pytest.mark.parametrize(
    ("version", "adapter", "hooks"),
    [
        ("2.8.2", "v2_8", 10),
        pytest.param("3.6.2", "v3_6", 54, marks=pytest.mark.long),
        pytest.param("3.7.2", "v3_7", 55, marks=pytest.mark.long),
        pytest.param("3.8.1", "v3_7", 55, marks=pytest.mark.long),
        pytest.param("3.9.2", "v3_7", 55, marks=pytest.mark.long),
        pytest.param("4.0.2", "v4_0", 55, marks=pytest.mark.long),
        pytest.param("4.1.2", "v4_1", 55, marks=pytest.mark.long),
        ("4.3.1", "v4_2", 55),
        pytest.param("4.4.0", "v4_2", 55, marks=pytest.mark.long),
    ],
)
def test_every_hook_is_woven_before_the_brokers_main(
    begin: Begin, version: str, adapter: str, hooks: int, tmp_path: Path
) -> None:
    done = begin(WITH_LAB, f"events={tmp_path}/e.jsonl", kafka=version)
    assert f"woven into Kafka {version} by adapter {adapter}\n" in done.stderr
    (installed,) = read_lines(tmp_path / "e.jsonl")
    assert len(installed["woven"]) == hooks


def test_a_version_between_known_ones_is_woven_and_the_start_says_so(
    begin: Begin, tmp_path: Path
) -> None:
    done = begin(first=version_resource(tmp_path, "4.3.7"))
    assert "woven into Kafka 4.3.7 by adapter v4_2; this version is not tested" in done.stderr


@pytest.mark.parametrize(
    ("kafka", "options", "words"),
    [
        ("4.3.1", f"{WITH_LAB},events=/none/such/e.jsonl", "events=/none/such/e.jsonl: expected"),
        # What the lab does needs its jar, whatever on-unsupported says: it is about brokers.
        ("4.3.1", "on-unsupported=stock,events=/tmp/e", "events=/tmp/e: expected: lab="),
        ("4.3.1", "on-unsupported=stock,lab=/none/such.jar", "lab=/none/such.jar: expected: lab="),
    ],
)
def test_a_bad_agent_option_is_one_line_and_no_broker(
    begin: Begin, kafka: str, options: str, words: str
) -> None:
    assert_refused(begin(options, kafka=kafka), *words.split(": "))


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_refused_before_the_broker_starts(
    begin: Begin, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """The agent would wait for a reader of the pipe, and the broker for the agent."""
    make(tmp_path / "events")
    own = f"events={tmp_path / 'events'}"
    assert_refused(begin(WITH_LAB, own), own, "expected a file")


def test_a_jar_that_is_not_the_lab_is_refused(begin: Begin, java: Java, tmp_path: Path) -> None:
    other = java_agent(java, tmp_path)
    assert_refused(begin(f"lab={other}"), f"lab={other}: expected the path")


def without_members(java: Java, folder: Path) -> dict[str, Any]:
    """Put a Replica first that lacks every member that the agent needs."""
    source = folder / "Replica.java"
    source.write_text("package org.apache.kafka.server.replica; public class Replica { }")
    compile_java(java, folder, source)
    return {"first": folder}


def of_unknown_version(_: Java, folder: Path) -> dict[str, Any]:
    return {"first": version_resource(folder, "9.9.9")}


def loaded_early(java: Java, folder: Path) -> dict[str, Any]:
    """Let another agent load a class of the broker first."""
    load = 'Class.forName("kafka.cluster.Partition", false, ClassLoader.getSystemClassLoader());'
    return {"flags": (f"-javaagent:{java_agent(java, folder, load)}",)}


MISSING = "missing method org.apache.kafka.server.replica.Replica.stateSnapshot"
UNKNOWN = "Kafka 9.9.9 is not supported"
EARLY = "kafka.cluster.Partition was loaded before this agent started"


@pytest.mark.parametrize(
    ("make", "said", "choice"),
    [
        (without_members, MISSING, "fail"),
        (without_members, MISSING, None),
        (of_unknown_version, UNKNOWN, "stock"),
        (of_unknown_version, UNKNOWN, None),
        (loaded_early, EARLY, "fail"),
        (loaded_early, EARLY, "stock"),
    ],
)
def test_a_broker_that_cannot_be_woven_is_refused_or_runs_stock(
    begin: Begin, java: Java, tmp_path: Path, make: Callable[[Java, Path], dict[str, Any]],
    said: str, choice: str | None,
) -> None:  # fmt: skip
    """By default it runs stock, and the events say that the agent refused."""
    events = tmp_path / "e.jsonl"
    options = [f"on-unsupported={choice}"] if choice else [WITH_LAB, f"events={events}"]
    done = begin(*options, **make(java, tmp_path))
    assert said in done.stderr
    assert "woven into" not in done.stderr
    assert runs(done) == (choice != "fail")
    if choice == "fail":
        assert "Exception" not in done.stderr
    if choice is None:
        assert "the broker runs unchanged" in done.stderr
        assert [line["type"] for line in read_lines(events)] == ["agent_refused"]


@pytest.mark.long
def test_what_the_cache_depends_on(begin: Begin, tmp_path: Path) -> None:
    """Each start is complete; the cache is used only if nothing has changed."""
    events, cache = tmp_path / "events.jsonl", tmp_path / "cache"

    def cached(jar: Path = AGENT_JAR) -> tuple[str, list[str]]:
        done = begin(WITH_LAB, f"cache={cache}", f"events={events}", jar=jar)
        said = [line for line in done.stderr.splitlines() if line.startswith("[insync]")]
        assert said[-1] == "[insync] woven into Kafka 4.3.1 by adapter v4_2"
        return used(events)[-1], said[:-1]

    assert cached() == ("written", [])
    assert cached() == ("used", [])
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    wrote, (line,) = cached()
    assert wrote == "written"
    assert line == f"[insync] cache {file} is not used and will be written again: it is damaged"
    assert cached() == ("used", [])
    other = Path(shutil.copy(AGENT_JAR, tmp_path / "other.jar"))
    with zipfile.ZipFile(other, "a") as jar:
        jar.writestr("another", "build")
    assert cached(other) == ("written", []), "another build of the agent"
    assert len(list(cache.iterdir())) == 2


def test_the_jar_has_no_library_but_byte_buddy() -> None:
    with zipfile.ZipFile(AGENT_JAR) as jar:
        shaded = {name.split("/")[2] for name in jar.namelist() if "insync/shaded/" in name}
    assert shaded - {""} == {"bytebuddy"}


def test_brokers_that_use_the_cache_mark_fetches(
    begin: Begin, start: StartCluster, agent: AgentSpec, tmp_path: Path
) -> None:
    agent = replace(agent, cache=tmp_path / "cache")
    begin(WITH_LAB, f"cache={agent.cache}")
    lab = Lab(start(brokers=2, agent=agent, settings={FEATURE: "true"}), agent)
    assert used(agent.events_file(2)) == ["used"]
    create_topic(lab.cluster.bootstrap, "t", [[2, 1]], {})
    with lab.bridge(2) as broker:
        wait_for(lambda: broker.counters().marks_total, bool, 30)
        assert broker.counters().errors == 0
    (kept,) = (tmp_path / "cache").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_node_of_both_roles_has_one_scope(
    java: Java, start: StartCluster, agent: AgentSpec
) -> None:
    """The controller's SocketServer has the broker's id, and no followers."""
    settings = {FEATURE: "true", SCOPE: "request"}
    node = start(brokers=1, agent=agent, settings=settings, quorum=BOTH_ROLES).nodes[1]
    bridge = agent.bridge_dir / "bridge-1.json"
    with BridgeClient.connect(bridge) as broker:
        assert broker.settings()[SCOPE] == "request"
        assert broker.counters().errors == 0
    threads = subprocess.run(
        [java.home / "bin" / "jcmd", str(node.pid), "Thread.print"],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    assert threads.count('"insync-leader-clock"') == 1
    node.process.send_signal(signal.SIGTERM)
    node.process.wait(60)
    assert not bridge.exists(), "a clean stop removes the file"


def version_resource(folder: Path, version: str) -> Path:
    """Make a class folder that says that this is Kafka `version`."""
    resource = folder / "kafka" / "kafka-version.properties"
    resource.parent.mkdir()
    resource.write_text(f"version={version}\ncommitId=0\n")
    return folder


def used(events: Path) -> list[str]:
    """Return what each start of an agent did with its cache."""
    return [each["cache"] for each in agent_log.read(events) if each["type"] == agent_log.WOVEN]
