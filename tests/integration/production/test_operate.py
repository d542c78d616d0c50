"""The files of docs/operate on a running cluster, while a read of its leader is stalled."""

import json
import os
import re
import shutil
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from insync.arms import READ
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.kafka import process
from insync.brokers.kafka.ports import free_ports
from integration.lab import ALL, LAG, WITHIN_S, StartLab, stalled_read
from integration.production.jars import JMX_EXPORTER, OPENTELEMETRY, fetched
from waiting import wait_for

FILES = Path(__file__).parents[3] / "docs" / "operate"
DASHBOARD = json.loads((FILES / "dashboard.json").read_text(encoding="utf-8"))
QUERIES = [
    target["expr"].replace("$instance", ".*").replace("$__rate_interval", "10s")
    for panel in DASHBOARD["panels"]
    for target in panel.get("targets", ())
]
"""The queries of the dashboard with what Grafana would put in."""
METRIC = re.compile(r"metric: ([\w.]+)")
WITHOUT_AGENT = 3


class Prometheus:
    """A Prometheus that scrapes the brokers' exporters every second, with our alert rules."""

    def __init__(self, port: int, instances: dict[int, str]) -> None:
        self._port = port
        self.instances = instances

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the series that an expression has now; fails with its message."""
        words = urllib.parse.urlencode({"query": expression})
        address = f"http://127.0.0.1:{self._port}/api/v1/query?{words}"
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                found: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as refused:
            if refused.code == HTTPStatus.SERVICE_UNAVAILABLE:  # it still starts
                return []
            raise AssertionError(f"{expression}: {refused.read().decode()}") from None
        except OSError:  # it still starts
            return []
        return list(found["data"]["result"])

    def raised(self, alert: str, state: str = ".*") -> set[str]:
        """Return the instances for which an alert is pending or firing."""
        found = self.query(f'ALERTS{{alertname="{alert}",alertstate=~"{state}"}}')
        return {each["metric"]["instance"] for each in found}

    def await_some(self, expression: str) -> None:
        wait_for(lambda: (expression, self.query(expression)), lambda seen: bool(seen[1]), WITHIN_S)


@contextmanager
def prometheus(folder: Path, ports: dict[int, int]) -> Iterator[Prometheus]:
    """Run Prometheus for a block; it ends with it."""
    (own,) = free_ports(1)
    instances = {broker: f"127.0.0.1:{port}" for broker, port in ports.items()}
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(FILES / "alerts.yml")],
        "scrape_configs": [
            {"job_name": "kafka", "static_configs": [{"targets": list(instances.values())}]}
        ],
    }
    (folder / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    command = [
        "prometheus", f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{own}",
    ]  # fmt: skip
    running = process.start(
        command, log=folder / "prometheus.log", folder=folder, environment=dict(os.environ)
    )
    try:
        yield Prometheus(own, instances)
    finally:
        process.kill([running])


@pytest.mark.long
@pytest.mark.skipif(shutil.which("prometheus") is None, reason="prometheus is not installed")
def test_every_query_shows_a_stall_which_raises_alerts(start_lab: StartLab, tmp_path: Path) -> None:
    """Broker 1 stalls, broker 2 has the agent switched off, broker 3 has none."""
    exporter = fetched(JMX_EXPORTER)
    ports = dict(zip(ALL, free_ports(len(ALL)), strict=True))
    extras = {
        broker: NodeExtras(
            flags=[f"-javaagent:{exporter}=127.0.0.1:{port}:{FILES / 'jmx-exporter.yml'}"]
        )
        for broker, port in ports.items()
    }
    woven = {"nodes": set(ALL) - {WITHOUT_AGENT}}
    lab = start_lab(agent_options=woven, settings=LAG, extras=extras)
    with prometheus(tmp_path, ports) as seen, lab.bridge() as broker, lab.writing():
        wait_for(lambda: len(seen.query('up{job="kafka"} == 1')), lambda up: up == 3, WITHIN_S)
        lab.switch(broker, READ)
        with stalled_read(broker):
            first = seen.instances[1]
            seen.await_some(f'insync_pending_reads_heldfollowers{{instance="{first}"}} > 0')
            wait_for(lambda: seen.raised("InsyncLeaderSlow"), lambda at: first in at, WITHIN_S)
            wait_for(
                lambda: seen.raised("InsyncAgentVoid"),
                lambda at: at == {seen.instances[2]},
                WITHIN_S,
            )
            assert seen.raised("InsyncAgentMissing") == {seen.instances[WITHOUT_AGENT]}
        for expression in QUERIES:
            seen.await_some(expression)


@pytest.mark.long
def test_opentelemetrys_rules_find_every_metric_that_they_name(start_lab: StartLab) -> None:
    (port,) = free_ports(1)
    flags = [
        f"-javaagent:{fetched(OPENTELEMETRY)}", f"-Dotel.jmx.config={FILES / 'otel-jmx.yml'}",
        "-Dotel.metrics.exporter=prometheus", f"-Dotel.exporter.prometheus.port={port}",
        "-Dotel.traces.exporter=none", "-Dotel.logs.exporter=none", "-Xmx512m",
    ]  # fmt: skip
    lab = start_lab(extras={1: NodeExtras(flags=flags)})

    def missing() -> list[str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            said = answer.read().decode()
        names = [name.replace(".", "_") for name in METRIC.findall(rules)]
        return [name for name in names if not re.search(rf"^{name}", said, re.MULTILINE)]

    rules = (FILES / "otel-jmx.yml").read_text(encoding="utf-8")
    with lab.bridge() as broker, lab.writing():
        lab.switch(broker, READ)
        with stalled_read(broker):
            wait_for(lambda: broker.counters().held_now, bool, WITHIN_S)
            wait_for(missing, lambda names: not names, WITHIN_S)
