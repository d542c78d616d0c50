"""Measures what a build or an arm costs on real brokers, beside stock Kafka."""
