"""Writes a made-up matrix: a run as expected, one that differs, cut short, not begun, skipped."""

from pathlib import Path

from insync.events.matrix_info import MatrixInfo, MatrixRow, save_matrix
from unit.run_folder import Story, write_run

ARMS = ("stock", "plugin")
COMMAND = "insync matrix --only good,bad"


def row(scenario: str, skipped: str | None = None) -> MatrixRow:
    return MatrixRow(
        kafka="4.3.1", scenario=scenario, summary=f"what {scenario} is", arms=ARMS,
        folder=f"4.3.1/{scenario}", skipped=skipped,
    )  # fmt: skip


def write_plan(folder: Path, *rows: MatrixRow) -> None:
    save_matrix(folder, MatrixInfo(command=COMMAND, rows=rows))


def write_matrix(folder: Path) -> Path:
    """Write the matrix's plan and runs into `folder` and return it; nothing is analysed yet."""
    write_plan(
        folder,
        *(row(name) for name in ("good", "bad", "cut", "none")),
        row("no-cgroup", "no cgroup that this user may write"),
    )
    write_run(folder / "4.3.1" / "good", Story(repeats=2))
    write_run(folder / "4.3.1" / "bad", Story(repeats=2, seed=8, shrinking=frozenset(ARMS)))
    cut = Story(repeats=2, seed=9, finished=False)
    write_run(folder / "4.3.1" / "cut", cut)
    phases = folder / "4.3.1" / "cut" / "events" / "plugin" / "phases.jsonl"
    lines = phases.read_text().splitlines()
    phases.write_text("\n".join(line for line in lines if "repeat_ended" not in line) + "\n")
    return folder
