"""Run Kafka clusters as local processes or containers; manage topics; read the logs they write."""
