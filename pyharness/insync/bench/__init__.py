"""Benchmarks of the agent's core: JMH in a JVM, and its figures. Knows no cluster and no run."""
