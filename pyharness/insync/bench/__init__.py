"""Benchmarks: of the agent's core with JMH, and of arms on brokers."""
