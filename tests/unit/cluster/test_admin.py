"""A topic is created though the answer to a request does not come."""

import time
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import NewTopic

from insync.brokers.cluster.admin import _create


@pytest.mark.parametrize("lost", ["_TIMED_OUT", "_TRANSPORT", "_DESTROY_BROKER"])
def test_a_request_without_an_answer_is_sent_again(lost: str) -> None:
    codes = [getattr(KafkaError, lost), KafkaError.TOPIC_ALREADY_EXISTS]

    def answered(topics: list[NewTopic], **_: Any) -> dict[str, Future[None]]:
        answer = Future[None]()
        answer.set_exception(KafkaException(KafkaError(codes.pop(0))))
        return {topics[0].topic: answer}

    admin: Any = SimpleNamespace(create_topics=answered)
    _create(admin, NewTopic("events", 1), time.monotonic() + 60.0)
    assert not codes
