"""Check that a version has the clients of a run, and start those that need a JVM."""
