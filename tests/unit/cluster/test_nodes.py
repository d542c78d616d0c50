"""Node ids are the same in every cluster, and nodes have readable names."""

from insync.brokers.cluster import properties
from insync.nodes import CONTROLLER_ID, node_words


def test_the_controller_has_the_same_id_in_every_cluster() -> None:
    assert properties.CONTROLLER_ID == CONTROLLER_ID


def test_a_node_is_named_by_its_role() -> None:
    assert (node_words(2), node_words(CONTROLLER_ID)) == ("broker 2", "the controller")
