"""Run the workload: open-loop producers per partition, and one consumer of all partitions."""
