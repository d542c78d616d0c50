"""From a run's tables and its scenario's expectations to pass, fail or unknown.

Pure Python: no Spark, no broker. `facts` condenses the tables, `decide` judges them,
`file` is the form of `verdict.json`.
"""
