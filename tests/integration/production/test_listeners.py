"""Brokers with listeners as in production: TLS, one for replication, SASL/SCRAM with ACLs.

TLS has no sendfile: the network thread reads a response from the file and encrypts it. With ACLs no
one may do what none allows; the test's own looks and config updates are anonymous, and have theirs.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AclOperation

from insync.arms import READ, REQUEST, VIA
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, NodeExtras
from insync.brokers.cluster.ready import await_ready
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.faults.support.control import ControlFile, Mode, Site
from insync.faults.support.shim import preload, require_shim
from insync_bridge import BridgeClient
from integration.lab import (
    ALL,
    LAG,
    LAG_MS,
    STEP_DOWN,
    TOPIC,
    WITHIN_S,
    Lab,
    StartLab,
    rule,
    stalled_read,
)
from integration.production.scram import (
    CLUSTER,
    SETTINGS,
    SUPER,
    allow,
    as_client,
    create,
    prepare,
    with_scram,
)
from waiting import wait_for

PASSWORD = "for-a-test"  # of key stores that exist for one test
MEBIBYTE = 1 << 20
BURST_MIB = 1  # takes longer than a lag, and less than the eleven for which a follower is kept
PER_READ_MS = 150
"""One delayed read of 32 KiB in the network thread; a response of 1 MiB takes 32 of them."""
MOST_BY_HANDLERS = 8


def tls(java: Java, folder: Path) -> dict[str, str]:
    """Make one key for all nodes with keytool; return the settings of TLS with it everywhere."""
    stores = {"keystore": folder / "keys.p12", "truststore": folder / "trusted.p12"}
    certificate = folder / "node.pem"
    keytool = [str(java.home / "bin" / "keytool"), "-storepass", PASSWORD, "-alias", "node"]
    made = ["-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1",
            "-storetype", "PKCS12", "-keystore", str(stores["keystore"])]  # fmt: skip
    shown = ["-exportcert", "-rfc", "-keystore", str(stores["keystore"]), "-file", str(certificate)]
    trusted = ["-importcert", "-noprompt", "-storetype", "PKCS12", "-file", str(certificate),
               "-keystore", str(stores["truststore"])]  # fmt: skip
    for each in (made, shown, trusted):
        subprocess.run([*keytool, *each], check=True, capture_output=True, timeout=60)
    return {
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,REPLICATION:SSL,CONTROLLER:SSL",
        "ssl.client.auth": "required",
        "ssl.key.password": PASSWORD,
        **{f"ssl.{name}.location": str(path) for name, path in stores.items()},
        **{f"ssl.{name}.type": "PKCS12" for name in stores},
        **{f"ssl.{name}.password": PASSWORD for name in stores},
    }


@pytest.mark.long
def test_tls_between_all_nodes(start_lab: StartLab, java: Java, tmp_path: Path) -> None:
    with Links([]) as links:
        start_lab(links=links, settings={**LAG, **tls(java, tmp_path)}).check_all()


@pytest.mark.long
def test_with_tls_a_fetch_is_pending_until_its_last_byte_is_sent(
    start_lab: StartLab, java: Java, tmp_path: Path
) -> None:
    """The network thread is slow to read what it encrypts; the handlers' few reads are not.

    A mark of scope `read` ends before that, so stock and `read` remove the followers and `request`
    keeps them.
    """
    file = tmp_path / "stall"
    control = ControlFile.create(file, tmp_path / "nodes" / "1" / "data", 8)
    with Links([]) as links:
        lab = start_lab(
            configs={"segment.bytes": str(1 << 30)}, links=links,
            extras={1: NodeExtras(environment=preload(require_shim(), file))},
            settings={**LAG, **tls(java, tmp_path)},
        )  # fmt: skip
        sends = control.arm(rule(Site.SEND, Mode.HOLD))
        with lab.bridge() as broker:
            for scope in (None, READ):
                if scope is not None:
                    lab.switch(broker, scope)
                with slow_to_encrypt(lab, control):
                    lab.await_drop()
                lab.await_isr()
            lab.switch(broker, REQUEST)
            began = time.monotonic()
            with slow_to_encrypt(lab, control):
                while not all_have_all(broker):
                    assert lab.isr() == ALL
                    assert time.monotonic() < began + 2 * WITHIN_S, broker.replicas(TOPIC, 0)
                assert time.monotonic() - began > 2.5 * LAG_MS / 1_000
            lab.stays_whole(1.0)
            lab.switch_off(broker)
        assert control.counters(sends).calls == 0, "nothing was sent by sendfile"


@contextmanager
def slow_to_encrypt(lab: Lab, control: ControlFile) -> Iterator[None]:
    """Delay the leader's reads of the file, and write large records."""
    slot = control.arm(rule(Site.READ, Mode.DELAY, PER_READ_MS))
    producer = Producer({"bootstrap.servers": lab.cluster.bootstrap, "acks": "1"})
    for _ in range(BURST_MIB * 16):
        producer.produce(TOPIC, os.urandom(MEBIBYTE // 16), partition=0)
    assert producer.flush(WITHIN_S) == 0
    try:
        yield
    finally:
        control.lift(slot)
    assert control.counters(slot).calls > MOST_BY_HANDLERS, "the network thread read, too"


def all_have_all(leader: BridgeClient) -> bool:
    """Return whether every replica has all records that the leader has."""
    state = leader.replicas(TOPIC, 0)
    assert state is not None
    return {replica.leo for replica in state.replicas if not replica.is_leader} == {state.leo}


@pytest.mark.long
def test_brokers_that_are_super_users(dist: Distribution, tmp_path: Path, agent: AgentSpec) -> None:
    with with_scram(dist, tmp_path, agent, {}) as lab:
        create(lab, prepare(lab))
        lab.check_all(**as_client(lab))


@pytest.mark.long
def test_brokers_that_have_cluster_action_only(
    dist: Distribution, tmp_path: Path, agent: AgentSpec
) -> None:
    """They need no more: neither a controller with the agent nor a stock one, which fences.

    Broker 2 asks to be fenced, as under a controller without the agent.
    """
    extras = {2: NodeExtras(settings={VIA: "fence"})}
    with with_scram(dist, tmp_path, agent, extras) as lab:
        admin = prepare(lab)
        allow(admin, "broker", CLUSTER, AclOperation.CLUSTER_ACTION)
        without_super_users(lab.cluster)
        create(lab, admin)
        lab.check_all(**as_client(lab))
        with lab.bridge(2) as broker:
            lab.switch(broker, STEP_DOWN)
            with stalled_read(broker, f"{TOPIC}-1"):
                lab.await_other_leader(partition=1, than=2, asked=1)
            wait_for(lambda: broker.counters().step_downs.done, bool, WITHIN_S)
            answers = lab.events("step_down_answered", 2)
            (answer,) = [each for each in answers if each["partition"] == 1]
            assert (answer["outcome"], answer["way"]) == ("done", "fence")
            assert broker.counters().errors == 0


def without_super_users(cluster: LocalCluster) -> None:
    """Restart every node; the brokers' user is not a super user any more."""
    nodes = list(cluster.nodes)
    for number in nodes:
        cluster.kill(number)
        file = cluster.nodes[number].folder / "server.properties"
        text = file.read_text(encoding="ascii")
        assert f"{SUPER}={SETTINGS[SUPER]}\n" in text
        file.write_text(text.replace(";User:broker", ""), encoding="ascii")
    for number in nodes:
        cluster.restart(number)
    await_ready(tuple(cluster.nodes.values()), WITHIN_S)
