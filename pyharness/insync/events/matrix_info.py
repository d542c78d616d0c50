"""Read and write `matrix-plan.json`, the plan of a matrix.

It is written before the first cluster starts, so that recorded runs can be analysed even if the
matrix was interrupted. Each row is a scenario on a Kafka version; it has its own run folder, as
`insync run` makes them, unless it could not run on this machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from insync import metrics
from insync.events.run_info import Recorded, read_recorded
from insync.events.schema import SCHEMA_VERSION
from insync.events.writer import write_atomic

PLAN: Final = "matrix-plan.json"
CELLS: Final = "matrix.json"
PAGE: Final = "matrix.html"
TEXT: Final = "matrix.md"
RESULTS: Final = "matrix-junit.xml"


class Along(Recorded):
    """What differs from scenario to scenario of a group: a key of the first fault.

    `metrics` are drawn against its value.
    """

    key: str
    value: float
    metrics: tuple[str, ...] = Field(min_length=1)


class MatrixRow(Recorded):
    """A scenario on a version: its run folder, relative to the matrix, or why it has none.

    `figures` are the metrics that its cells show. `along` is there where the page draws curves.
    """

    kafka: str
    scenario: str
    summary: str
    arms: tuple[str, ...] = Field(min_length=1)
    folder: str
    skipped: str | None = None
    figures: tuple[str, ...] = metrics.DEFAULT_FIGURES
    along: Along | None = None


class MatrixInfo(Recorded):
    """The rows of a matrix, in display order.

    `command` repeats it, if it is one of `insync matrix`; another command may plan rows, too.
    """

    schema_version: Literal[1] = Field(default=SCHEMA_VERSION, alias="schema")
    command: str = ""
    rows: tuple[MatrixRow, ...] = Field(min_length=1)

    def run_folders(self, matrix: Path) -> list[Path]:
        """Return the folders of the planned runs."""
        return [matrix / row.folder for row in self.rows if row.skipped is None]


def is_matrix(folder: Path) -> bool:
    """Whether a folder holds a matrix."""
    return (folder / PLAN).is_file()


def save_matrix(folder: Path, matrix: MatrixInfo) -> Path:
    """Write the plan into `folder` and return its path."""
    return write_atomic(folder / PLAN, matrix.model_dump_json(indent=2, by_alias=True))


def load_matrix(folder: Path) -> MatrixInfo:
    """Read the plan of a matrix; raises InputError if the folder does not hold one."""
    return read_recorded(MatrixInfo, folder, PLAN, "a matrix folder")
