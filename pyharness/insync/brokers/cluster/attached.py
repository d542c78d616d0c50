"""A cluster that insync did not start: its addresses and its brokers, and nothing of its nodes."""

from collections.abc import Sequence

from confluent_kafka import KafkaException

from insync.brokers.cluster.admin import ANSWERS_WITHIN_S, client, configs_of
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.node import Node, NodePlan
from insync.errors import InputError, InsyncError


class AttachedCluster(NodeCluster):
    """A running cluster; entering and leaving the `with` block changes nothing of it."""

    def __init__(self, bootstrap: str) -> None:
        """Name the brokers by their addresses; nothing is connected yet."""
        self._addresses_of_brokers = bootstrap
        self.nodes: dict[int, Node] = {}

    @property
    def bootstrap(self) -> str:
        """The addresses that the user named."""
        return self._addresses_of_brokers

    @property
    def client_bootstrap(self) -> str:
        """The same: no client's link can be broken."""
        return self._addresses_of_brokers

    def _start(self) -> None:
        """Do nothing: it runs."""

    def stop(self) -> None:
        """Do nothing: it goes on."""

    def kill(self, number: int) -> None:
        """Refuse."""
        raise InsyncError(f"broker {number}: insync did not start it, so it does not kill it")

    def restart(self, number: int) -> None:
        """Refuse."""
        raise InsyncError(f"broker {number}: insync did not start it, so it does not restart it")

    def _run(self, plan: NodePlan) -> Node:
        raise InsyncError(f"node {plan.id}: insync does not start nodes of this cluster")


def broker_ids(bootstrap: str) -> list[int]:
    """Return the ids of a cluster's brokers, in order; raises InputError without an answer."""
    try:
        return sorted(client(bootstrap).list_topics(timeout=ANSWERS_WITHIN_S).brokers)
    except KafkaException as error:
        why = error.args[0].str()
        raise InputError(
            f"--bootstrap {bootstrap}: no answer ({why}), expected HOST:PORT of brokers with a"
            " plaintext listener"
        ) from None


def setting_of(bootstrap: str, broker: int, name: str) -> str | None:
    """Return a config of a broker by its own answer; None if it does not tell it."""
    try:
        entries = configs_of(bootstrap, broker)
    except InsyncError as error:
        raise InputError(f"--bootstrap {bootstrap}: {error}") from error
    return entries[name].value if name in entries else None


def delete_groups(bootstrap: str, groups: Sequence[str]) -> None:
    """Delete consumer groups without members; one that cannot be deleted expires by itself."""
    admin = client(bootstrap)
    for answer in admin.delete_consumer_groups(list(groups)).values():
        try:
            answer.result(timeout=ANSWERS_WITHIN_S)
        except (KafkaException, TimeoutError):
            continue
