"""Scenarios: what to run and what to expect of it, as frozen typed data.

Nothing here knows a running cluster.
"""
