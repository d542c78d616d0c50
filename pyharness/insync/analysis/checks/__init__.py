"""The checker of histories: what producers, consumers, brokers and controller say, held together.

Every check is a function DataFrame -> DataFrame without UDFs, collects nothing, and takes the
columns that its docstring names; docs/checker.md defines the anomalies. Where data is missing
a check says so (null), it never says that nothing was found.
"""
