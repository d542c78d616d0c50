"""Clusters of containers start soon, are isolated and limited, and leave nothing behind."""

import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import docker
import pytest

from fault_runs import planned, running
from host_base import host_base
from insync.brokers.cluster.admin import create_topic, partitions
from insync.brokers.cluster.containers import ContainerCluster
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.brokers.docker import process as docker_process
from insync.brokers.docker.process import ContainerProcess
from insync.brokers.images.image import Image, build, prepare
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.resolve import distribution
from insync.errors import InputError, InsyncError
from insync.workload.prefill import prefill
from processes import gone, harness
from waiting import wait_for

Engine = docker.DockerClient
QUICK = {"broker.session.timeout.ms": "2000", "broker.heartbeat.interval.ms": "200"}
HARNESS = """
import pathlib, sys, time
from insync.brokers.cluster.containers import ContainerCluster
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.resolve import distribution
dist = distribution(sys.argv[2], find_java())
with ContainerCluster(dist, pathlib.Path(sys.argv[1]), brokers=1) as cluster:
    print(*(node.pid for node in cluster.nodes.values()), flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def cluster(
    image: Image, dist: Distribution, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ContainerCluster]:
    """Start the cluster that most tests here use; each test leaves it with a full ISR."""
    home = tmp_path_factory.mktemp("cluster")
    made = ContainerCluster(dist, home / "nodes", settings=QUICK, image=image)
    with made:
        create_topic(made.bootstrap, "events", [[1, 2, 3]], {"min.insync.replicas": "2"})
        yield made


def ours(engine: Engine) -> set[str]:
    """Return the names of all containers and networks that carry our label."""
    marked = {"label": docker_process.OWNER}
    containers = engine.containers.list(all=True, filters=marked, ignore_removed=True)
    return {each.name for each in (*containers, *engine.networks.list(filters=marked))}


def container_of(engine: Engine, cluster: ContainerCluster, number: int) -> Any:
    (found,) = (
        each
        for each in engine.containers.list(filters={"label": docker_process.OWNER})
        if each.attrs["State"]["Pid"] == cluster.nodes[number].pid
    )
    return found


def test_clients_of_this_host_are_served(cluster: ContainerCluster) -> None:
    for server in cluster.bootstrap.split(","):
        assert partitions(server, "events") == {0: (1, [1, 2, 3])}
    prefill(cluster.bootstrap, "events", range(1), 20)
    assert (cluster.nodes[3].data_dir / "events-0").is_dir()


def test_only_this_host_and_its_network_reach_it(engine: Engine, cluster: ContainerCluster) -> None:
    for number, node in cluster.nodes.items():
        settings = container_of(engine, cluster, number).attrs["NetworkSettings"]
        published = [each for ports in settings["Ports"].values() for each in ports or ()]
        assert published == [{"HostIp": "127.0.0.1", "HostPort": str(node.port)}]
        (network,) = settings["Networks"]
        assert engine.networks.get(network).attrs["Driver"] == "bridge"


def test_it_has_its_limits_and_no_privileges(engine: Engine, cluster: ContainerCluster) -> None:
    for number, node in cluster.nodes.items():
        host = container_of(engine, cluster, number).attrs["HostConfig"]
        assert (host["Memory"], host["MemorySwap"]) == (512 << 20, 512 << 20)
        assert not host["Privileged"]
        status = Path(f"/proc/{node.pid}/status").read_text()
        uids = re.findall(r"^Uid:\s+(\d+)\s+(\d+)", status, re.MULTILINE)[0]
        assert "0" not in uids
        assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE)


def test_its_log_equals_the_engines_log(engine: Engine, cluster: ContainerCluster) -> None:
    container = container_of(engine, cluster, 2)
    wait_for(lambda: cluster.nodes[2].log.read_bytes(), lambda log: log == container.logs())


def test_a_killed_broker_comes_back_with_its_data(cluster: ContainerCluster) -> None:
    old = cluster.nodes[3]
    before = wait_for(lambda: segments(old.data_dir), bool)
    cluster.kill(3)
    assert old.process.poll() == -signal.SIGKILL
    cluster.restart(3)
    new = cluster.nodes[3]
    assert new.pid != old.pid
    assert (new.port, new.folder) == (old.port, old.folder)
    assert before <= segments(new.data_dir)
    for node in (cluster.nodes[number] for number in (1, 2, 3)):
        await_whole(node.port)
    # Docker's log comes a moment later.
    started = "Kafka Server started"
    wait_for(lambda: new.log.read_text(encoding="utf-8").count(started), lambda times: times == 2)


def segments(folder: Path) -> set[str]:
    return {path.name for path in (folder / "events-0").glob("*.log")}


def await_whole(port: int) -> None:
    """Wait until the broker at a port shows the topic led by broker 1 with a full ISR."""
    own = f"127.0.0.1:{port}"
    wait_for(lambda: partitions(own, "events"), lambda state: state == {0: (1, [1, 2, 3])})


def test_a_paused_broker_gets_no_cpu(cluster: ContainerCluster) -> None:
    fault = planned(running(cluster), "freeze", broker=2)
    fault.inject()
    with pytest.raises(OSError, match="timed out"):
        ask(cluster.nodes[2].port, within_s=1.0)
    fault.lift()
    line = fault.evidence()
    assert line.acted_ms is not None
    assert line.acted_ms >= 1000
    assert line.figures == {"cpu_ms": 0.0}
    ask(cluster.nodes[2].port, within_s=60.0)


def ask(port: int, within_s: float) -> None:
    """Ask a broker for the versions it speaks; OSError without an answer in time."""
    with socket.create_connection(("127.0.0.1", port), timeout=within_s) as broker:
        broker.sendall(bytes.fromhex("0000000b 0012 0000 00000001 0001 78"))
        assert len(broker.recv(4)) == 4


def test_a_stopped_cluster_leaves_only_folders(
    engine: Engine, image: Image, dist: Distribution, tmp_path: Path
) -> None:
    before = ours(engine)
    with pytest.raises(KeyboardInterrupt), cluster_of_one(dist, tmp_path, image) as cluster:
        pids = {node.pid for node in cluster.nodes.values()}
        process = cluster.nodes[1].process
        assert isinstance(process, ContainerProcess)
        process.pause()  # a paused one is killed as well
        raise KeyboardInterrupt
    assert ours(engine) == before
    assert all(map(gone, pids))
    assert all(node.process.poll() == -signal.SIGKILL for node in cluster.nodes.values())
    assert "started" in cluster.controllers[0].log.read_text(encoding="utf-8")
    assert any(line["kind"] == "broker" for line in isr_events(cluster, dist, "stock"))
    cluster.stop()
    cluster.remove_data()
    left = sorted(path.name for path in cluster.nodes[1].folder.iterdir())
    assert left == ["server.properties", "stdout.log"]


def test_a_start_that_is_interrupted_leaves_nothing(
    engine: Engine, image: Image, dist: Distribution, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    before = ours(engine)
    interrupt = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("insync.brokers.cluster.common.await_ready", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cluster_of_one(dist, tmp_path, image).__enter__()
    assert ours(engine) == before


def cluster_of_one(
    dist: Distribution, folder: Path, image: Image, **options: Any
) -> ContainerCluster:
    return ContainerCluster(dist, folder / "nodes", brokers=1, image=image, **options)


def test_leftovers_of_a_killed_harness_are_removed_and_their_logs_saved(
    engine: Engine, image: Image, dist: Distribution, tmp_path: Path
) -> None:
    before = ours(engine)
    with harness(HARNESS, str(tmp_path), dist.version) as (process, pids):
        docker_process.sweep(engine)
        assert len(ours(engine) - before) == 3, "two containers and their network are alive"
        process.kill()
    assert not any(map(gone, pids))
    log = tmp_path / "1" / "stdout.log"
    log.unlink()
    docker_process.sweep(engine)
    assert ours(engine) == before
    assert "started" in log.read_text(encoding="utf-8")
    docker_process.sweep(engine)


def test_a_node_that_dies_at_its_start_is_reported_with_its_own_error(
    engine: Engine, image: Image, dist: Distribution, tmp_path: Path
) -> None:
    before = ours(engine)
    settings = {"replica.lag.time.max.ms": "soon"}
    with pytest.raises(
        InsyncError, match=r"ended with 1 while it started: .*Invalid value soon"
    ) as error:
        cluster_of_one(dist, tmp_path, image, settings=settings).__enter__()
    assert "\n" not in str(error.value)
    assert ours(engine) == before


def test_a_node_that_exceeds_its_memory_limit_is_reported(
    image: Image, dist: Distribution, tmp_path: Path
) -> None:
    with pytest.raises(InsyncError, match="by the kernel: used more than its 48 MiB of memory"):
        cluster_of_one(dist, tmp_path, image, memory_mib=48).__enter__()


def test_a_folder_that_docker_cannot_take(image: Image, dist: Distribution, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has a colon"):
        cluster_of_one(dist, tmp_path / "with:colon", image)


def test_an_image_that_does_not_run_is_one_line(
    engine: Engine, image: Image, dist: Distribution, tmp_path: Path
) -> None:
    before = ours(engine)
    broken = Image(image.tag, Path("/no/java"), image.jars, image.cds)
    with pytest.raises(InsyncError, match=r"^controller 100: docker: .*/no/java") as error:
        cluster_of_one(dist, tmp_path, broken).__enter__()
    assert "\n" not in str(error.value)
    assert ours(engine) == before


@pytest.mark.long
def test_brokers_on_zookeeper(engine: Engine, tmp_path: Path) -> None:
    old = distribution("2.8.2", find_java())
    build(engine, old, prepare(engine, host_base(engine), print), print)
    with ContainerCluster(old, tmp_path / "nodes", settings=QUICK) as cluster:
        create_topic(cluster.bootstrap, "events", [[1, 2, 3]], {})
        prefill(cluster.bootstrap, "events", range(1), 10)
        cluster.kill(3)
        cluster.restart(3)
        await_whole(cluster.nodes[3].port)
    lines = list(isr_events(cluster, old, "stock"))
    assert {line["broker"] for line in lines if line["fenced"] is False} == {1, 2, 3}
