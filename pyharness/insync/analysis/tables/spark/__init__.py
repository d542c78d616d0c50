"""The Spark session, its JVM, and the folders and file systems it reads and writes."""
