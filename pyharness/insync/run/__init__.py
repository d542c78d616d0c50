"""Execute runs: the only package that uses scenario, cluster, faults, workload and events."""
