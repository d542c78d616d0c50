"""Scenarios: what to run and what to expect of it, as frozen typed data.

Nothing in here knows a cluster.
"""
