"""A workload of a topic that does not exist; tests change what they are about."""

from insync.workload.plan import WorkloadPlan

BASE = WorkloadPlan(
    bootstrap="nowhere:1", arm="stock", repeat=0, topic="t-r0", partitions=(0,), rate=1,
    producers=1, record_bytes=16, seed=1, drain_seconds=1.0,
)  # fmt: skip
