"""Provide Kafka distributions: a JDK, jars in the user's cache, quick starts. Knows no cluster."""
