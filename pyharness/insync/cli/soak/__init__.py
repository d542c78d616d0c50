"""The command `insync soak`."""
