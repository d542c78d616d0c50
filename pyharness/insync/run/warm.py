"""What stands before the first repeat where leaders may step down: brokers that are warm, and calm.

The first fetches and appends of a broker that has just started take longer than later ones, and
a leader's time for a fetch may be shorter than that. Then it gives partitions away before the
fault, and is taken for slow for a while after.
"""

import time
from typing import Final

from confluent_kafka import KafkaException

from insync import arms
from insync.brokers.cluster.admin import client, create_topic
from insync.errors import InsyncError
from insync.run.bridges import asking
from insync.run.context import ArmContext
from insync.run.watch import Watch
from insync.scenario.base import BROKERS
from insync.scenario.roles import ring
from insync.workload.prefill import prefill

TOPIC: Final = "warm-up"
ROUNDS: Final = 30
ANSWER_SECONDS: Final = 20.0
CALM_SECONDS: Final = 120.0
LOOK_SECONDS: Final = 0.1


def warm_up(context: ArmContext, watch: Watch) -> None:
    """Let every broker lead and follow for a while, if the scenario has a time for fetches.

    In every arm alike. Raises InsyncError if the brokers do not serve.
    """
    if context.plan.scenario.broker.leader_fetch_process_time_max_ms is None:
        return
    watch.phase(f"{context.arm}: warming the brokers up")
    leaders = range(1, BROKERS + 1)
    create_topic(context.bootstrap, TOPIC, [ring(leader) for leader in leaders], {})
    for _ in range(ROUNDS):
        prefill(context.bootstrap, TOPIC, range(BROKERS), ANSWER_SECONDS)
    admin = client(context.bootstrap)
    try:
        admin.delete_topics([TOPIC])[TOPIC].result(ANSWER_SECONDS)
    except KafkaException as error:
        raise InsyncError(f"topic {TOPIC}: not deleted: {error.args[0].str()}") from error


def await_calm(context: ArmContext) -> None:
    """Wait until no broker takes itself or a peer for slow, where leaders may step down.

    Raises InsyncError with the last state seen if that takes longer than CALM_SECONDS.
    """
    if not arms.steps_down(context.arm):
        return
    until = time.monotonic() + CALM_SECONDS
    for broker in range(1, BROKERS + 1):
        while (slow := _slow(context, broker)) is not None:
            if time.monotonic() > until:
                raise InsyncError(f"broker {broker}: not calm in {CALM_SECONDS:.0f} s: {slow}")
            context.stage.check_nodes()
            time.sleep(LOOK_SECONDS)


def _slow(context: ArmContext, broker: int) -> str | None:
    """Say how slow a broker takes itself and its peers for, None if not at all."""
    with asking(context.stage.bridge, broker) as client:
        seen = client.counters().step_downs
    if seen.slow_score == 0 and seen.slow_peers == 0:
        return None
    return f"its score is {seen.slow_score:g}, slow peers {seen.slow_peers}"
