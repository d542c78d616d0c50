"""Run random scenarios on real brokers, and reduce those that fail; uses `matrix` and `run`."""
