"""The levels of a verification, one file each with a `LEVEL`; found by `verify/campaign.py`."""

from pkgutil import iter_modules
from typing import Final

NAMES: Final = tuple(module.name for module in iter_modules(__path__))
"""The names of the levels, which are those of their files; a help text loads none of them."""
