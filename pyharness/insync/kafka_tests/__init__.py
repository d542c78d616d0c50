"""Runs Kafka's own test classes on a build of Kafka, without and with the agent, and compares.

A caller needs `request.prepare`, which checks what is asked for and fetches the jars, and
`run.run`, which runs what is missing and returns the result: a verdict, a row per arm and class,
and the differences.
"""
