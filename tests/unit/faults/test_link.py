"""The broken link's evidence: what shows that a cut, a delay or a limit acted."""

from dataclasses import dataclass

import pytest

from insync.errors import InsyncError
from insync.faults.base import FaultContext
from insync.faults.kinds.network.link import LinkFault


@dataclass(frozen=True)
class Came:
    bytes: int = 0
    in_hand: int = 0
    pieces_held: int = 0
    longest_ms: float = 0.0


def fault(mode: str, came: Came, done: list[str] | None = None) -> LinkFault:
    at = FaultContext(arm="stock", repeat=0, kind="link", broker=1, planned_ms=100, mode=mode)
    calls = [] if done is None else done
    return LinkFault(lambda: calls.append("treat"), lambda: calls.append("free"), lambda: came, at)


@pytest.mark.parametrize(
    ("mode", "came", "acted"),
    [
        ("cut", Came(in_hand=9), True),
        ("cut", Came(in_hand=9, bytes=1), False),
        ("cut", Came(), False),
        ("slow", Came(bytes=500, pieces_held=3), True),
        ("slow", Came(bytes=500), False),
    ],
)
def test_a_cut_acted_if_bytes_waited_and_none_passed(mode: str, came: Came, acted: bool) -> None:
    broken = fault(mode, came)
    broken.inject()
    broken.lift()
    line = broken.evidence()
    assert bool(line.acted_ms) == acted
    assert line.mode == mode


def test_a_delay_acted_for_as_long_as_it_delayed_a_chunk() -> None:
    broken = fault("delay", Came(bytes=500, pieces_held=3, longest_ms=52.0))
    broken.inject()
    broken.lift()
    assert broken.evidence().acted_ms == 52.0
    assert broken.evidence().figures["held_pieces"] == 3


def test_a_link_is_restored_once_and_only_if_it_was_broken() -> None:
    done: list[str] = []
    broken = fault("cut", Came(), done)
    broken.prepare()
    broken.lift()
    assert done == []
    with pytest.raises(InsyncError, match="was not injected"):
        broken.evidence()
    broken.inject()
    broken.lift()
    broken.lift()
    assert done == ["treat", "free"]
