"""Clients that may not replicate send fetches with ids of followers, under scope `request`."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from statistics import quantiles

import pytest
from confluent_kafka import KafkaError, Message, Producer

from insync.arms import REQUEST
from insync.brokers.cluster.node import AgentSpec
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from integration.lab import TOPIC, WITHIN_S, Lab, Program, repeated, stalled_read
from integration.production.forged import Forger, forging_process, topic_id
from integration.production.scram import as_client, create, prepare, with_scram
from waiting import wait_for

CONNECTIONS = 100
KEPT = 30
"""More objects than three brokers' fetchers need, fewer than one per forged connection."""
ROUNDS = 5
MOST_TIMES = 3.0
REFUSALS = "kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=Fetch,error=TOPIC_*,*"
OBJECT = re.compile(r"^\s*\d+:\s+(\d+)\s+\d+\s+insync\.core\.isr\.(\w+)(?:\s|$)", re.MULTILINE)


def objects(java: Java, pid: int) -> dict[str, int]:
    """Return how many live objects of each class of pending fetches a broker has."""
    found = subprocess.run(
        [java.home / "bin" / "jcmd", str(pid), "GC.class_histogram"],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    counts = {name: int(count) for count, name in OBJECT.findall(found)}
    assert counts["FetcherConnection"] >= 2, "of the followers"
    return counts


@pytest.mark.long
def test_forged_followers_are_refused_and_change_nothing(
    dist: Distribution, java: Java, tmp_path: Path, agent: AgentSpec, program: Program
) -> None:
    """They claim a real follower's id and others, with a newer broker epoch than any.

    Followers stay in the ISR while a read stalls, a frozen one leaves it, and nothing is left.
    """
    with with_scram(dist, tmp_path, agent, {}) as lab:
        admin = prepare(lab)
        create(lab, admin)
        broker_1 = lab.cluster.nodes[1]
        forged = (broker_1.port, topic_id(admin, TOPIC), [2, 3])
        with lab.writing(**as_client(lab)), lab.bridge() as broker:
            lab.switch(broker, REQUEST)
            with Forger(*forged, connections=CONNECTIONS) as forger:
                wait_for(lambda: forger.refused, lambda now: now > 2 * CONNECTIONS, WITHIN_S)
                with stalled_read(broker):
                    lab.stays_whole(2.5)
                lab.stays_whole(1.0)
                a_frozen_follower_leaves(lab)
                during = wait_for(
                    lambda: objects(java, broker_1.pid),
                    lambda now: now["FetcherConnection"] > KEPT,  # noted while they are open
                    WITHIN_S,
                )
                wait_for(lambda: forger.opened, lambda now: now > 5 * CONNECTIONS, WITHIN_S)
            assert not forger.others, "only refusals"
            assert not forger.broken
            assert max(during.values()) <= 3 * CONNECTIONS
            after = wait_for(
                lambda: objects(java, broker_1.pid),
                lambda now: max(now["FetcherConnection"], now["FollowerConnections"]) <= KEPT,
                WITHIN_S,
            )
            print(f"{forger.opened} connections, {forger.refused} refusals; objects {after}")
            counted = program("ReadMetrics", str(broker_1.pid), REFUSALS, "Count")
            assert int(counted.strip().rpartition("=")[2]) >= forger.refused
            lab.switch_off(broker)
            lab.check_step_down()


@pytest.mark.long
def test_hostile_requests_do_not_slow_producers_down(
    dist: Distribution, tmp_path: Path, agent: AgentSpec
) -> None:
    """The p99 of acks with forged fetches and a bridge under attack, beside that without, in turn.

    The bound is generous: clients and brokers share the processors of one machine.
    """
    quiet: list[float] = []
    hostile: list[float] = []
    refused = 0
    with with_scram(dist, tmp_path, agent, {}) as lab:
        admin = prepare(lab)
        create(lab, admin)
        server = (lab.cluster.nodes[1].port, topic_id(admin, TOPIC), [2, 3])
        with lab.bridge() as broker:
            lab.switch(broker, REQUEST)
            ack_times(lab, 2.0)
            for _ in range(ROUNDS):
                quiet += ack_times(lab, 4.0)
                with forging_process(*server, connections=50) as forged, intruder(agent) as tried:
                    hostile += ack_times(lab, 4.0)
                refused += forged["refused"]
                assert not forged["others"]
                assert len(tried) > 10
            assert broker.counters().errors == 0
            assert broker.counters().bridge_refused > 0
    assert refused > 50 * ROUNDS
    without, beside = (quantiles(times, n=100)[98] for times in (quiet, hostile))
    print(f"p99 of {len(quiet)} acks {1e3 * without:.1f} ms; of {len(hostile)} beside {refused}"
          f" forged fetches {1e3 * beside:.1f} ms: {beside / without:.2f} times")  # fmt: skip
    assert beside < MOST_TIMES * without


def ack_times(lab: Lab, seconds: float) -> list[float]:
    """Write for so long, 100 records a second; return how many seconds each ack took."""
    times: list[float] = []
    producer = Producer({**as_client(lab), "acks": "all", "linger.ms": 0, "log_level": 0})
    begins = time.monotonic()
    for number in range(int(100 * seconds)):
        while (left := begins + number / 100 - time.monotonic()) > 0:
            producer.poll(left)
        sent = time.monotonic()

        def acked(error: KafkaError | None, _: Message, sent: float = sent) -> None:
            assert error is None
            times.append(time.monotonic() - sent)

        producer.produce(TOPIC, b"x" * 100, partition=0, on_delivery=acked)
        producer.poll(0)
    assert producer.flush(WITHIN_S) == 0
    return times[10:]  # the first ones wait for the connection


@contextmanager
def intruder(agent: AgentSpec) -> Iterator[list[bytes]]:
    """Send wrong tokens and endless lines to broker 1's bridge; yields the answers so far."""
    fields = json.loads((agent.bridge_dir / "bridge-1.json").read_text())
    answers: list[bytes] = []
    lines = cycle((b"A\nguessed\n", b"x" * 4_096))

    def intrude() -> None:
        with socket.create_connection((fields["host"], fields["port"]), 30) as client:
            client.sendall(next(lines))
            try:
                answers.append(client.recv(100))
            except ConnectionError:
                answers.append(b"")

    with repeated(intrude, 0.05):
        yield answers


def a_frozen_follower_leaves(lab: Lab) -> None:
    """Freeze broker 3, in whose name fetches arrive all the time, until it is out of the ISR."""
    os.kill(lab.cluster.nodes[3].pid, signal.SIGSTOP)
    try:
        lab.await_isr([1, 2])
    finally:
        os.kill(lab.cluster.nodes[3].pid, signal.SIGCONT)
    lab.await_isr()
