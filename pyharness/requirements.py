"""Print what pyproject.toml requires, one a line: run time, development, bench and build."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(pyproject: Path) -> list[str]:
    """Read every requirement, and `editables`, which an editable wheel needs."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    return [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["dev"],
        *project["project"]["optional-dependencies"]["bench"],
        *project["build-system"]["requires"],
        "editables",
    ]


if __name__ == "__main__":
    print("\n".join(requirements(Path(sys.argv[1]))))
