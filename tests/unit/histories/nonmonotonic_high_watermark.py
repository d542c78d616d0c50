"""Plants high watermarks that go back."""

from __future__ import annotations

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let a broker begin a role with a lower high watermark than the role before."""
    last = [line for line in history.roles if line["partition"] == partition][-1]
    high = 30 + chance.randrange(5)
    epoch = last["leader_epoch"] + 1
    follower = {**last, "role": "follower", "leader_epoch": epoch}
    history.roles.append({**follower, "high_watermark": high})
    history.roles.append({**follower, "leader_epoch": epoch + 1, "high_watermark": high - 2})
    history.expect("nonmonotonic-high-watermark", partition, high - 2)


PLANTINGS = (Planting(plant),)
