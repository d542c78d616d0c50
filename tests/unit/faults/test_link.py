"""Broken links: what shows that a cut, a delay, a limit or a loss acted, in which direction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from insync.brokers.kafka.versions import pinned
from insync.errors import InputError, InsyncError
from insync.faults.base import FaultContext
from insync.faults.cluster import FaultCluster
from insync.faults.kinds.network.client_link import KIND as CLIENT_LINK
from insync.faults.kinds.network.controller_link import KIND as CONTROLLER_LINK
from insync.faults.kinds.network.link import KIND as LINK
from insync.faults.support.links import BrokenLink, LinkFault, broken_link
from insync.nodes import CLIENTS, CONTROLLER_ID
from insync.run.requirements import require_controller_proxy
from insync.scenario.load import parse, source


@dataclass(frozen=True)
class Came:
    bytes: int = 0
    in_hand: int = 0
    pieces_held: int = 0
    longest_ms: float = 0.0
    bytes_delayed: int = 0
    bytes_dropped: int = 0
    pieces_lost: int = 0


NOTHING = Came()


@dataclass
class Cluster:
    """Links that carried `came`, by sender and receiver."""

    came: Mapping[tuple[int, int], Came]
    done: list[tuple[str, Any]] = field(default_factory=list)

    def treat_link(self, pair: tuple[int, int], **how: Any) -> None:
        self.done.append(("treat", (pair, how)))

    def free_link(self, pair: tuple[int, int]) -> None:
        self.done.append(("free", pair))

    def link_traffic(self, sender: int, receiver: int) -> Came:
        return self.came.get((sender, receiver), NOTHING)


KEYS: dict[str, dict[str, float]] = {
    "delay": {"delay_ms": 50}, "slow": {"bytes_per_s": 9}, "loss": {"loss_percent": 1.0},
}  # fmt: skip


def fault(
    mode: str, came: Came, direction: str = "both", other: int = 2
) -> tuple[LinkFault, Cluster]:
    """Break the link from broker 1 to another side; `came` is what it carried that way."""
    keys = {"mode": mode, "direction": direction, **KEYS.get(mode, {})}
    spec = BrokenLink.model_validate({"broker": 1, "at_ms": 0, "for_ms": 100, **keys})
    cluster = Cluster({(1, other): came})
    at = FaultContext(arm="stock", repeat=3, kind="link", broker=1, planned_ms=100)
    made = broken_link(cast("FaultCluster", cluster), spec, other, at, "broker 2")
    assert isinstance(made, LinkFault)
    return made, cluster


@pytest.mark.parametrize(
    ("mode", "came", "acted"),
    [
        ("cut", Came(in_hand=9), True),
        ("cut", Came(bytes_dropped=9), True),
        ("cut", Came(in_hand=9, bytes=1), False),
        ("cut", Came(), False),
        ("slow", Came(bytes=500, pieces_held=3), True),
        ("slow", Came(bytes=500), False),
        ("loss", Came(bytes=500, pieces_lost=1, pieces_held=3), True),
        ("loss", Came(bytes=500), False),
    ],
)
def test_a_cut_acted_if_bytes_waited_and_none_passed(mode: str, came: Came, acted: bool) -> None:
    broken, _ = fault(mode, came)
    broken.inject()
    broken.lift()
    line = broken.evidence()
    assert bool(line.acted_ms) == acted
    assert (line.mode, line.target) == (mode, ["broker 2"])


def test_a_delay_acted_for_as_long_as_it_delayed_a_chunk() -> None:
    broken, _ = fault("delay", Came(bytes=500, pieces_held=3, longest_ms=52.0))
    broken.inject()
    broken.lift()
    assert broken.evidence().acted_ms == 52.0
    assert broken.evidence().figures["held_pieces"] == 3


def test_only_the_direction_that_is_cut_counts() -> None:
    """What passes from the broker is no reason against a cut of what is sent to it."""
    broken, cluster = fault("cut", Came(bytes=500), "to")
    cluster.came = {(1, 2): Came(bytes=500), (2, 1): Came(in_hand=7)}
    broken.inject()
    broken.lift()
    line = broken.evidence()
    assert line.figures["passed_bytes"] == 0
    assert (line.figures["held_bytes"], line.figures["held_bytes_to"]) == (7, 7)
    assert "held_bytes_from" not in line.figures
    assert line.acted_ms
    (_, (pair, how)), _ = cluster.done
    assert (pair, how["only"], how["seed"]) == ((1, 2), (2, 1), 3)


def test_a_link_is_restored_once_and_only_if_it_was_broken() -> None:
    broken, cluster = fault("cut", Came())
    broken.prepare()
    broken.lift()
    assert cluster.done == []
    with pytest.raises(InsyncError, match="was not injected"):
        broken.evidence()
    broken.inject()
    broken.lift()
    broken.lift()
    assert [name for name, _ in cluster.done] == ["treat", "free"]


@pytest.mark.parametrize(
    ("kind", "keys", "other"),
    [
        (LINK, {"peer": 3}, 3),
        (CLIENT_LINK, {}, CLIENTS),
        (CONTROLLER_LINK, {}, CONTROLLER_ID),
    ],
)
def test_each_kind_breaks_its_own_links(kind: Any, keys: dict[str, Any], other: int) -> None:
    cluster = Cluster({})
    spec = kind.spec.model_validate(
        {"kind": kind.name, "broker": 1, "at_ms": 0, "for_ms": 100, "mode": "cut", **keys}
    )
    at = FaultContext(arm="stock", repeat=0, kind=kind.name, broker=1, planned_ms=100)
    kind.inject(spec, at, cluster).inject()
    ((_, (pair, _)),) = cluster.done
    assert pair == (1, other)


def scenario(**keys: Any) -> str:
    lines = "".join(f"{key} = {value!r}\n" for key, value in keys.items())
    text = source("kip-501").partition("[[faults]]")[0]
    return f"{text}[[faults]]\nbroker = 1\nat_ms = 3_000\nfor_ms = 1_000\n{lines}"


@pytest.mark.parametrize(
    ("keys", "refused"),
    [
        ({"mode": "loss"}, "loss_percent: 0, expected more than 0 for mode 'loss'"),
        ({"mode": "cut", "loss_percent": 5.0}, "loss_percent: 5.0, expected none for mode 'cut'"),
        ({"mode": "loss", "loss_percent": 91.0}, "loss_percent: 91.0, expected at most 90"),
        ({"mode": "cut", "direction": "up"}, "direction: 'up', expected 'both', 'to' or 'from'"),
    ],
)
def test_keys_that_do_not_fit_are_refused(keys: dict[str, Any], refused: str) -> None:
    with pytest.raises(InputError) as error:
        parse(scenario(kind="client-link", **keys), "mine.toml")
    assert refused in str(error.value)


def test_a_controller_on_zookeeper_has_no_such_link() -> None:
    made = parse(scenario(kind="controller-link", mode="cut"), "mine.toml")
    require_controller_proxy(made, pinned("4.3.1"))
    with pytest.raises(InputError, match=r"controller-link on Kafka 2\.8\.2, expected"):
        require_controller_proxy(made, pinned("2.8.2"))
