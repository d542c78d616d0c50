"""What an operator sees of the agent: Kafka's metrics over JMX, and lines in the broker's log."""

import re

import pytest

from insync.arms import FEATURE, PROCESS_TIME, SCOPE
from insync.workload.prefill import burst
from integration.lab import LAG, TOPIC, Lab, Program, StartLab, stalled_read
from waiting import wait_for

PENDING = "kafka.server:type=PendingReads"


def of_1(kind: str) -> tuple[str, ...]:
    return ("--entity-type", kind, "--entity-name", "1", "--add-config")


def lines(lab: Lab, logger: str, node: int = 1) -> list[str]:
    """Return the lines that a logger wrote, without their time; the level is the first word."""
    ends = f" ({logger})"
    return [line.partition(" ")[2] for line in lab.log(node).splitlines() if line.endswith(ends)]


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.9.2", "4.3.1"])
def test_a_hold_and_a_step_down_are_seen_in_metrics_and_logs(
    start_lab: StartLab, program: Program, kafka: str
) -> None:
    """The read for one follower stalls: it is held. Then T is set, and the leader steps down."""
    lab = start_lab(kafka=kafka, settings={**LAG, FEATURE: "true", SCOPE: "request"})
    (begun,) = lines(lab, "Agent")
    assert f"runs in Kafka {kafka}. KIP-501: solution 1 is on, scope request;" in begun
    assert "solution 2 is off." in begun

    with lab.bridge() as broker:
        with stalled_read(broker):
            burst(lab.cluster.bootstrap, TOPIC, 0, 1, record_bytes=10)
            held = wait_for(lambda: lines(lab, "PendingReads"), lambda seen: len(seen) == 1)
            assert re.match(r"INFO \[Partition t-0\] Follower [23] stays in the ISR", held[0]), held
            assert "(site read)" in held[0]
            wait_for(
                lambda: lab.jmx(program, f"{PENDING},name=HeldFollowers", "Value"),
                lambda seen: list(seen.values()) == ["1"],
            )
            granted = lab.jmx(program, f"{PENDING},name=HoldsGrantedPerSec,*", "Count")
            assert sorted(granted.values()) == ["0", "0", "0", "1", "1"], granted
            changed = lab.configs(*of_1("broker-loggers"), "insync.PendingReads=WARN")
            assert "Completed updating" in changed, changed
        wait_for(lambda: broker.counters().held_now, lambda now: now == 0)

        lab.configs(*of_1("brokers"), f"{PROCESS_TIME}=500")
        wait_for(lambda: lines(lab, "Agent"), lambda seen: "T 500 ms" in seen[-1])
        with stalled_read(broker):
            lab.await_other_leader()
        assert broker.counters().errors == 0
    assert len(lines(lab, "PendingReads")) == 1, "INFO is off since the update"

    told = wait_for(lambda: lines(lab, "StepDown"), lambda seen: len(seen) >= 2)
    assert "This leader steps down (reason slow_fetch, leader epoch 0, " in told[0], told
    assert "is done after" in told[1], told
    controller = lab.cluster.controllers[0].id
    (line,) = lines(lab, "Controller", controller)
    assert "Leader 1 steps down in leader epoch 0 (reason slow_fetch): broker " in line
    for domain, node in {"kafka.server": 1, "kafka.controller": controller}.items():
        name = f"{domain}:name=StepDownsPerSec,reason=slow_fetch,type=StepDown"
        wait_for(
            lambda name=name, node=node: lab.jmx(program, name, "Count", node),
            lambda seen, name=name: seen == {name: "1"},
        )
