"""The command `insync`: parse, call, print. One thin file per command.

Heavy modules are imported inside the commands, so that help and errors are quick.
"""

from insync.cli.app import main

__all__ = ["main"]
