"""Implement the command `insync`: one thin file per command that parses, calls and prints.

Commands import heavy modules inside their functions, so that help and errors are fast.
"""

import signal


def main() -> None:
    """Run the command line and exit; every error is one line on standard error."""
    # While modules are imported there is nothing to clean up, and no traceback to show.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from insync.cli import app

    signal.signal(signal.SIGINT, before)
    app.main()
