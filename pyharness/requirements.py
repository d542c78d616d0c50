"""Print what pyproject.toml requires for a purpose, one a line.

The purposes are `run`, `analysis`, `spark`, `develop` and `release`.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(pyproject: Path, purpose: str) -> list[str]:
    """Read what it takes to run from this checkout, to analyse as well, to test, or to release.

    What runs includes what builds the editable wheel, which needs `editables`. The others are in
    addition to those before them.
    """
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    if purpose == "run":
        built_with = project["build-system"]["requires"]
        return [*project["project"]["dependencies"], *built_with, "editables"]
    own = f"{project['project']['name']}["
    extra = extras["dev" if purpose == "develop" else purpose]
    return [each for each in extra if not each.startswith(own)]


if __name__ == "__main__":
    print("\n".join(requirements(Path(sys.argv[1]), sys.argv[2])))
