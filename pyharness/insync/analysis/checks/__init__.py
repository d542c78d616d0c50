"""Finds anomalies in a history: what producers, consumers, brokers and the controller recorded.

`registry` lists the anomalies. Each is defined in a module of its own, named after it, by its
name, its words and its query. A query is a function DataFrame -> DataFrame without UDFs that
collects nothing. docs/understand/checker.md describes the anomalies. A check of data that was not
recorded gives null, never 0.
"""
