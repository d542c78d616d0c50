"""The command `insync why`."""
