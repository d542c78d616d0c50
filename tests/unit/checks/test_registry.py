"""The registry names every anomaly, maps the names of older tables, and writes the document."""

from pathlib import Path

import pytest

from insync.analysis.checks.registry import ANOMALIES, as_markdown, metrics_checked, with_label
from insync.metrics import METRICS

DOCS = Path(__file__).parents[3] / "docs"
OLD_NAMES = {
    "lost": "lost-write",
    "duplicated": "duplicate",
    "reordered": "nonmonotonic-send",
    "poll_back": "nonmonotonic-poll",
    "skipped": "poll-skip",
    "inconsistent": "inconsistent-offsets",
    "aborted_read": "aborted-read",
    "torn": "fractured-read",
    "split_epoch": "split-epoch",
    "watermark_back": "nonmonotonic-high-watermark",
    "diverged": "log-divergence",
}


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_a_row_of_an_older_table_gets_the_new_name_and_a_label(old: str, new: str) -> None:
    row = with_label({"kind": old, "offset": 3})
    assert row == with_label({"kind": new, "offset": 3})
    assert (row["kind"], row["offset"]) == (new, 3)
    assert row["label"]


def test_names_are_unique() -> None:
    names = [name for each in ANOMALIES for name in (each.name, each.old_name) if name]
    assert len(set(names)) == len(names)


def test_every_integrity_metric_counts_an_anomaly() -> None:
    counted = {each.metric for each in ANOMALIES if each.metric}
    # A producer that retries without idempotence may write a record twice.
    assert counted - {"duplicated"} == {each.name for each in METRICS.values() if each.integrity}


def test_anomalies_of_one_metric_are_known_for_the_same_partitions() -> None:
    for counted in metrics_checked().values():
        assert len({(each.known, each.known_if) for each in counted}) == 1


def test_the_document_has_the_table_of_the_registry() -> None:
    (document,) = DOCS.rglob("checker.md")
    assert as_markdown() in document.read_text(encoding="utf-8"), (
        "python -m insync.analysis.checks.registry writes it"
    )
