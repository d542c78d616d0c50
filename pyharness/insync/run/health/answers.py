"""Ask every broker for something that waits for no record, to record for how long it answers none.

When clients have no acks, their link may be cut, or the broker's request handlers may all hang, or
its appends alone. A broker answers by the clients' way in the third case only, and past the links'
proxies in the first one, too.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from insync.background import Background
from insync.brokers.kafka import metadata, wire
from insync.brokers.kafka.framed import exchange
from insync.events.schema import AnswerLine, Got, Way, now_ms
from insync.run.context import ArmContext

EVERY_SECONDS: Final = 0.5
GIVE_UP_SECONDS: Final = 1.0
"""So long a request waits, and so long the end of a repeat may wait for it."""


class Answers(Background):
    """Asks one broker again and again while the `with` block runs, and records what came."""

    def __init__(self, context: ArmContext, repeat: int, broker: int, way: Way, port: int) -> None:
        """Plan to ask the broker at a port of this host."""
        super().__init__(f"insync-answers-{broker}-{way}", EVERY_SECONDS)
        self._context = context
        self._repeat = repeat
        self._broker = broker
        self._way = way
        self._port = port

    def _step(self) -> None:
        asked_ms, asked = now_ms(), time.monotonic()
        got = ask(self._port, GIVE_UP_SECONDS)
        self._context.files.answers.write(
            AnswerLine(
                arm=self._context.arm, repeat=self._repeat, t_ms=asked_ms, broker=self._broker,
                way=self._way, waited_ms=(time.monotonic() - asked) * 1_000, got=got,
            )
        )  # fmt: skip


def ask(port: int, seconds: float) -> Got:
    """Ask the broker at a port of this host for its brokers; return what came in time."""
    try:
        connection = wire.connect(port, seconds)
    except OSError:
        return "no connection"
    with connection:
        try:
            exchange(connection, metadata.request(None))
        except OSError:
            return "no answer"
    return "answer"


@contextmanager
def watched_answers(context: ArmContext, repeat: int) -> Iterator[None]:
    """Ask the brokers while the block runs: those that insync started, and no others."""
    with ExitStack() as running:
        for broker, way, port in _places(context):
            running.enter_context(Answers(context, repeat, broker, way, port))
        yield


def _places(context: ArmContext) -> Iterator[tuple[int, Way, int]]:
    """Yield each broker with its ways and their ports."""
    nodes, links = context.arm_cluster.cluster.nodes, context.arm_cluster.links
    proxies = {} if links is None else links.clients
    for broker in context.arm_cluster.brokers:
        if broker in proxies:
            yield broker, "clients", proxies[broker][1]
            yield broker, "direct", nodes[broker].port
        elif broker in nodes:
            yield broker, "clients", nodes[broker].port
