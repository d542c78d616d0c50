"""A run that is live of while it goes on: its events go to a Kafka topic as well.

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
from insync.run.arm_cluster import ArmCluster
from insync.run.plan import Plan
from insync.run.progress import Progress
from insync.run.publish.isr_tail import IsrTail
from insync.run.publish.publisher import Publisher
from insync.scenario.base import BROKERS
from insync.scenario.roles import ring

BOOTSTRAP: Final = "events-bootstrap"
"""The file among an arm's nodes that says how to get to its topic on their cluster."""
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")


@dataclass(frozen=True)
class LiveTopic:
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


def live_topic(plan: Plan) -> LiveTopic | None:
    """Return where a run that has its folder is live of, if it is."""
    topic = plan.request.events
    return None if topic is None else LiveTopic(topic, run_name(load_run(plan.out)))


def check_event_topic(topic: EventTopic) -> None:
    """Raise InputError unless a topic can be called so and, if it is elsewhere, is there."""
    if not _NAME.fullmatch(topic.name):
        raise InputError(f"--events-topic {topic.name!r}: expected letters, digits, '.', '_', '-'")
    if topic.bootstrap is not None:
        require_topic(topic.bootstrap, topic.name)


@contextmanager
def publish_events(
    live: LiveTopic | None, arm_cluster: ArmCluster, plan: Plan, progress: Progress
) -> Iterator[Callable[[str], Publish] | None]:
    """Yield what sends the lines of a file of the cluster's arm; None where nothing is live."""
    if live is None:
        yield None
        return
    at = live.topic.bootstrap or _own_topic(live.topic, arm_cluster)
    topics = [topic_name(plan.scenario.name, repeat) for repeat in range(plan.scenario.repeats)]
    with Publisher(live.topic, at, live.run) as publisher:
        publisher.run((plan.out / RUN).read_text(encoding="utf-8"))
        progress.phase(f"{arm_cluster.arm}: events go to {live.topic.name} at {at}")
        of_file = partial(publisher.file, arm_cluster.arm)
        with IsrTail(arm_cluster, topics, of_file(ISR)) as tail:
            yield of_file
    if publisher.dropped:
        progress.phase(
            f"{arm_cluster.arm}: {publisher.dropped} events did not get into {live.topic.name}"
        )
    if tail.failure is not None:
        progress.phase(
            f"{arm_cluster.arm}: {live.topic.name} lacks the last ISR changes: {tail.failure}"
        )


def publish_run(live: LiveTopic | None, plan: Plan) -> None:
    """Send the record of a run, if its topic is there before its clusters and after them."""
    if live is not None and live.topic.bootstrap is not None:
        with Publisher(live.topic, live.topic.bootstrap, live.run) as publisher:
            publisher.run((plan.out / RUN).read_text(encoding="utf-8"))


def _own_topic(topic: EventTopic, arm_cluster: ArmCluster) -> str:
    """Make the topic on the arm's cluster, a partition per broker; return how to get there."""
    at = arm_cluster.cluster.bootstrap
    (arm_cluster.home / BOOTSTRAP).write_text(at, encoding="utf-8")
    create_topic(at, topic.name, [ring(leader) for leader in range(1, BROKERS + 1)], {})
    return at
