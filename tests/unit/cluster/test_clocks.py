"""How far a clock is ahead follows from a time that was taken between two known moments."""

from hypothesis import given
from hypothesis import strategies as st

from insync.brokers.cluster.clocks import TOPIC, Clocks, Reading, created_ms
from insync.nodes import CONTROLLER_ID

NOW = 1_790_000_000_000.0


@given(
    st.floats(-1e6, 1e6, allow_nan=False), st.floats(0, 100), st.floats(0, 100), st.floats(0, 0.999)
)
def test_the_true_value_is_within_the_error(
    ahead: float, there: float, back: float, cut: float
) -> None:
    node = NOW + there + ahead
    found = Reading(asked_ms=NOW, node_ms=node - cut, answered_ms=NOW + there + back)
    assert abs(found.ahead_ms - ahead) <= found.error_ms + 1e-3


def test_the_controllers_clock_is_read_when_it_creates_the_topic() -> None:
    broker = Reading(NOW + 50, NOW + 51, NOW + 52)
    clocks = Clocks({1: broker}, NOW, NOW + 40)
    line = {"kind": "partition", "topic": TOPIC, "t_ms": NOW + 1_020}
    assert created_ms(line) == NOW + 1_020
    assert created_ms({**line, "topic": "other"}) is None
    assert created_ms({"kind": "broker", "topic": None, "t_ms": NOW}) is None
    found = clocks.of_nodes(created_ms(line))
    assert found[1] is broker
    assert found[CONTROLLER_ID].ahead_ms == 1_000.5
    assert found[CONTROLLER_ID].error_ms == 20.5
    assert clocks.of_nodes(None) == {1: broker}
