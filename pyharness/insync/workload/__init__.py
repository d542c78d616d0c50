"""The workload: open-loop producers, one per partition, and one consumer of it all."""
