"""Finds the machine's own Chromium."""

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    """Return the path of the machine's own Chromium."""
    return next((path for path in map(shutil.which, NAMES) if path), None)
