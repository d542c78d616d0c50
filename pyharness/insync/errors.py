"""Define the two exceptions that the harness raises itself.

Everything a user can fix (a scenario, a version, a folder, a port, a token) is an `InputError`:
the command line prints its message and exits with 2.
"""


class InsyncError(Exception):
    """Something failed while a valid request was carried out; exits with 3 (unknown)."""


class InputError(InsyncError):
    """The request itself is invalid or cannot be carried out here; exits with 2.

    The message has a line per problem, usually one: what, where, the value, and what was expected.
    """
