"""Campaigns whose cells are scenarios: record them side by side, and analyse them together."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from insync.engine.campaign import Campaign, Place
from insync.engine.recording import Recording, possible, record, row_of
from insync.engine.worker import TASKS, progress_file
from insync.events.matrix_info import CELLS, MatrixInfo, MatrixRow, is_matrix, load_matrix
from insync.events.schema import REPORT
from insync.events.verdict import read_cells
from insync.progress import Progress, ProgressReader
from insync.run.analysis import analyse_matrices
from insync.run.cell import CellSpec
from insync.run.plan import Plan, find_tools
from insync.run.requirements import unavailable

BATCHES: Final = "batches"
_CHECKED: Final = 60
"""Of how many cells it is checked before the first file that this machine has what they need."""


class ScenarioCampaign(Campaign[CellSpec]):
    """A campaign of scenarios.

    The run folders of its cells are relative to the folder of their batch: that of the campaign, or
    one of `batches/`. The result of a cell has these keys:

    - `cell`: the cell in the file of the batch's cells;
    - `report`: the page of its run, relative to the campaign;
    - `broken`: why an error cut it short, see `WorkerProgress.broken`; or null;
    - `failure`: why its whole arm failed; or null.
    """

    def group(self, cell: CellSpec) -> str:
        """Return the run folder: the arms of a run are analysed together."""
        return str(cell.out)

    def ready(self, progress: Progress) -> None:
        """Fetch missing jars, and check that all is built that the first cells need."""
        for cells in by_build(list(islice(self.cells({}), _CHECKED))):
            find_tools(cells, progress)

    def info(self, rows: Sequence[MatrixRow], place: Place) -> MatrixInfo:
        """Return what the folder of a batch says of itself."""
        return MatrixInfo(repeats=None, rows=tuple(rows))

    def row(self, run: Plan, folder: Path) -> MatrixRow:
        """Return the row of a run in that."""
        return row_of(run, folder)

    def run(self, cells: Sequence[CellSpec], place: Place) -> Iterator[tuple[str, Any]]:
        """Record and analyse a batch; one that was interrupted is continued."""
        folder = _folder(self, cells, place.folder)
        runs = _plans(cells, folder, place.progress)
        rows = [self.row(run, folder) for run in runs]
        recording = Recording(folder, self.info(rows, place), possible(runs))
        failures = record([recording], place.progress, place.at_once)
        analyse_matrices([folder], place.analysis, place.progress)
        found = {(each.kafka, each.scenario, each.arm): each for each in read_cells(folder)}
        for cell in cells:
            build, scenario = cell.build, cell.scenario.name
            broken = broken_cells(folder, build, cell.arm)
            yield (
                cell.name,
                {
                    "cell": found[build, scenario, cell.arm].model_dump(mode="json"),
                    "report": (folder / cell.out / REPORT).relative_to(place.folder).as_posix(),
                    "broken": broken.get(scenario),
                    "failure": next(
                        (each for each in failures if each.startswith(f"{build} {cell.arm}: ")),
                        None,
                    ),
                },
            )


def broken_cells(folder: Path, build: str, arm: str) -> dict[str, dict[str, Any]]:
    """Return why scenarios were cut short on an arm by an error, see `WorkerProgress.broken`."""
    progress = ProgressReader(progress_file(folder / build / TASKS, arm))
    return {news["broken"]: news for news in progress.news() if "broken" in news}


def _folder(campaign: ScenarioCampaign, cells: Sequence[CellSpec], folder: Path) -> Path:
    """Return the folder of a batch: that of an interrupted one if it has the same runs.

    One with results was not interrupted: its cells run again.
    """
    if campaign.batch is None:
        return folder
    before = sorted(each for each in (folder / BATCHES).glob("[0-9]*") if each.is_dir())
    runs = {cell.out.as_posix() for cell in cells}
    for each in before:
        left = is_matrix(each) and not (each / CELLS).is_file()
        if left and {row.folder for row in load_matrix(each).rows} == runs:
            return each
    number = 1 + max((int(each.name) for each in before), default=0)
    return folder / BATCHES / f"{number:04}"


def _plans(cells: Sequence[CellSpec], folder: Path, progress: Progress) -> list[Plan]:
    """Return the runs of cells, each with all of its arms."""
    plans = []
    for same in by_build(cells):
        tools = find_tools(same, progress)
        runs: dict[Path, list[CellSpec]] = {}
        for cell in same:
            placed = cell.model_copy(update={"out": folder / cell.out})
            runs.setdefault(placed.out, []).append(placed)
        for out, own in runs.items():
            skip = unavailable(own[0].scenario, own[0].cluster, out)
            plans.append(Plan(cells=own, tools=tools, skip=skip))
    return plans


def by_build(cells: Sequence[CellSpec]) -> list[list[CellSpec]]:
    """Return the cells of each build and kind of cluster, which need the same of the machine."""
    found: dict[tuple[str, str], list[CellSpec]] = {}
    for cell in cells:
        found.setdefault((cell.kafka, cell.cluster), []).append(cell)
    return list(found.values())
