"""Asks a running cluster of stock brokers: its metadata, and each broker's JMX port, twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from confluent_kafka import KafkaException

from insync.errors import InputError
from insync.why.answer import Answer
from insync.why.facts import Partition
from insync.why.jmx.sampled import Out, answer_of_samples
from insync.why.jmx.samples import take, targets_of
from insync.why.rules import DEFAULT, Rules

_ANSWER_WITHIN_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """The brokers that the cluster's metadata lists, and the replicas that are out of an ISR."""

    brokers: tuple[int, ...]
    out: tuple[Out, ...]


def answers(
    bootstrap: str, jmx: Sequence[str], seconds: float, rules: Rules = DEFAULT
) -> list[Answer]:
    """Return the answer about a cluster now, of two samples that are some seconds apart.

    Raises InputError for addresses of another form, or if no broker answers the bootstrap.
    """
    targets = targets_of(jmx)
    if seconds <= 0:
        raise InputError(f"--seconds {seconds:g}: expected more than 0")
    first, second = take(targets, seconds)
    cluster = _cluster(bootstrap)
    return [answer_of_samples(first, second, cluster.brokers, cluster.out, rules)]


def _cluster(bootstrap: str) -> Cluster:
    from insync.brokers.cluster.admin import client

    try:
        found = client(bootstrap).list_topics(timeout=_ANSWER_WITHIN_S)
    except KafkaException as error:
        why = error.args[0].str()
        raise InputError(f"{bootstrap}: no answer ({why}), expected HOST:PORT of brokers") from None
    out = [
        Out(leader=each.leader, follower=replica, partition=Partition(name, number))
        for name, topic in found.topics.items()
        for number, each in topic.partitions.items()
        for replica in each.replicas
        if replica not in each.isrs
    ]
    return Cluster(tuple(found.brokers), tuple(out))
