"""`insync faults`: every fault kind, and which kinds work on this machine."""

from pathlib import Path
from typing import Annotated, Any, Final

from rich.markup import escape

from insync.cli.options import Json
from insync.cli.output import print_json, results_console, text_table
from insync.run.request import DEFAULT_CLUSTER, AnyCluster

EXAMPLES: Final = """\b
Examples:
  insync faults
  insync faults --cluster docker
  insync faults --json
"""


def command(
    cluster: Annotated[AnyCluster, "What nodes run as."] = DEFAULT_CLUSTER,
    json: Json = False,
) -> int:
    """List every fault that a scenario may plan, and whether this machine can inject it.

    Where it cannot, the reason is printed below; a scenario with such a fault is skipped, and
    its verdict is unknown.
    """
    rows = catalogue(cluster)
    if json:
        print_json(rows)
        return 0
    console, columns = results_console(), "kind | here | what it does | by"
    cells = (
        [row["kind"], "[yellow]no[/]" if row["why_not"] else "[green]yes[/]",
         escape(row["does"]), escape(row["mechanism"])]
        for row in rows
    )  # fmt: skip
    console.print(text_table(columns, cells, f"faults, --cluster {cluster}", range(4)))
    for line in reasons(rows):
        console.print(escape(line), soft_wrap=True)
    return 0


def reasons(rows: list[dict[str, Any]]) -> list[str]:
    """Return each reason once, after the kinds that it concerns; without them if it is all."""
    kinds: dict[str, list[str]] = {}
    for row in rows:
        if row["why_not"] is not None:
            why = row["why_not"].removeprefix(f"{row['kind']}: ")
            kinds.setdefault(why, []).append(row["kind"])
    return [
        why if len(concerned) == len(rows) else f"{', '.join(concerned)}: {why}"
        for why, concerned in kinds.items()
    ]


def catalogue(cluster: AnyCluster) -> list[dict[str, Any]]:
    """Return one row per kind; `why_not` is null where it can be injected."""
    from insync.faults.registry import KINDS, why_not

    missing = _no_engine() if cluster == "docker" else None
    return [
        {
            "kind": name,
            "does": kind.words.does,
            "mechanism": kind.words.mechanism,
            "clusters": list(kind.probes),
            "evidence": kind.words.evidence,
            "why_not": missing or why_not(name, cluster, Path()),
        }
        for name, kind in KINDS.items()
    ]


def _no_engine() -> str | None:
    """Return why there can be no containers here, or None."""
    from insync.brokers.docker.engine import client
    from insync.errors import InputError

    try:
        client().close()
    except InputError as error:
        return str(error)
    return None
