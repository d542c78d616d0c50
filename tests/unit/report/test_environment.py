"""The environment of a run names the client libraries."""

import pytest

from insync.report.reproduce import environment_of
from unit.verdict.test_decide import RUN


@pytest.mark.parametrize(
    ("client", "words"),
    [
        ("librdkafka", "librdkafka"),
        ("java", "Kafka's Java client 4.3.1"),
        ("both", "librdkafka and Kafka's Java client 4.3.1"),
    ],
)
def test_the_clients_are_named_with_their_version(client: str, words: str) -> None:
    workload = RUN.scenario.workload.model_copy(update={"client": client})
    scenario = RUN.scenario.model_copy(update={"workload": workload})
    facts = dict(environment_of([RUN.model_copy(update={"scenario": scenario})], "Sail 0"))
    assert facts["clients"] == words
