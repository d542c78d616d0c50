"""Arms compared with the control arm: pairs, exact intervals and tests, and none without data."""

from typing import Any

import pyarrow as pa

from insync.analysis.tables.gold.compare import compare, differences

RUN = "made-up"


def test_differences_are_paired_by_run_and_repeat() -> None:
    arm = {(RUN, 0): 5.0, (RUN, 1): 7.0, ("another", 0): 100.0}
    found = compare(arm, {(RUN, 0): 1.0, (RUN, 1): 2.0, (RUN, 2): 9.0})
    assert (found["pairs"], found["median_difference"]) == (2, 4.5)
    assert (found["low"], found["high"], found["p_value"]) == (None, None, None)


def values(arm: str, metric: str, *found: float, scenario: str = "one") -> list[dict[str, Any]]:
    cell = {"scenario": scenario, "kafka": "4.3.1", "cluster": "local", "scale": 1.0, "arm": arm}
    return [
        {**cell, "run": RUN, "repeat": repeat, "metric": metric, "value": value}
        for repeat, value in enumerate(found)
    ]


def test_p_values_are_adjusted_over_all_tests_of_a_scenario() -> None:
    growing = [float(each) for each in range(8)]
    rows = [
        *values("stock", "isr_shrinks", *growing),
        *values("plugin", "isr_shrinks", *(each + 1 for each in growing)),
        *values("stock", "acked", *growing),
        *values("plugin", "acked", *(each + (-1) ** n for n, each in enumerate(growing))),
        *values("stock", "lost", *[0.0] * 8),
        *values("plugin", "lost", *[0.0] * 8),
        *values("stock", "acked", 1.0, 2.0, scenario="two"),
        *values("plugin", "acked", 2.0, 3.0, scenario="two"),
    ]
    controls = pa.table({"run": [RUN], "control_arms": [["stock"]]})
    found = {
        (row["scenario"], row["metric"]): row
        for row in differences(pa.Table.from_pylist(rows), controls)
    }
    assert found["one", "isr_shrinks"]["p_value"] == 2 / 2**8
    assert found["one", "isr_shrinks"]["p_holm"] == 2 * 2 / 2**8
    assert found["one", "acked"]["p_holm"] == 1.0
    assert found["one", "lost"]["p_holm"] is None
    assert {row["comparisons"] for row in found.values() if row["scenario"] == "one"} == {2}
    assert found["one", "lost"]["pairs_needed"] == 7
    few = found["two", "acked"]
    assert (few["pairs"], few["p_holm"], few["pairs_needed"]) == (2, None, 6)
