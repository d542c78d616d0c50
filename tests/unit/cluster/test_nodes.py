"""Node ids are the same everywhere, and nodes have names for readers."""

from insync.brokers.cluster import properties
from insync.nodes import CONTROLLER_ID, node_words


def test_a_cluster_knows_its_controller_by_the_same_number() -> None:
    assert properties.CONTROLLER_ID == CONTROLLER_ID


def test_a_node_is_named_by_its_role() -> None:
    assert (node_words(2), node_words(CONTROLLER_ID)) == ("broker 2", "the controller")
