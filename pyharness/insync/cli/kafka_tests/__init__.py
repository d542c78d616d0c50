"""`insync kafka-tests`: its options, and its results on the terminal."""
