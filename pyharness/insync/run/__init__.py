"""The order of a run: the only part that sees scenario, cluster, faults, workload and events."""
