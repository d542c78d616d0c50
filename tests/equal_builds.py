"""`PYTHONPATH=tests python -m equal_builds [RUNS]` compares a build with itself by `insync verify`.

Each run has as many repeats as the exact tests need to find a difference. It prints per run the
verdict and the rows that failed; docs/test/verify.md has the result.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from commands import insync_json

RUNS: Final = 20
REPEATS: Final = 8
WITHIN_S: Final = 1_200.0


def compare(out: Path) -> dict[str, Any]:
    """Verify 4.3.1 without the agent beside itself; return what was found to differ."""
    found = insync_json(
        "verify", "--level", "faults", "--no-agent", "--only", "read-stall", "--seeds", "none",
        "--repeats", str(REPEATS), "--scale", "0.25", "--out", out, codes=(0, 1, 3),
        within_s=WITHIN_S,
    )  # fmt: skip
    (level,) = found["levels"]
    return {
        "verdict": found["verdict"],
        "reason": found["reason"],
        "took_s": level["took_s"],
        "rows": len(level["rows"]),
        "failed": [row for row in level["rows"] if row["outcome"] == "fail"],
    }


def main(runs: int) -> None:
    """Print the result of each run, and of how many no row failed."""
    equal = 0
    for run in range(1, runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            found = compare(Path(folder) / "out")
        equal += not found["failed"]
        print(run, json.dumps(found), flush=True)
    print(f"no difference in {equal} of {runs}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else RUNS)
