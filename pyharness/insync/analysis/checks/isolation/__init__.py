"""Finds anomalies of transactions: what readers and other transactions saw of them.

The modules are like those of the package above, and the registry collects their `ANOMALIES` too.
"""
