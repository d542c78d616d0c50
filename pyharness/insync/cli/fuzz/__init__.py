"""`insync fuzz`: its options, and its results on the terminal."""
