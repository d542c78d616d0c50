"""OpenTelemetry's agent and Prometheus' JMX exporter in the same broker, before and after ours."""

import re
import urllib.request
from pathlib import Path

import pytest

from insync.brokers.cluster.node import NodeExtras
from insync.brokers.kafka.ports import free_ports
from integration.lab import StartLab
from integration.production.jars import JMX_EXPORTER, OPENTELEMETRY, fetched

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
