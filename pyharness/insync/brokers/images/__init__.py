"""Images of Kafka with a Java, built by the local Docker engine. Knows no cluster."""
