"""Turns Hypothesis's deadline off for every test: a shared machine may be slow.

HYPOTHESIS_PROFILE=thorough tries ten times as many examples.
"""

import os

from hypothesis import settings

from properties import THOROUGH

settings.register_profile("shared", deadline=None)
settings.register_profile(THOROUGH, deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "shared"))
