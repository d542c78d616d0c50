"""Plants high watermarks that go back."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let a leader become follower with a lower high watermark than that with which it led.

    Before, it was a follower with a higher one, which is not an anomaly: it took over its leader's.
    """
    last = [line for line in history.roles if line["partition"] == partition][-1]
    high = 30 + chance.randrange(5)
    epoch = last["leader_epoch"] + 1
    for nth, (role, mark) in enumerate(
        (("follower", high + 1), ("leader", high), ("follower", high - 2))
    ):
        began = {"role": role, "leader_epoch": epoch + nth, "high_watermark": mark}
        history.roles.append({**last, **began})
    history.expect("nonmonotonic-high-watermark", partition, high - 2)


PLANTINGS = (Planting(plant),)
