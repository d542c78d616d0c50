"""Faults: things done to one broker on purpose, each of which returns evidence."""
