"""`answer`: single answers of a node never come, come late, with an error, or as a reset."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from insync.errors import InputError
from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.kind import FaultKind, KindWords, Requirements, Tags, counted
from insync.faults.spec import OnAnyProcess, OtherTopic, check_delay
from insync.fields import AnyNodeId, Time, broken
from insync.nodes import CONTROLLER_ID

APIS: Final[Mapping[str, int]] = {
    "Produce": 0, "Fetch": 1, "ListOffsets": 2, "Metadata": 3, "OffsetCommit": 8,
    "OffsetFetch": 9, "FindCoordinator": 10, "JoinGroup": 11, "Heartbeat": 12, "LeaveGroup": 13,
    "SyncGroup": 14, "InitProducerId": 22, "OffsetForLeaderEpoch": 23, "AddPartitionsToTxn": 24,
    "AddOffsetsToTxn": 25, "EndTxn": 26, "WriteTxnMarkers": 27, "TxnOffsetCommit": 28, "Vote": 52,
    "BeginQuorumEpoch": 53, "AlterPartition": 56, "Envelope": 58, "BrokerRegistration": 62,
    "BrokerHeartbeat": 63, "AllocateProducerIds": 67, "ConsumerGroupHeartbeat": 68,
}  # fmt: skip
UNDONE: Final = (
    "Produce", "OffsetCommit", "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn",
    "WriteTxnMarkers", "TxnOffsetCommit", "AlterPartition", "BrokerHeartbeat",
    "AllocateProducerIds",
)  # fmt: skip
"""APIs that change something, and whose answers can be made of their requests: parts have the same
names in both."""
ERRORS: Final[Mapping[str, int]] = {
    "UNKNOWN_SERVER_ERROR": -1, "OFFSET_OUT_OF_RANGE": 1, "CORRUPT_MESSAGE": 2,
    "UNKNOWN_TOPIC_OR_PARTITION": 3, "LEADER_NOT_AVAILABLE": 5, "NOT_LEADER_OR_FOLLOWER": 6,
    "REQUEST_TIMED_OUT": 7, "REPLICA_NOT_AVAILABLE": 9, "MESSAGE_TOO_LARGE": 10,
    "NETWORK_EXCEPTION": 13, "COORDINATOR_LOAD_IN_PROGRESS": 14, "COORDINATOR_NOT_AVAILABLE": 15,
    "NOT_COORDINATOR": 16, "NOT_ENOUGH_REPLICAS": 19, "NOT_ENOUGH_REPLICAS_AFTER_APPEND": 20,
    "ILLEGAL_GENERATION": 22, "UNKNOWN_MEMBER_ID": 25, "REBALANCE_IN_PROGRESS": 27,
    "TOPIC_AUTHORIZATION_FAILED": 29, "GROUP_AUTHORIZATION_FAILED": 30,
    "CLUSTER_AUTHORIZATION_FAILED": 31, "NOT_CONTROLLER": 41, "INVALID_REQUEST": 42,
    "OUT_OF_ORDER_SEQUENCE_NUMBER": 45, "DUPLICATE_SEQUENCE_NUMBER": 46,
    "INVALID_PRODUCER_EPOCH": 47, "INVALID_TXN_STATE": 48, "INVALID_PRODUCER_ID_MAPPING": 49,
    "CONCURRENT_TRANSACTIONS": 51, "TRANSACTION_COORDINATOR_FENCED": 52,
    "OPERATION_NOT_ATTEMPTED": 55, "KAFKA_STORAGE_ERROR": 56, "UNKNOWN_PRODUCER_ID": 59,
    "FETCH_SESSION_ID_NOT_FOUND": 70, "INVALID_FETCH_SESSION_EPOCH": 71, "FENCED_LEADER_EPOCH": 74,
    "UNKNOWN_LEADER_EPOCH": 75, "STALE_BROKER_EPOCH": 77, "OFFSET_NOT_AVAILABLE": 78,
    "FENCED_INSTANCE_ID": 82, "INVALID_RECORD": 87, "UNSTABLE_OFFSET_COMMIT": 88,
    "PRODUCER_FENCED": 90, "INVALID_UPDATE_VERSION": 95, "UNKNOWN_TOPIC_ID": 100,
    "INCONSISTENT_TOPIC_ID": 103, "FETCH_SESSION_TOPIC_ID_ERROR": 106, "INELIGIBLE_REPLICA": 107,
    "NEW_LEADER_ELECTED": 108, "FENCED_MEMBER_EPOCH": 110, "STALE_MEMBER_EPOCH": 113,
    "TRANSACTION_ABORTABLE": 120,
}  # fmt: skip
"""The codes of errors by Kafka's names."""

ASKED_BY: Final[Mapping[str, Callable[[int], bool]]] = {
    "clients": lambda _: True,
    "brokers": lambda number: number < CONTROLLER_ID,
    "broker 1": lambda number: number == 1,
    "broker 2": lambda number: number == 2,
    "broker 3": lambda number: number == 3,
    "controllers": lambda number: number >= CONTROLLER_ID,
}
"""By `to`, whether the node with a number is among those that are answered."""


class Answer(OnAnyProcess):
    """Calls of one API that a node answers: their answers are lost, late, wrong, or a reset."""

    intensity = ("delay_ms",)

    kind: Literal["answer"]
    broker: AnyNodeId
    api: str
    to: Literal["clients", "brokers", "broker 1", "broker 2", "broker 3", "controllers"] = "clients"
    mode: Literal["drop", "delay", "reset", "error"]
    from_call: Annotated[int, Field(ge=1)] = 1
    calls: Annotated[int, Field(ge=1)] = 1
    delay_ms: Time = 0
    error: str | None = None
    whole: bool = False
    processed: bool = True
    topic: OtherTopic | None = None  # in which the target's leader is looked up

    @property
    def at_controller(self) -> bool:
        """Whether a controller answers."""
        return self.broker >= CONTROLLER_ID

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        check_delay(self.mode, self.delay_ms)
        self._check_name("api", self.api, APIS)
        if self.mode == "error":
            self._check_name("error", self.error, ERRORS)
        elif self.error is not None:
            raise broken("error", self.error, f"none for mode '{self.mode}'")
        if self.whole and self.mode != "error":
            raise broken("whole", self.whole, f"false for mode '{self.mode}'")
        if not self.processed and self.mode not in ("reset", "error"):
            raise broken("processed", self.processed, f"true for mode '{self.mode}'")
        if not self.processed and self.mode == "error" and self.api not in UNDONE:
            expected = f"true for mode 'error' and another api than {', '.join(UNDONE)}"
            raise broken("processed", self.processed, expected)
        return self

    @model_validator(mode="after")
    def _check_sides(self) -> Self:
        if self.at_controller and self.to == "clients":
            raise broken("to", self.to, "'brokers', 'broker N' or 'controllers' for a controller")
        if not self.at_controller and self.to in ("controllers", f"broker {self.broker}"):
            raise broken("to", self.to, "'clients', 'brokers' or another 'broker N'")
        return self

    @staticmethod
    def _check_name(key: str, name: str | None, known: Mapping[str, int]) -> None:
        if name not in known:
            raise broken(key, name, f"one of {', '.join(known)}")


class AnswerFault(Fault[Answer]):
    def plan(self) -> None:
        from insync.brokers.cluster.links.answers import AnswerRule  # here: scenarios load none

        spec = self.spec
        self.context = replace(self.context, target=[f"{spec.api} to {spec.to}"])
        self._rule = AnswerRule(
            api=APIS[spec.api], mode=spec.mode, asked_by=ASKED_BY[spec.to],
            from_call=spec.from_call, calls=spec.calls, delay_s=spec.delay_ms / 1000,
            processed=spec.processed, code=ERRORS.get(spec.error or "", 0),
        )  # fmt: skip
        self._began = 0.0

    def prepare(self) -> None:
        """Look up where Kafka puts errors into these answers; raises InputError."""
        if self.spec.mode != "error":
            return
        from insync.brokers.kafka import messages

        kafka, api = self.cluster.kafka, APIS[self.spec.api]
        description = messages.described(kafka.jars, api)
        asked = messages.described(kafka.jars, api, "Request")
        if description is None or asked is None:
            raise InputError(
                f"faults: answer 'error' to {self.spec.api} on Kafka {kafka.version}, expected a"
                " version that describes this API (the first that describes any is 2.4)"
            )
        self._rule.places = partial(messages.error_places, description, whole=self.spec.whole)
        self._rule.makes = partial(messages.answer_to, asked, description)

    def inject(self) -> None:
        self.window.begin()
        self._began = time.monotonic()
        to_clients = self.spec.to == "clients"
        self.cluster.proxies.begin_answers(self.node, self._rule, to_clients=to_clients)

    def end(self) -> None:
        """Act on no more calls; who waits for an answer that never comes is disconnected."""
        self.window.end()
        self.cluster.proxies.end_answers(self._rule)

    def evidence(self) -> FaultLine:
        """Return on how many answers it acted; a delay acted for as long as the longest one."""
        rule = self._rule
        figures: dict[str, float] = {"calls": rule.came, "answers": rule.acted}
        if rule.acted:
            figures["version"] = rule.version
            figures["first_ms"] = (rule.first_at - self._began) * 1000
        if self.spec.mode == "delay":
            figures["longest_ms"] = rule.longest_ms
            return self.line(rule.longest_ms, figures)
        return self.line(self.acted_if(rule.acted), figures)


def _requires(spec: Answer, _: int) -> Requirements:
    return Requirements(
        answers=True,
        links=not spec.at_controller and spec.to != "clients",
        client_links=spec.to == "clients",
        controller_links=spec.at_controller,
    )


KIND = FaultKind(
    spec=Answer,
    words=KindWords(
        does="single answers of a broker or controller to one API never come, come late, with an"
        " error code, or the connection is reset instead",
        mechanism="a TCP proxy of the harness before the node's listener, which reads the heads of"
        " requests and answers",
        evidence="`answers`, on how many it acted; of the first the `version` of its API and, from"
        " the beginning of the fault, `first_ms`; `calls`, how many came; of a delay `longest_ms`",
        notes="`api` by Kafka's name; `to` the `clients`, the other `brokers`, `broker N` (its"
        " replica fetchers, and what it asks a controller), or the other `controllers`. `mode` is"
        " `drop`, `delay` with `delay_ms`, `reset` or `error` with an `error` by Kafka's name, from"
        " the `from_call`-th call on, for `calls` of them. See [Single answers](#single-answers).",
    ),
    inject=AnswerFault,
    requires=_requires,
    missing=counted("answers"),
    tags=Tags(outlasts_process=True),
)
