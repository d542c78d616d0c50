"""Run the workload: open-loop producers per partition, consumers of all partitions, and groups."""
