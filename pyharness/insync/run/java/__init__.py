"""Start the JVM in which a run's Java clients run."""
