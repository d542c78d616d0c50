"""Fetches that claim to come from followers, on connections whose clients may not replicate."""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from confluent_kafka import TopicCollection
from confluent_kafka.admin import AdminClient

from insync.brokers.kafka import wire
from insync.brokers.kafka.wire import exchange

FETCH = (1, 15)
"""The first version in which a follower names its broker epoch."""
TOPIC_AUTHORIZATION_FAILED = 29
NEWEST_EPOCH = (1 << 62) - 1
"""A broker epoch that no real follower's exceeds."""
_NO_TAGS = b"\0"
_ERROR_AT = ">ixihi x16sx ih"
"""The answer up to the first partition's error: correlation, throttle, error, session, topic."""


def fetch(topic_id: bytes, replica: int, partition: int = 0) -> bytes:
    """Return a fetch of a partition from its start, in the name of a replica."""
    state = struct.pack(">iq", replica, NEWEST_EPOCH) + _NO_TAGS
    place = struct.pack(">iiqiqi", partition, -1, 0, -1, 0, 1 << 20) + _NO_TAGS
    body = struct.pack(">iiibii", 500, 1, 1 << 20, 0, 0, -1)  # wait, bytes, isolation, no session
    body += b"\2" + topic_id + b"\2" + place + _NO_TAGS  # one topic with one partition
    body += b"\1\1" + b"\1\1" + bytes([len(state)]) + state  # nothing forgotten, no rack, one tag
    return wire.framed(FETCH, body, flexible=True)


def topic_id(admin: AdminClient, topic: str) -> bytes:
    (answer,) = admin.describe_topics(TopicCollection([topic])).values()
    found = answer.result(30).topic_id
    return struct.pack(">qq", found.get_most_significant_bits(), found.get_least_significant_bits())


class Forger:
    """Sends fetches in the names of replicas to a broker, until the block ends.

    Each of its connections has one fetch after the other. From time to time it drops all of them,
    with a fetch pending, and opens others.
    """

    def __init__(
        self, port: int, topic: bytes, replicas: Sequence[int], connections: int = 100
    ) -> None:
        """Claim the ids `replicas` in turn; every second connection claims an id of its own."""
        self._port = port
        self._topic = topic
        self._replicas = replicas
        self.connections = connections
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._unknown = 1_000
        self.opened = 0
        self.refused = 0
        self.others: set[int] = set()
        self.broken: list[OSError] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                with ExitStack() as open_ones:
                    self._burst(open_ones)
            except OSError as error:
                self.broken.append(error)
                self._ended.wait(0.1)

    def _burst(self, open_ones: ExitStack) -> None:
        """Open the connections, send ten fetches on each, and drop them."""
        peers: list[tuple[socket.socket, bytes]] = []
        for number in range(self.connections):
            peer = open_ones.enter_context(wire.connect(self._port, 30))
            peers.append((peer, fetch(self._topic, self._claimed(number))))
            self.opened += 1
        for _ in range(10):
            for peer, request in peers:
                error = int(struct.unpack_from(_ERROR_AT, exchange(peer, request))[-1])
                if error == TOPIC_AUTHORIZATION_FAILED:
                    self.refused += 1
                else:
                    self.others.add(error)
            if self._ended.wait(0.1):
                break
        for peer, request in peers:
            peer.sendall(request)

    def _claimed(self, number: int) -> int:
        if number % 2:
            self._unknown += 1
            return self._unknown
        return self._replicas[number // 2 % len(self._replicas)]


@contextmanager
def forging_process(
    port: int, topic: bytes, replicas: Sequence[int], connections: int
) -> Iterator[dict[str, Any]]:
    """Run a Forger in a process of its own, so that it does not slow this one down.

    After the block the yielded figures are how many fetches were refused, and any other errors.
    """
    figures: dict[str, Any] = {}
    arguments = json.dumps([port, topic.hex(), list(replicas), connections])
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    with subprocess.Popen(
        [sys.executable, "-m", "integration.production.forged", arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path},
    ) as process:  # fmt: skip
        try:
            yield figures
        finally:
            printed, _ = process.communicate(timeout=60)
            figures.update(json.loads(printed))


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    with Forger(asked[0], bytes.fromhex(asked[1]), asked[2], connections=asked[3]) as forger:
        sys.stdin.read()
    print(
        json.dumps(
            {"refused": forger.refused, "others": [*forger.others, *map(str, forger.broken)]}
        )
    )
