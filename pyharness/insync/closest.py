"""Suggest the name that was probably meant by an unknown one."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return " (did you mean 'NAME'?)" with the nearest known name; empty if none is near."""
    near = get_close_matches(str(name), list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
