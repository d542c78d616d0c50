"""Reads the contracts of all tables, by layer; lists the tables that reports read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from insync.analysis.checks.registry import metrics_checked
from insync.analysis.tables.contracts import Contract, Rule, columns_of

FILE = Path(__file__).with_name("contracts.toml")


def _read() -> Iterator[tuple[str, tuple[Contract, ...]]]:
    layers = tomllib.loads(FILE.read_text(encoding="utf-8"))
    counted = "\n".join(f"{name} bigint?: anomalies of this metric" for name in metrics_checked())
    groups = {**layers.pop("groups"), "METRICS": counted}
    for layer, tables in layers.items():
        yield layer, tuple(_contract(name, of, groups) for name, of in tables.items())


def _contract(name: str, of: Mapping[str, Any], groups: Mapping[str, str]) -> Contract:
    key = [
        name
        for word in of.get("key", "").split()
        for name in ([c.name for c in columns_of(word, groups)] if "@" in word else [word])
    ]
    rules = tuple(Rule(words, sql) for words, sql in of.get("rules", {}).items())
    columns = columns_of(of["columns"], groups)
    return Contract(name, of["says"], tuple(key), columns, rules, of.get("bulk", False))


LAYERS: dict[str, tuple[Contract, ...]] = dict(_read())
CONTRACTS = {contract.name: contract for of_layer in LAYERS.values() for contract in of_layer}
_LAYER_OF = {contract.name: layer for layer, of_layer in LAYERS.items() for contract in of_layer}
_OF_RUNS = ("input_lines", "medians", "differences")


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
        if contract.name in _OF_RUNS or (contract.has_column("repeat") and not contract.bulk)
    )
