"""Kafka distributions: the JDK, the jars in the user's cache, the warm start. Knows no cluster."""
