"""Wait until a cluster is ready for a repeat: full ISRs, warm brokers, no step-down pending."""

import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import KafkaException

from insync import arms
from insync.brokers.cluster.admin import await_state, client, create_topic
from insync.brokers.kafka.metadata import State
from insync.errors import InsyncError
from insync.nodes import BROKERS
from insync.run.agents import asking
from insync.run.context import ArmContext
from insync.run.watch import Watch
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


HEALED_SECONDS: Final = 60.0
EVERYONE: Final = list(range(1, BROKERS + 1))


def await_full_isr(bootstrap: str, topic: str, check: Callable[[], None]) -> None:
    """Wait until every broker, asked by itself, shows every partition wholly in sync.

    `check` is called while it waits and may raise. Raises InsyncError with the last state seen.
    """
    last = await_state(bootstrap, topic, _healed, time.monotonic() + HEALED_SECONDS, check)
    if last is not None:
        raise InsyncError(f"topic {topic}: not healed: {last}")


def _healed(state: State) -> bool:
    return bool(state) and all(isr == EVERYONE for _, isr in state.values())
