"""The exact commands that make a run or a matrix once more."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from insync.events.matrix_info import MatrixOptions
from insync.events.run_info import RunInfo
from insync.events.schema import SCENARIO


def run_command(run: RunInfo) -> str:
    """Return the command of a run; every option that decides what happens is written out.

    A scenario that came from a file is named by the copy in the run's folder.
    """
    return _command(
        "run",
        run.scenario_name if run.builtin else SCENARIO,
        ("--arms", ",".join(run.arms)),
        ("--kafka", run.kafka),
        ("--cluster", run.cluster),
        ("--scale", f"{run.scale:g}"),
        ("--repeat", str(run.repeats)),
        ("--seed", str(run.seed)),
    )


def where(run: RunInfo) -> str:
    """Say from where the command is to be given."""
    if run.builtin:
        return "The scenario comes with insync."
    return f"In this run's folder, where {SCENARIO} is the scenario as it was played."


def matrix_command(asked: MatrixOptions) -> str:
    """Return the command of a matrix; what groups and scenarios decided is left to them."""
    return _command(
        "matrix",
        "",
        ("--kafka", ",".join(asked.kafka)),
        ("--cluster", asked.cluster),
        ("--only", ",".join(asked.only) if asked.only is not None else None),
        ("--arms", ",".join(asked.arms) if asked.arms is not None else None),
        ("--repeat", _written(asked.repeats)),
        ("--scale", _written(asked.scale)),
        ("--seed", str(asked.seed)),
        ("--side-by-side", str(asked.side_by_side)),
    )


def _written(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def _command(verb: str, what: str, *options: tuple[str, str | None]) -> str:
    words: Sequence[str] = [
        word for name, value in options if value is not None for word in (name, value)
    ]
    return shlex.join(["insync", verb, *([what] if what else []), *words])
