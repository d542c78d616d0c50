"""Brokers whose replication has its own listener: both scopes, step-down, and what TLS changes.

TLS has no sendfile: the network thread reads a response from the file and encrypts it.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Producer

from insync.arms import READ, REQUEST
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.kafka.java import Java
from insync.faults.support.control import ControlFile, Mode, Site
from insync.faults.support.shim import preload, require_shim
from insync_bridge import BridgeClient
from integration.lab import ALL, LAG, LAG_MS, TOPIC, WITHIN_S, Lab, StartLab, rule

PASSWORD = "for-a-test"  # of key stores that exist for one test
MEBIBYTE = 1 << 20
BURST_MIB = 4
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
