"""Lists every table with its layer and contract, and the tables that reports read."""

from __future__ import annotations

from insync.analysis.tables.contracts import Contract
from insync.analysis.tables.gold.catalogue import DIFFERENCES, GOLD, MEDIANS
from insync.analysis.tables.silver.catalogue import INPUT_LINES, SILVER

LAYERS: dict[str, tuple[Contract, ...]] = {"silver": SILVER, "gold": GOLD}
CONTRACTS = {contract.name: contract for of_layer in LAYERS.values() for contract in of_layer}


_LAYER_OF = {contract.name: layer for layer, of_layer in LAYERS.items() for contract in of_layer}


def layer_of(name: str) -> str:
    """Return the layer of a table."""
    return _LAYER_OF[name]


def read_by_reports() -> tuple[Contract, ...]:
    """Return the tables that verdict and report read.

    These are the tables of repeats that do not grow with the number of records, `input_lines`, and
    the two tables over all repeats.
    """
    return tuple(
        contract
        for contract in CONTRACTS.values()
        if contract in (INPUT_LINES, MEDIANS, DIFFERENCES)
        or (contract.has_column("repeat") and not contract.bulk)
    )


def as_markdown() -> str:
    """Return all contracts as Markdown, which `python -m` this module prints."""
    parts = []
    for layer, of_layer in LAYERS.items():
        parts.append(f"### {layer.capitalize()}")
        parts += [_section(contract) for contract in of_layer]
    return "\n\n".join(parts) + "\n"


def _section(contract: Contract) -> str:
    key = ", ".join(f"`{name}`" for name in contract.key) or "none: a row is a line as recorded"
    rules = "".join(f"\nIn every row {rule.words} (`{rule.sql}`)." for rule in contract.rules)
    rows = [
        f"| `{c.name}` | {c.type} | {c.unit} | {'yes' if c.null else ''} | {c.says} |"
        for c in contract.columns
    ]
    head = "| column | type | unit | may be null | says |\n|---|---|---|---|---|"
    title = f"**`{contract.name}`**. {contract.says} Key: {key}.{rules}"
    return "\n".join([title, "", head, *rows])


if __name__ == "__main__":
    print(as_markdown(), end="")
