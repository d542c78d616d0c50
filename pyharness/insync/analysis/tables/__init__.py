"""Computes a run's Parquet tables from its event lines.

The package reads `run.json` and `events/` and writes `tables/`; it does not access brokers. The
transforms are pure `DataFrame -> DataFrame` functions.
"""
