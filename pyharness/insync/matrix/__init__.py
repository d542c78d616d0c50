"""Run many scenarios on many arms in parallel, as few clusters as possible; uses `run`."""
