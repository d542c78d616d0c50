"""Print what pyproject.toml requires, one a line: `run`, with what builds it, or `develop`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(pyproject: Path, purpose: str) -> list[str]:
    """Read what it takes to run and analyse from this checkout, or to test and measure it as well.

    An editable wheel needs `editables`.
    """
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    if purpose == "run":
        return [
            *project["project"]["dependencies"],
            *extras["analysis"],
            *project["build-system"]["requires"],
            "editables",
        ]
    own = f"{project['project']['name']}["
    return [each for each in (*extras["dev"], *extras["bench"]) if not each.startswith(own)]


if __name__ == "__main__":
    print("\n".join(requirements(Path(sys.argv[1]), sys.argv[2])))
