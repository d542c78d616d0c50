"""A run that is told of while it goes on: its events go to a Kafka topic as well.

The topic is on the cluster that the run starts, anew for each arm and gone with it, or on
another one, where it must be. What brokers and controller leave in their logs is read when they
have stopped, and is in the files only; the controller's ISR changes are sent on (`IsrTail`).
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from insync import arms
from insync.brokers.cluster.admin import create_topic, require_topic
from insync.errors import InputError
from insync.events.run_info import load_run, run_name
from insync.events.schema import ISR, RUN, topic_name
from insync.events.topic import EventTopic, origin
from insync.events.writer import Publish
from insync.nodes import BROKERS
from insync.run.plan import Plan
from insync.run.publish.isr_tail import IsrTail
from insync.run.publish.publisher import Publisher
from insync.run.stage import Stage
from insync.run.watch import Watch
from insync.scenario.roles import ring

BOOTSTRAP: Final = "events-bootstrap"
"""The file among an arm's nodes that says how to get to its topic on their cluster."""
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")


@dataclass(frozen=True)
class Live:
    """A run's topic, and the run's name in it."""

    topic: EventTopic
    run: str

    def settings(self, arm: str) -> dict[str, str]:
        """Return what every node's server.properties needs for the agents of an arm."""
        if not arms.has_agent(arm):
            return {}
        settings = {
            "insync.events.topic": self.topic.name,
            "insync.events.origin": origin(self.run, arm),
        }
        if self.topic.bootstrap is not None:
            settings["insync.events.bootstrap"] = self.topic.bootstrap
        return settings


def live(plan: Plan) -> Live | None:
    """Return where a run that has its folder is told of, if it is."""
    topic = plan.request.events
    return None if topic is None else Live(topic, run_name(load_run(plan.out)))


def require_place(topic: EventTopic) -> None:
    """Raise InputError unless a topic can be called so and, if it is elsewhere, is there."""
    if not _NAME.fullmatch(topic.name):
        raise InputError(f"--events-topic {topic.name!r}: expected letters, digits, '.', '_', '-'")
    if topic.bootstrap is not None:
        require_topic(topic.bootstrap, topic.name)


@contextmanager
def told_live(
    told: Live | None, stage: Stage, plan: Plan, watch: Watch
) -> Iterator[Callable[[str], Publish] | None]:
    """Yield what sends the lines of a file of the stage's arm; None where nothing is told."""
    if told is None:
        yield None
        return
    at = told.topic.bootstrap or _own_topic(told.topic, stage)
    topics = [topic_name(plan.scenario.name, repeat) for repeat in range(plan.scenario.repeats)]
    with Publisher(told.topic, at, told.run) as publisher:
        publisher.run((plan.out / RUN).read_text(encoding="utf-8"))
        watch.phase(f"{stage.arm}: events go to {told.topic.name} at {at}")
        of_file = partial(publisher.file, stage.arm)
        with IsrTail(stage, topics, of_file(ISR)) as tail:
            yield of_file
    if publisher.dropped:
        watch.phase(f"{stage.arm}: {publisher.dropped} events did not get into {told.topic.name}")
    if tail.failure is not None:
        watch.phase(f"{stage.arm}: {told.topic.name} lacks the last ISR changes: {tail.failure}")


def tell_run(told: Live | None, plan: Plan) -> None:
    """Send the record of a run, if its topic is there before its clusters and after them."""
    if told is not None and told.topic.bootstrap is not None:
        with Publisher(told.topic, told.topic.bootstrap, told.run) as publisher:
            publisher.run((plan.out / RUN).read_text(encoding="utf-8"))


def _own_topic(topic: EventTopic, stage: Stage) -> str:
    """Make the topic on the arm's cluster, a partition per broker; return how to get there."""
    at = stage.cluster.bootstrap
    (stage.home / BOOTSTRAP).write_text(at, encoding="utf-8")
    create_topic(at, topic.name, [ring(leader) for leader in range(1, BROKERS + 1)], {})
    return at
