"""Manages the Spark session and its JVM, and reads and writes tables on any file system."""
