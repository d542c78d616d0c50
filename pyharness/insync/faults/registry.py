"""Every fault kind, found in `kinds/` and its folders: to add one, add a file with a `KIND`.

`python -m insync.faults.registry` prints the table of the kinds as Markdown.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import starmap
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, Final

from insync.faults import kinds
from insync.faults.base import Fault, FaultContext
from insync.faults.kind import ClusterKind, FaultKind, Tags
from insync.faults.spec import Planned

if TYPE_CHECKING:
    from insync.faults.cluster import FaultCluster


def _found() -> Iterator[FaultKind[Any]]:
    for module in walk_packages(kinds.__path__, f"{kinds.__name__}."):
        if not module.ispkg:
            yield import_module(module.name).KIND


KINDS: Final[Mapping[str, FaultKind[Any]]] = {
    kind.name: kind for kind in sorted(_found(), key=lambda kind: kind.name)
}
"""The kinds by the names that scenarios call them."""


def fault_of(spec: Planned, context: FaultContext, cluster: "FaultCluster") -> Fault[Any]:
    """Return the fault that a spec plans; nothing is done to the cluster yet."""
    return KINDS[spec.kind].inject(spec, context, cluster)


def tags_of(fault: Planned) -> Tags:
    """Return the tags of a planned fault's kind."""
    return KINDS[fault.kind].tags


def tagged(tag: str) -> list[str]:
    """Return the names of the kinds that have a tag: a field of `Tags` that is not empty."""
    return [name for name, kind in KINDS.items() if getattr(kind.tags, tag)]


_OF_EVERY_KIND: Final = {"kind", "broker", "at_ms", "for_ms"}


def as_markdown() -> str:
    """Return the table of all kinds, with the notes below it."""
    notes = [f"- `{name}`: {kind.words.notes}" for name, kind in KINDS.items() if kind.words.notes]
    head = "| kind | keys | what it does | how | what shows that it acted |\n|---|---|---|---|---|"
    return "\n".join([head, *starmap(_row, KINDS.items()), "", *notes, ""])


def _row(name: str, kind: FaultKind[Any]) -> str:
    keys = ", ".join(f"`{key}`" for key in kind.spec.model_fields if key not in _OF_EVERY_KIND)
    words = kind.words
    return f"| `{name}` | {keys} | {words.does} | {words.mechanism} | {words.evidence} |"


def why_not(kind: str, cluster: ClusterKind, out: Path) -> str | None:
    """Return why faults of a kind cannot be injected here into a run recorded at `out`, or None."""
    probe = KINDS[kind].probes.get(cluster)
    return f"{kind}: not for --cluster {cluster}" if probe is None else probe(out)


def clash(one: Planned, other: Planned) -> bool:
    """Whether two faults must not be at the same time."""
    tags, others = tags_of(one), tags_of(other)
    if (tags.kills and others.outlasts_process) or (others.kills and tags.outlasts_process):
        return False
    if tags.alone or others.alone:
        return bool(one.nodes & other.nodes)
    if one.nodes != other.nodes:
        return False
    return (tags.regroups and others.regroups) or (one.kind == other.kind and tags.once)


if __name__ == "__main__":
    print(as_markdown(), end="")
