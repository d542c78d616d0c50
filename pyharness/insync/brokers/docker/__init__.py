"""Use the Docker engine on this host. Knows no Kafka."""
