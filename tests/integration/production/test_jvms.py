"""Each garbage collector, each Java that is installed, and other agents in the same broker."""

import os
import re
import urllib.request
from pathlib import Path

import pytest

from insync.arms import READ, REQUEST
from insync.brokers.cluster.node import AgentSpec, NodeExtras
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.ports import free_ports
from insync.brokers.kafka.resolve import distribution
from insync.errors import InputError
from integration.lab import StartLab, stalled_read
from integration.production.jars import JMX_EXPORTER, OPENTELEMETRY, fetched
from waiting import wait_for

PAIR = [1, 2]
COLLECTORS = {
    "Serial": ["-XX:+UseSerialGC"],
    "Parallel": ["-XX:-UseSerialGC", "-XX:+UseParallelGC"],
    "G1": ["-XX:-UseSerialGC", "-XX:+UseG1GC"],
    "ZGC": ["-XX:-UseSerialGC", "-XX:+UseZGC"],
}


@pytest.mark.long
@pytest.mark.parametrize("collector", COLLECTORS)
def test_marks_come_and_go_with_each_collector(
    start_lab: StartLab, agent: AgentSpec, collector: str
) -> None:
    log = agent.events_dir / "gc.log"
    extras = NodeExtras(flags=[*COLLECTORS[collector], f"-Xlog:gc,gc+init:file={log}"])
    lab = start_lab(assignment=[PAIR], brokers=2, extras={1: extras})
    with lab.writing(), lab.bridge() as broker:
        for scope in (READ, REQUEST):
            lab.switch(broker, scope)
            before = broker.counters()
            with stalled_read(broker):
                lab.stays_whole(1.5, PAIR)
            wait_for(
                broker.counters, lambda now, then=before: now.released_total > then.marks_total
            )
            assert broker.counters().holds_granted > before.holds_granted
            lab.switch_off(broker)
    used = log.read_text(encoding="utf-8")
    assert {"ZGC": "The Z Garbage Collector"}.get(collector, f"Using {collector}") in used


@pytest.mark.long
@pytest.mark.parametrize("feature", [21, 25])
def test_another_java(start_lab: StartLab, monkeypatch: pytest.MonkeyPatch, feature: int) -> None:
    start_lab(dist=distribution("4.3.1", installed(monkeypatch, feature))).check_all()


def installed(monkeypatch: pytest.MonkeyPatch, feature: int) -> Java:
    """Return the installed Java of a feature version; skips the test if there is none."""
    named = os.environ.get("INSYNC_JAVAS", "").split(":")
    homes = [*(Path(each) for each in named if each), *Path("/usr/lib/jvm").glob("*")]
    for home in sorted({each.resolve() for each in homes if (each / "bin").is_dir()}):
        monkeypatch.setenv("JAVA_HOME", str(home))
        try:
            found = find_java()
        except InputError:
            continue
        if found.version == feature:
            return found
    pytest.skip(f"no Java {feature} in /usr/lib/jvm or INSYNC_JAVAS")


NO_EXPORT = [f"-Dotel.{signal}.exporter=none" for signal in ("traces", "metrics", "logs")]
MORE_MEMORY = "-Xmx512m"
SAMPLE = re.compile(r'^insync_PendingReads_Value\{.*name="HoldsGranted".*\} (\S+)$', re.MULTILINE)


@pytest.mark.long
@pytest.mark.parametrize("ours", ["last", "first"])
def test_two_other_agents_in_one_broker(start_lab: StartLab, tmp_path: Path, ours: str) -> None:
    """Both of them see what they are for, and ours works, whichever agent is loaded first."""
    (port,) = free_ports(1)
    config = tmp_path / "exporter.yaml"
    config.write_text("rules:\n- pattern: '.*'\n", encoding="ascii")
    others = [
        f"-javaagent:{fetched(OPENTELEMETRY)}",
        f"-javaagent:{fetched(JMX_EXPORTER)}=127.0.0.1:{port}:{config}",
    ]
    # The JVM puts the options of this variable before those of the command line.
    before = {"JDK_JAVA_OPTIONS": " ".join(others)} if ours == "last" else {}
    after = others if ours == "first" else []
    extras = NodeExtras(environment=before, flags=[*after, *NO_EXPORT, MORE_MEMORY])
    lab = start_lab(extras={1: extras})
    lab.check_all()
    assert "opentelemetry-javaagent - version: 2.10.0" in lab.log()
    assert "[insync] woven into Kafka" in lab.log()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        metrics = answer.read().decode()
    with lab.bridge() as broker:
        counters = broker.counters()
    assert [float(value) for value in SAMPLE.findall(metrics)] == [counters.holds_granted]
    assert counters.holds_granted > 0
    assert counters.errors == 0
