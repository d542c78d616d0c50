"""Plants split epochs."""

import random

from unit.histories.history import REPLICAS, History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let another broker log that it is leader in the same epoch."""
    led = chance.choice(
        [r for r in history.roles if r["partition"] == partition and r["role"] == "leader"]
    )
    other = chance.choice([broker for broker in REPLICAS if broker != led["broker"]])
    history.roles.append({**led, "broker": other, "t_ms": led["t_ms"] + 2, "life": 2})
    history.expect("split-epoch", partition, None)


PLANTINGS = (Planting(plant),)
