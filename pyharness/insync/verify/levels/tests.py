"""Level tests: Kafka's own test classes on the candidate, beside the baseline."""

from insync.engine.campaign import Done
from insync.kafka_tests import arms
from insync.kafka_tests.request import TestsRequest, prepare
from insync.kafka_tests.run import KafkaTests
from insync.progress import Progress
from insync.result import Result
from insync.verify.level import Level, Side, Verification


class TestsLevel(Level, KafkaTests):
    name = "tests"

    def __init__(self, what: Verification, progress: Progress) -> None:
        request = TestsRequest(
            kafka=what.candidate.kafka, baseline=what.baseline.kafka,
            arms=(arm_of(what.candidate),), unknown_methods=what.request.unknown_methods,
        )  # fmt: skip
        KafkaTests.__init__(self, prepare(request, progress.phase))

    def judge(self, done: Done) -> Result:
        return super().judge(done).model_copy(update={"of": self.name})


def arm_of(candidate: Side) -> str:
    """Return the arm of Kafka's tests for a candidate: its own, if the tests can have it."""
    if candidate.agent is None:
        return arms.ABSENT
    return candidate.arm if candidate.arm in arms.WITH_AGENT else "off"
