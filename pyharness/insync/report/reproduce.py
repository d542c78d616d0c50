"""Writes the command that repeats a run or a matrix."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from insync.clients import DEFAULT_CLIENT
from insync.events.matrix_info import MatrixOptions
from insync.events.run_info import RunInfo
from insync.events.schema import SCENARIO


def run_command(run: RunInfo) -> str:
    """Return the command of a run, with every option that decides what happens.

    A scenario from a file is named by its copy in the run's folder.
    """
    return _command(
        "run",
        run.scenario_name if run.builtin else SCENARIO,
        ("--arms", ",".join(run.arms)),
        ("--kafka", run.kafka_path or run.kafka),
        ("--cluster", run.cluster),
        ("--scale", f"{run.scale:g}"),
        ("--repeat", str(run.repeats)),
        ("--seed", str(run.seed)),
        ("--client", _unless_default(run.scenario.workload.client)),
        ("--default-timeouts", _flag(run.default_timeouts)),
        ("--allow-unknown-methods", _flag(run.unknown_methods)),
    )


def where(run: RunInfo) -> str:
    """Say in which folder to run the command."""
    if run.builtin:
        return "The scenario is built into insync."
    return f"Run it in this run's folder: {SCENARIO} there is the scenario that was run."


def matrix_command(options: MatrixOptions) -> str:
    """Return the command of a matrix, with the options that were given."""
    return _command(
        "matrix",
        "",
        ("--kafka", ",".join(options.kafka)),
        ("--cluster", options.cluster),
        ("--only", ",".join(options.only) if options.only is not None else None),
        ("--arms", ",".join(options.arms) if options.arms is not None else None),
        ("--repeat", _written(options.repeats)),
        ("--scale", _written(options.scale)),
        ("--seed", str(options.seed)),
        ("--side-by-side", str(options.side_by_side)),
        ("--client", options.client),
        ("--default-timeouts", _flag(options.default_timeouts)),
        ("--allow-unknown-methods", _flag(options.unknown_methods)),
    )


def _written(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def _unless_default(client: str) -> str | None:
    return None if client == DEFAULT_CLIENT else client


def _flag(given: bool) -> str | None:
    """Return the value of an option that has none."""
    return "" if given else None


def _command(verb: str, what: str, *options: tuple[str, str | None]) -> str:
    words: Sequence[str] = [
        word for name, value in options if value is not None for word in (name, value) if word
    ]
    return shlex.join(["insync", verb, *([what] if what else []), *words])
