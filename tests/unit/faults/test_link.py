"""Broken links: what shows that a cut, a delay, a limit or a loss acted, in which direction."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from fault_runs import planned
from insync.brokers.cluster.links.rules import Passed
from insync.brokers.kafka.versions import pinned
from insync.errors import InputError
from insync.faults.base import Fault
from insync.nodes import ACTIVE_CONTROLLER, CLIENTS, CONTROLLER_ID
from insync.run.requirements import require_version
from insync.scenario.load import parse
from unit.faults.evidence import acted, alone


def links_of(came: dict[tuple[int, int], Passed], *controllers: int) -> Mock:
    """Return links that carried this, by sender and receiver."""
    return Mock(controllers=controllers, passed=lambda *way: came.get(way, Passed()))


KEYS: dict[str, dict[str, float]] = {
    "delay": {"delay_ms": 50}, "slow": {"bytes_per_s": 9}, "loss": {"loss_percent": 1.0},
}  # fmt: skip


def fault(links: Mock, mode: str = "cut", **keys: Any) -> Fault[Any]:
    """Break the link from broker 1 to broker 2."""
    keys = {"mode": mode, **KEYS.get(mode, {}), **keys}
    return planned(SimpleNamespace(proxies=links), "link", repeat=3, peer=2, **keys)


@pytest.mark.parametrize(
    ("mode", "came", "acts"),
    [
        ("cut", Passed(in_hand=9), True),
        ("cut", Passed(bytes_dropped=9), True),
        ("cut", Passed(in_hand=9, bytes=1), False),
        ("cut", Passed(), False),
        ("slow", Passed(bytes=500, pieces_held=3), True),
        ("slow", Passed(bytes=500), False),
        ("loss", Passed(bytes=500, pieces_lost=1, pieces_held=3), True),
        ("loss", Passed(bytes=500), False),
    ],
)
def test_a_cut_acted_if_bytes_waited_and_none_passed(mode: str, came: Passed, acts: bool) -> None:
    line = acted(fault(links_of({(1, 2): came}), mode))
    assert bool(line.acted_ms) == acts
    assert (line.mode, line.target) == (mode, ["broker 2"])


def test_a_delay_acted_for_as_long_as_it_delayed_a_chunk() -> None:
    came = Passed(bytes=500, pieces_held=3, longest_ms=52.0)
    line = acted(fault(links_of({(1, 2): came}), "delay"))
    assert line.acted_ms == 52.0
    assert line.figures["held_pieces"] == 3


def test_only_the_direction_that_is_cut_counts() -> None:
    """What passes from the broker is not a reason against a cut of what is sent to it."""
    links = links_of({(1, 2): Passed(bytes=500), (2, 1): Passed(in_hand=7)})
    line = acted(fault(links, direction="to"))
    assert line.figures["passed_bytes"] == 0
    assert (line.figures["held_bytes"], line.figures["held_bytes_to"]) == (7, 7)
    assert "held_bytes_from" not in line.figures
    assert line.acted_ms
    (treated,) = links.treat.call_args_list
    *pair, how = treated.args
    assert (pair, how.only, how.seed) == ([1, 2], (2, 1), 3)
    links.free.assert_called_once_with(1, 2)


@pytest.mark.parametrize(
    ("kind", "keys", "other", "words"),
    [
        ("link", {"peer": 3}, 3, "broker 3"),
        ("client-link", {}, CLIENTS, "clients"),
        ("controller-link", {}, CONTROLLER_ID, "the controller"),
    ],
)
def test_each_kind_breaks_its_own_links(
    kind: str, keys: dict[str, Any], other: int, words: str
) -> None:
    links = links_of({}, CONTROLLER_ID)
    broken = planned(SimpleNamespace(proxies=links), kind, mode="cut", **keys)
    assert acted(broken).target == [words]
    assert links.treat.call_args.args[:2] == links.free.call_args.args == (1, other)


@pytest.mark.parametrize(
    ("kind", "keys", "pairs", "words"),
    [
        ("controller-link", {}, {(1, 100), (1, 101), (1, 102)}, "the controller"),
        ("quorum-link", {}, {(101, 100), (101, 102)}, "the other controllers"),
        ("quorum-link", {"others": 1}, {(101, 100)}, "one of the other controllers"),
    ],
)
def test_links_to_several_controllers_are_broken_together(
    kind: str, keys: dict[str, Any], pairs: set[tuple[int, int]], words: str
) -> None:
    """The active controller, number 101, is looked up when the fault begins."""
    came = {(101, 100): Passed(in_hand=3), (101, 102): Passed(in_hand=4, bytes=1)}
    links = links_of(came, 100, 101, 102)
    cluster = SimpleNamespace(proxies=links, active_controller=lambda: 101)
    broker = ACTIVE_CONTROLLER if kind == "quorum-link" else 1
    keys = {"mode": "cut", "direction": "from", **keys}
    broken = planned(cluster, kind, broker=broker, **keys)
    broken.begin()
    broken.lift()
    line = broken.evidence()
    assert line.target == [words]
    treated = [each.args for each in links.treat.call_args_list]
    assert {(node, other): how.only for node, other, how in treated} == {
        each: each for each in pairs
    }
    assert {each.args for each in links.free.call_args_list} == pairs
    if kind == "quorum-link":
        both = len(pairs) == 2
        assert line.figures["node"] == 101
        assert line.figures["held_bytes_from"] == line.figures["held_bytes"] == (7 if both else 3)
        assert bool(line.acted_ms) is not both, "one byte passed on the link to 102"


def test_a_controller_on_zookeeper_has_no_such_link() -> None:
    made = parse(alone("controller-link", mode="cut"), "mine.toml")
    require_version(made, pinned("4.3.1"))
    with pytest.raises(
        InputError, match=r"a link or answers of a controller on Kafka 2\.8\.2, expected"
    ):
        require_version(made, pinned("2.8.2"))
