"""The registry names every anomaly, labels their rows, and writes the document."""

from pathlib import Path

from insync.analysis.checks.registry import ANOMALIES, as_markdown, metrics_checked, with_label
from insync.metrics import METRICS

DOCS = Path(__file__).parents[3] / "docs"


def test_a_row_gets_the_label_of_its_kind() -> None:
    row = with_label({"kind": "lost-write", "offset": 3})
    assert (row["kind"], row["offset"]) == ("lost-write", 3)
    assert row["label"]


def test_names_are_unique() -> None:
    names = [each.name for each in ANOMALIES]
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
