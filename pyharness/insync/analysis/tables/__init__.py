"""From a run's event lines to its Parquet tables, by Spark.

Nothing here knows a broker: it reads `run.json` and `events/`, and writes `tables/`.
The transforms are pure `DataFrame -> DataFrame` functions; only `job`, `session`,
`read` and `store` touch sessions and paths.
"""
