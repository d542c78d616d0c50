"""Implement the command `insync`: one thin file per command that parses, calls and prints.

Commands import heavy modules inside their functions, so that help and errors are fast.
"""

from insync.cli.app import main

__all__ = ["main"]
