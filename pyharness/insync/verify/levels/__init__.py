"""The levels of a verification, one file each."""
