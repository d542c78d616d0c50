"""Build images of Kafka and a Java with the local Docker engine. Knows no cluster."""
