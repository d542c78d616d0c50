"""Node ids are the same in every cluster, and nodes have readable names."""

from pathlib import Path

from insync.brokers.cluster.addresses import OnLoopback
from insync.brokers.cluster.plans import on_kraft
from insync.nodes import CONTROLLER_ID, node_words


def test_the_controller_has_the_same_id_in_every_cluster() -> None:
    for brokers in ([1], [1, 2]):
        first, *_ = on_kraft(Path("/runs/nodes"), brokers, {}, OnLoopback())
        assert (first.id, first.role) == (CONTROLLER_ID, "controller")


def test_a_node_is_named_by_its_role() -> None:
    assert (node_words(2), node_words(CONTROLLER_ID)) == ("broker 2", "the controller")
