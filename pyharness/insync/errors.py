"""The two kinds of error the harness raises itself.

Everything a user can mend (a scenario, a version, a folder, a port, a token)
is an `InputError`: the command line prints its one line and exits with 2.
"""


class InsyncError(Exception):
    """Something went wrong while doing what was asked; exits with 3 (unknown)."""


class InputError(InsyncError):
    """What was asked cannot be done as given; exits with 2.

    The message is one line: what, where, the value, and what was expected.
    """
