"""Reads the log lines in which brokers of each version begin to lead or follow."""

from insync.brokers.cluster.replica_logs import roles

STARTS = (
    "2026-11-21T13:55:30.000Z INFO [BrokerServer id=3] Transition from SHUTDOWN to STARTING"
    " (BrokerServer)"
)
STARTS_BEFORE_KRAFT = "2026-11-21T18:22:50.537Z INFO starting (KafkaServer)"
LEADS = (
    "2026-11-21T13:55:35.242Z INFO [Broker id=3] Leader send-stall-r0-3 with topic id"
    " Some(h-kxWtL8T2C6IC8bFK4H_w) starts at leader epoch 2 from offset 17 with partition epoch 0,"
    " high watermark 15, ISR [3,1,2], adding replicas [] and removing replicas [] . Previous"
    " leader None and previous leader epoch was -1. (logger)"
)
FOLLOWS = (
    "2026-11-21T13:55:35.267Z INFO [Broker id=3] Follower send-stall-r0-1 starts at leader epoch 0"
    " from offset 9 with partition epoch 0 and high watermark 8. Current leader is 1. Previous"
    " leader None and previous leader epoch was -1. (logger)"
)
LEADS_2_8 = (
    "2026-11-21T18:22:56.593Z INFO [Broker id=3] Leader read-stall-r0-3 starts at leader epoch 1"
    " from offset 5 with high watermark 4 ISR [3,1,2] addingReplicas [] removingReplicas []."
    "Previous leader epoch was 0. (logger)"
)
LEADS_1_1 = (
    "2026-11-21T19:56:04.249Z INFO [Partition kip-501-r0-3 broker=3] kip-501-r0-3 starts at Leader"
    " Epoch 4 from offset 7. Previous Leader Epoch was: 3 (Partition)"
)


def parsed(*lines: str) -> list[tuple[object, ...]]:
    """Return (life, role, topic, partition, epoch, offset, high watermark) of each role."""
    names = ("life", "role", "topic", "partition", "leader_epoch", "from_offset", "high_watermark")
    return [tuple(found[name] for name in names) for found in roles(lines)]


def test_a_broker_logs_what_it_leads_and_follows() -> None:
    assert parsed(STARTS, LEADS, FOLLOWS) == [
        (1, "leader", "send-stall-r0", 3, 2, 17, 15),
        (1, "follower", "send-stall-r0", 1, 0, 9, 8),
    ]
    assert [found["t_ms"] for found in roles([LEADS])] == [1_795_269_335_242.0]


def test_each_start_of_a_broker_is_a_new_life() -> None:
    lives = parsed(STARTS, LEADS, STARTS, LEADS) + parsed(STARTS_BEFORE_KRAFT, LEADS_2_8)
    assert [life for life, *_ in lives] == [1, 2, 1]


def test_older_versions_log_fewer_fields() -> None:
    assert parsed(STARTS_BEFORE_KRAFT, LEADS_2_8, LEADS_1_1) == [
        (1, "leader", "read-stall-r0", 3, 1, 5, 4),
        (1, "leader", "kip-501-r0", 3, 4, 7, None),
    ]


def test_other_lines_are_ignored() -> None:
    assert parsed("", "starts at leader epoch 3 from offset 1", "2026 INFO Starting the log") == []
