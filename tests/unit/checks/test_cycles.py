"""Cycles among transactions: which are found, and that the suspects hold all of them."""

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import networkx as nx
import pytest

from insync.analysis.checks.isolation import cycles as search
from insync.analysis.checks.isolation.cycles import cycles
from insync.analysis.checks.isolation.dependencies import dependencies
from insync.analysis.tables.bronze.lines import PRODUCE, TRANSACTION_READS, TRANSACTIONS
from insync.errors import InsyncError
from unit.tables.inline import table

TOPIC = {"run": "r", "arm": "a", "repeat": 0, "topic": "t"}
Edge = tuple[str, int, int]
"""Kind, transaction, and the one that depends on it."""


def edge(kind: str, transaction: int, then: int, partition: int = 0) -> dict[str, Any]:
    place = {"partition": partition, "offset": transaction, "seq": transaction}
    return {
        **TOPIC, "kind": kind, "transaction": transaction, "then": then, **place,
        "then_offset": 10 + then, "then_seq": then,
    }  # fmt: skip


def test_a_cycle_of_writes_is_g0_and_one_of_reads_g1c() -> None:
    rows = [edge("ww", 1, 2), edge("ww", 2, 1, 3), edge("wr", 4, 5), edge("wr", 5, 4)]
    found = {row["kind"]: row for row in cycles(rows)}
    assert {kind: row["transactions"] for kind, row in found.items()} == {"g0": 2, "g1c": 2}
    assert [step["note"] for step in found["g0"]["operations"]] == [
        "transaction 1, partition 3, after transaction 2 wrote offset 2",
        "transaction 2, partition 0, after transaction 1 wrote offset 1",
    ]
    assert {step["what"] for step in found["g1c"]["operations"]} == {"read"}


def test_a_cycle_of_both_kinds_of_edges_is_as_normal_as_g0() -> None:
    assert list(cycles([edge("ww", 1, 2), edge("wr", 2, 1)])) == []


def test_of_many_transactions_a_short_cycle_is_shown() -> None:
    ring = [edge("ww", each, (each + 1) % 40) for each in range(40)]
    (row,) = cycles([*ring, edge("ww", 9, 7)])
    assert (row["transactions"], row["first_transaction"]) == (40, 0)
    assert [step["seq"] for step in row["operations"]] in ([7, 8, 9], [8, 9, 7], [9, 7, 8])


def test_repeats_are_not_mixed() -> None:
    assert list(cycles([edge("ww", 1, 2), {**edge("ww", 2, 1), "repeat": 1}])) == []


def test_too_many_dependencies_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SUSPECTS", 3)
    assert list(cycles([edge("ww", each, each + 1) for each in range(3)])) == []
    with pytest.raises(InsyncError, match="more than 3 "):
        list(cycles([edge("ww", each, each + 1) for each in range(4)]))


class Log:
    """A made-up repeat whose transactions write and read as they like."""

    def __init__(self, repeat: int) -> None:
        chance = random.Random(repeat)  # noqa: S311
        self.repeat = repeat
        count = chance.randint(2, 9)
        wild = chance.random() < 0.4
        self.ends = {
            number: chance.choices(["committed", "unknown", "aborted"], [8, 1, 1])[0]
            for number in range(count)
        }
        self.begun = {number: float(number // 2) for number in range(count)}
        self.logs: dict[int, list[int]] = {}
        for partition in range(3):
            writers = [n for n in range(count) if chance.random() < 0.8]
            for at, _ in enumerate(writers[1:]):
                if wild and chance.random() < 0.4:
                    writers[at], writers[at + 1] = writers[at + 1], writers[at]
            self.logs[partition] = writers
        places = [(p, at) for p, writers in self.logs.items() for at in range(len(writers))]
        picked = [(chance.choice(places), chance.randrange(count)) for _ in places[::3]]
        self.reads = [
            (place, reader)
            for place, reader in picked
            if wild or self.logs[place[0]][place[1]] < reader
        ]

    def edges(self) -> set[Edge]:
        """Return every dependency, by a simple search."""
        alive = {number for number, end in self.ends.items() if end != "aborted"}
        found: set[Edge] = set()
        for writers in self.logs.values():
            committed = [number for number in writers if number in alive]
            found |= {("ww", one, then) for one, then in pairwise(committed)}
        for (partition, at), reader in self.reads:
            if {writer := self.logs[partition][at], reader} <= alive and writer != reader:
                found.add(("wr", writer, reader))
        return found


def groups(edges: set[Edge]) -> Counter[tuple[str, int, int]]:
    """Return kind, size and lowest member of each group that cycles connect."""
    found: Counter[tuple[str, int, int]] = Counter()
    for kind, name in (("ww", "g0"), ("wr", "g1c")):
        graph = nx.DiGraph([(one, then) for of, one, then in edges if of == kind])
        for group in nx.strongly_connected_components(graph):
            if len(group) > 1:
                found[name, len(group), min(group)] += 1
    return found


def test_the_suspects_hold_every_cycle_and_few_others() -> None:
    logs = [Log(repeat) for repeat in range(120)]
    produced = [
        (log.repeat, partition, 10 * partition + at, at, number)
        for log in logs
        for partition, writers in log.logs.items()
        for at, number in enumerate(writers)
    ]
    ends = [
        (log.repeat, number, log.begun[number], end)
        for log in logs
        for number, end in log.ends.items()
    ]
    reads = [
        (log.repeat, partition, 10 * partition + at, reader)
        for log in logs
        for (partition, at), reader in log.reads
    ]
    sent = "repeat partition seq offset transaction"
    rows = dependencies(
        table(PRODUCE, sent, [*produced, *produced[::7]], done_ms=1.0),
        table(TRANSACTIONS, "repeat transaction begun_ms end", [*ends, *ends[::5]]),
        table(TRANSACTION_READS, "repeat partition seq transaction", reads),
    ).collect()
    suspects = [row.asDict() for row in rows]
    found: dict[int, Counter[tuple[str, int, int]]] = {}
    for row in cycles(suspects):
        group = (row["kind"], row["transactions"], row["first_transaction"])
        found.setdefault(row["repeat"], Counter())[group] += 1
    expected = {repeat: of for repeat, log in enumerate(logs) if (of := groups(log.edges()))}
    assert found == expected
    assert {kind for of in expected.values() for kind, _, _ in of} == {"g0", "g1c"}
    every = [(repeat, *each) for repeat, log in enumerate(logs) for each in log.edges()]
    shown = {(row["repeat"], row["kind"], row["transaction"], row["then"]) for row in suspects}
    assert shown <= set(every)
    assert len(shown) < 0.8 * len(every)
