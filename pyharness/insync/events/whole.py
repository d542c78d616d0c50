"""Files that a reader finds whole: the old one or the new one, never a part."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> Path:
    """Write `text` beside `path`, put it in its place, and return `path`; raises OSError."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return fresh.replace(path)
