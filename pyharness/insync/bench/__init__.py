"""Benchmarks: of the agent's core with JMH, and of the analysis. Knows no cluster."""
