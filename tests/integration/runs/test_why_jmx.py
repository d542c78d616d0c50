"""`insync why --jmx` on stock brokers, without any agent: stalls, a frozen broker, and none."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.kafka.ports import free_ports
from insync.faults.support.control import ControlFile, Site
from insync.faults.support.shim import preload, require_shim
from integration.lab import ALL, LAG, TOPIC, WITHIN_S, StartCluster, Writer, stalled_calls
from waiting import wait_for

SITES = {Site.READ: "read", Site.SEND: "send", Site.WRITE: "append: write"}


def why(cluster: LocalCluster, ports: dict[int, int]) -> dict[str, Any]:
    addresses = [f"--jmx={broker}=127.0.0.1:{port}" for broker, port in ports.items()]
    answers = insync_json(
        "why", "--bootstrap", cluster.bootstrap, "--seconds", "2", *addresses, codes=(0, 3)
    )
    (answer,) = answers["answers"]
    return dict(answer)


@pytest.mark.long
def test_stalls_of_a_stock_broker_are_named_over_jmx_and_a_frozen_one_is_a_gap(
    start: StartCluster, tmp_path: Path
) -> None:
    ports = dict(zip(ALL, free_ports(len(ALL)), strict=True))
    control = ControlFile.create(tmp_path / "stall", tmp_path, 4)
    extras = {
        broker: NodeExtras(
            flags=jmx_flags(port),
            environment=preload(require_shim(), tmp_path / "stall") if broker == 1 else {},
        )
        for broker, port in ports.items()
    }
    cluster = start(settings=LAG, extras=extras)
    create_topic(cluster.bootstrap, TOPIC, [ALL], {})
    writer = Writer({"bootstrap.servers": cluster.bootstrap}, TOPIC)
    with writer.writing():
        healthy = wait_for(lambda: why(cluster, ports), lambda now: not now["findings"], WITHIN_S)
        assert healthy["unread"] == []
        for site, named in SITES.items():
            with stalled_calls(control, site):
                answer = why(cluster, ports)
            (found,) = answer["findings"]
            assert (found["broker"], found["cause"], found["site"]) == (1, "disk", named), answer
            wait_for(lambda: why(cluster, ports), lambda now: not now["findings"], WITHIN_S)
        pid = cluster.nodes[2].pid
        os.kill(pid, signal.SIGSTOP)
        try:
            answer = why(cluster, ports)
        finally:
            os.kill(pid, signal.SIGCONT)
        assert 2 not in {each["broker"] for each in answer["findings"]}
        assert any("broker 2 did not answer over JMX" in each for each in answer["unread"])


def jmx_flags(port: int) -> list[str]:
    jmx = "-Dcom.sun.management.jmxremote"
    return [
        f"{jmx}.port={port}", f"{jmx}.rmi.port={port}", f"{jmx}.host=127.0.0.1",
        f"{jmx}.authenticate=false", f"{jmx}.ssl=false", "-Djava.rmi.server.hostname=127.0.0.1",
    ]  # fmt: skip
