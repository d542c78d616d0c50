"""Broken links: what shows that a cut, a delay, a limit or a loss acted, in which direction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from fault_runs import planned
from insync.brokers.cluster.links.rules import Passed, Treatment
from insync.brokers.kafka.versions import pinned
from insync.errors import InputError
from insync.faults.base import Fault
from insync.nodes import ACTIVE_CONTROLLER, CLIENTS, CONTROLLER_ID
from insync.run.requirements import require_version
from insync.scenario.load import parse
from unit.faults.evidence import acted, alone


@dataclass
class Links:
    """Links that carried `came`, by sender and receiver."""

    came: Mapping[tuple[int, int], Passed]
    controllers: Sequence[int] = (CONTROLLER_ID,)
    done: list[tuple[str, Any]] = field(default_factory=list)

    def treat(self, node: int, other: int, how: Treatment) -> None:
        self.done.append(("treat", ((node, other), how)))

    def free(self, node: int, other: int) -> None:
        self.done.append(("free", (node, other)))

    def passed(self, sender: int, receiver: int) -> Passed:
        return self.came.get((sender, receiver), Passed())


KEYS: dict[str, dict[str, float]] = {
    "delay": {"delay_ms": 50}, "slow": {"bytes_per_s": 9}, "loss": {"loss_percent": 1.0},
}  # fmt: skip


def fault(links: Links, mode: str = "cut", **keys: Any) -> Fault[Any]:
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
    line = acted(fault(Links({(1, 2): came}), mode))
    assert bool(line.acted_ms) == acts
    assert (line.mode, line.target) == (mode, ["broker 2"])


def test_a_delay_acted_for_as_long_as_it_delayed_a_chunk() -> None:
    came = Passed(bytes=500, pieces_held=3, longest_ms=52.0)
    line = acted(fault(Links({(1, 2): came}), "delay"))
    assert line.acted_ms == 52.0
    assert line.figures["held_pieces"] == 3


def test_only_the_direction_that_is_cut_counts() -> None:
    """What passes from the broker is not a reason against a cut of what is sent to it."""
    links = Links({(1, 2): Passed(bytes=500), (2, 1): Passed(in_hand=7)})
    line = acted(fault(links, direction="to"))
    assert line.figures["passed_bytes"] == 0
    assert (line.figures["held_bytes"], line.figures["held_bytes_to"]) == (7, 7)
    assert "held_bytes_from" not in line.figures
    assert line.acted_ms
    (_, (pair, how)), (freed, _) = links.done
    assert (pair, how.only, how.seed, freed) == ((1, 2), (2, 1), 3, "free")


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
    links = Links({})
    broken = planned(SimpleNamespace(proxies=links), kind, mode="cut", **keys)
    assert acted(broken).target == [words]
    assert links.done[0][1][0] == links.done[1][1] == (1, other)


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
    links = Links(came, controllers=(100, 101, 102))
    cluster = SimpleNamespace(proxies=links, active_controller=lambda: 101)
    broker = ACTIVE_CONTROLLER if kind == "quorum-link" else 1
    keys = {"mode": "cut", "direction": "from", **keys}
    broken = planned(cluster, kind, broker=broker, **keys)
    broken.begin()
    broken.lift()
    line = broken.evidence()
    assert line.target == [words]
    treated = {pair: how.only for name, (pair, how) in links.done if name == "treat"}
    assert treated == {pair: pair for pair in pairs}
    assert {pair for name, pair in links.done if name == "free"} == pairs
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
