"""Kafka on this machine: distributions, images, the Docker engine, clusters. Knows no fault."""
