"""`PYTHONPATH=tests python -m verified_mutants [MUTANT ...]` asks `insync verify` about mutants.

Each is the candidate's agent, in the scenario that is named for it. What was found goes into
tests/data/verified-mutants.json, which `make docs` shows as a table.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from commands import insync_json
from insync.brokers.kafka.java import find_java
from mutants import CAUGHT, Caught, harness_with, write_mutant

FOUND: Final = Path(__file__).parent / "data" / "verified-mutants.json"
LEVELS: Final = "weave,faults"
WITHIN_S: Final = 1_200.0


def row_of(mutant: str) -> Caught:
    """Return the row of a mutant that is verified: the last one, whose scope is the wider one."""
    return [row for row in CAUGHT if row.mutant == mutant][-1]


def verify(mutant: str, folder: Path) -> dict[str, Any]:
    """Verify 4.3.1 with a mutant as the agent, beside 4.3.1 without one; return what was found."""
    row, jar, out = row_of(mutant), folder / "mutant.jar", folder / "out"
    assert write_mutant(find_java(), mutant, jar) == ""
    found = insync_json(
        "verify", "--level", LEVELS, "--arm", row.arm, "--only", row.scenario, "--seeds", "none",
        "--repeats", str(row.repeats), "--scale", f"{row.scale:g}", "--out", out,
        env=harness_with(jar, folder / "harness"),
        codes=(0, 1, 3), within_s=WITHIN_S,
    )  # fmt: skip
    logs = sorted(out.rglob("stdout.log"))
    said = f"[insync] mutant {mutant}\n"
    assert any(said in log.read_text(encoding="utf-8") for log in logs), "the agent is the mutant"
    return {
        "scenario": row.scenario,
        "arm": row.arm,
        "verdict": found["verdict"],
        "levels": {
            level["of"]: {"outcome": level["outcome"], "took_s": level["seconds"]}
            for level in found["children"]
        },
        "reason": found["reason"],
    }


def verified() -> dict[str, Any]:
    """Return what was found of each mutant, by its name."""
    return dict(json.loads(FOUND.read_text(encoding="utf-8"))) if FOUND.is_file() else {}


def main(mutants: list[str]) -> None:
    """Verify the mutants, or all that a scenario catches; keep what was found of the others."""
    for mutant in mutants or list(dict.fromkeys(row.mutant for row in CAUGHT)):
        with tempfile.TemporaryDirectory() as folder:
            found = verify(mutant, Path(folder))
        print(mutant, json.dumps(found), flush=True)
        FOUND.write_text(json.dumps({**verified(), mutant: found}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
