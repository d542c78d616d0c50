"""Faults of links, clocks and JVMs leave their evidence in containers, too."""

from pathlib import Path

import pytest

from fault_runs import FAULTS, run_faults, small_scenario, weaknesses
from insync.brokers.images.image import Image

NAMES = (
    "clock-jump", "one-way link", "lossy link", "client-link", "slow client-link",
    "controller-link", "jvm-pause",
)  # fmt: skip


@pytest.mark.long
def test_faults_in_containers_show_that_they_acted(image: Image, tmp_path: Path) -> None:
    timed = [
        {**FAULTS[name], "at_ms": 1_000 + number * 2_200, "for_ms": 1_200}
        for number, name in enumerate(NAMES)
    ]
    broker = {"broker_session_timeout_ms": 3_000}
    text = small_scenario("in-containers", timed, min_insync_replicas=2, broker=broker)
    seen = run_faults(tmp_path, text, "docker")
    weak = {name: weaknesses(*each) for name, each in zip(NAMES, seen, strict=True)}
    assert not any(weak.values()), weak
