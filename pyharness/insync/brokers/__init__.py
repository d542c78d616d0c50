"""Run Kafka on this machine: distributions, images, Docker engine, clusters. Knows no fault."""
