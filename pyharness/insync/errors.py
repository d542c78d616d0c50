"""Define the two exceptions that the harness raises itself, and report all others.

Everything a user can fix (a scenario, a version, a folder, a port, a token) is an `InputError`:
the command line prints its message and exits with 2.
"""

import sys
import traceback
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from insync.outcome import Outcome


class InsyncError(Exception):
    """Something failed while a valid request was carried out; exits with 3 (unknown)."""


class InputError(InsyncError):
    """The request itself is invalid or cannot be carried out here; exits with 2.

    The message has a line per problem, usually one: what, where, the value, and what was expected.
    """


def report_crash(error: Exception) -> int:
    """Print an unexpected error: its traceback, then one line; return the exit code."""
    traceback.print_exception(error)
    words = " ".join(f"{type(error).__name__}: {error}".split())
    print(f"insync: an error of insync itself: {words}", file=sys.stderr)
    return Outcome.UNKNOWN.exit_code


def require_known(what: str, names: Iterable[str], known: Collection[str]) -> None:
    """Check that all names are known; raises InputError with those that are."""
    for name in names:
        if name not in known:
            near = did_you_mean(name, known)
            raise InputError(f"{what} {name}: expected one of {', '.join(known)}{near}")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return " (did you mean 'NAME'?)" with the nearest known name; empty if none is near."""
    near = get_close_matches(str(name), list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
