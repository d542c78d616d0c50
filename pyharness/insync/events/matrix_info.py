"""What a matrix was to run, as `matrix-plan.json` in its folder says.

Written before the first cluster starts, so that what was recorded can be analysed however
the matrix ended. Each row is a scenario on a Kafka version; it has a run folder of its own,
as `insync run` makes them, unless it could not run here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from insync import metrics
from insync.errors import InputError
from insync.events.run_info import first_problem
from insync.events.schema import SCHEMA_VERSION
from insync.events.writer import write_atomic

PLAN: Final = "matrix-plan.json"
CELLS: Final = "matrix.json"
PAGE: Final = "matrix.html"
TEXT: Final = "matrix.md"
RESULTS: Final = "matrix-junit.xml"

FIGURES: Final = metrics.default_figures()
"""The metrics that a cell shows unless its row names others."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class MatrixRow(_Part):
    """A scenario on a version: where its run is, relative to the matrix, or why there is none.

    `figures` are the metrics that its cells show.
    """

    kafka: str
    scenario: str
    summary: str
    arms: tuple[str, ...] = Field(min_length=1)
    folder: str
    skipped: str | None = None
    figures: tuple[str, ...] = FIGURES


class MatrixOptions(_Part):
    """The options of `insync matrix`; None where the groups and scenarios decide."""

    kafka: tuple[str, ...]
    cluster: str
    only: tuple[str, ...] | None
    arms: tuple[str, ...] | None
    repeats: int | None
    scale: float | None
    seed: int
    side_by_side: int


class MatrixInfo(_Part):
    """The rows of a matrix, in the order in which they are shown.

    `asked` is what it was made by; older matrices do not say.
    """

    schema_version: Literal[1] = Field(default=SCHEMA_VERSION, alias="schema")
    repeats: int | None
    asked: MatrixOptions | None = None
    rows: tuple[MatrixRow, ...] = Field(min_length=1)

    def run_folders(self, matrix: Path) -> list[Path]:
        """Return the folders of the runs that were to be made."""
        return [matrix / row.folder for row in self.rows if row.skipped is None]


def is_matrix(folder: Path) -> bool:
    """Whether a folder is that of a matrix, not of a run."""
    return (folder / PLAN).is_file()


def save_matrix(folder: Path, matrix: MatrixInfo) -> Path:
    """Write the plan into `folder` and return its path."""
    return write_atomic(folder / PLAN, matrix.model_dump_json(indent=2, by_alias=True))


def load_matrix(folder: Path) -> MatrixInfo:
    """Read the plan of a matrix; raises InputError if the folder is not one's."""
    path = folder / PLAN
    try:
        return MatrixInfo.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{folder}: no matrix ({PLAN}: {error.strerror})") from None
    except ValidationError as error:
        raise InputError(f"{path}: {first_problem(error)}") from None
