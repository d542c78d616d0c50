"""Two samples over JMX: calls that hang, parts of requests that are slow, links, and gaps."""

import json
from dataclasses import replace
from typing import Any

import pytest

from insync.errors import InputError
from insync.why.answer import Diagnosis
from insync.why.facts import Partition
from insync.why.infer import answer_of
from insync.why.sources.jmx import (
    Sample,
    Thread,
    facts_of,
    parse,
    require_known,
    site_of,
    targets_of,
)
from unit.why.made_up import dropped, judged, told

HANDLER = "data-plane-kafka-request-handler-0"
NETWORK = "data-plane-kafka-network-thread-1-ListenerName(INTERNAL)-PLAINTEXT-0"
PREAD = (
    "sun.nio.ch.FileDispatcherImpl.pread0", "sun.nio.ch.FileDispatcherImpl.pread",
    "sun.nio.ch.IOUtil.readIntoNativeBuffer", "kafka.cluster.Partition.fetchRecords",
)  # fmt: skip
WRITE = ("sun.nio.ch.FileDispatcherImpl.write0", "sun.nio.ch.FileDispatcherImpl.write",
         "sun.nio.ch.IOUtil.writeFromNativeBuffer", "sun.nio.ch.IOUtil.write",
         "sun.nio.ch.FileChannelImpl.write")  # fmt: skip
SEND = ("sun.nio.ch.FileChannelImpl.transferTo0", "sun.nio.ch.FileChannelImpl.transferToDirectly")
PARKED = ("jdk.internal.misc.Unsafe.park", "kafka.network.RequestChannel.receiveRequest")
FIGURES = {"uptime": 100_000, "gc": 100, "queue": 0, "shrinks": 0}


def samples(
    *threads: tuple[str, tuple[str, ...]], broker: int = 1, later: Any = None, **grown: int
) -> tuple[Sample, Sample]:
    """Return two samples 4 s apart; figures grow by `grown`, the threads stay or become `later`."""
    after = threads if later is None else later

    def made(at_ms: float, figures: dict[str, int], seen: Any) -> Sample:
        listed = [Thread(number, name, frames) for number, (name, frames) in enumerate(seen)]
        return Sample(broker=broker, at_ms=at_ms, error=None, figures=figures, threads=listed)

    begun = {**FIGURES, **dict.fromkeys(grown, 0), "uptime": 100_000}
    ended = {**begun, "uptime": 104_000, **grown}
    return made(0, begun, threads), made(4_000, ended, after)


def answer(*pairs: tuple[Sample, Sample], brokers: Any = (1,), out: Any = ()) -> Diagnosis:
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    return answer_of(facts_of(first, second, brokers, out), "now")


def part(time: str, ms: int) -> dict[str, int]:
    """Return the figures of ten fetches, and how long they were in a part of their way in sum."""
    return {"count.FetchFollower": 10, f"sum.{time}.FetchFollower": ms}


SLOW = part("LocalTimeMs", 3_000)
FETCHES = ("ReplicaFetcherThread-0-2", PARKED)
SILENT = samples(FETCHES, **{"fetches.2": 0})
OTHER = samples(broker=2)
IDLE = samples()
RESTARTED = IDLE[0], replace(IDLE[1], figures={**FIGURES, "uptime": 1_500})


@pytest.mark.parametrize(
    ("frames", "site"),
    [
        (("sun.nio.ch.UnixFileDispatcherImpl.pread0",), "read"),
        (("sun.nio.ch.FileDispatcherImpl.force0",), "flush"),
        (("java.io.RandomAccessFile.setLength0",), "index"),
        (PARKED, None),
        ((WRITE[0], "sun.nio.ch.SocketDispatcher.write", "sun.nio.ch.IOUtil.write"), None),
        (("sun.nio.ch.SocketDispatcher.read0",), None),
        (("java.lang.Object.wait0",), None),
        ((), None),
    ],
)
def test_the_site_is_the_native_call_on_a_file(frames: tuple[str, ...], site: str | None) -> None:
    assert site_of(frames) == site


def hangs(thread: str, *frames: str) -> list[tuple[Sample, Sample]]:
    return [samples((thread, frames), (HANDLER, PARKED))]


ELSEWHERE = (*PREAD[:3], "kafka.log.LogSegment.somethingElse")


@pytest.mark.parametrize(
    ("expected", "value", "pairs"),
    [
        ("1 disk: read", 4_000, hangs(HANDLER, *PREAD)),
        ("1 disk: send", 4_000, hangs(NETWORK, *SEND)),
        ("1 disk: append: write", 4_000, hangs(HANDLER, *WRITE)),
        ("1 disk: append as a follower", 4_000, hangs("ReplicaFetcherThread-0-2", *WRITE)),
        ("", None, [samples((HANDLER, PREAD), later=((HANDLER, ELSEWHERE),))]),
        ("1 disk: read", 300, [samples(**SLOW)]),
        ("1 disk or network: send", 300, [samples(**part("ResponseSendTimeMs", 3_000))]),
        ("1 disk or process: queue", 300, [samples(**part("RequestQueueTimeMs", 3_000))]),
        ("", None, [samples(**part("LocalTimeMs", 30))]),
        ("", None, [samples(**{"count.FetchFollower": 0})]),
        ("1 process: frozen or starved", 3_000, [samples(**SLOW, gc=3_000)]),
        ("1 process: ended", 4_000, [RESTARTED]),
        ("1-2 network: link", 4_000, [SILENT, OTHER]),
        ("", None, [samples(FETCHES, **{"fetches.2": 8}), OTHER]),
        ("", None, [(SILENT[0], replace(SILENT[1], at_ms=1_500)), OTHER]),
        ("2 disk: read", 4_000, [SILENT, samples((HANDLER, PREAD), broker=2)]),
    ],
    ids=[
        "a read hangs", "a transfer to a socket hangs", "an append hangs",
        "an append of a fetcher hangs", "a thread reads elsewhere later",
        "fetches are read slowly", "fetches are sent slowly", "fetches are queued for long",
        "fetches are fast", "there are no fetches",
        "a process that collects garbage is named before what that makes slow",
        "a restarted process", "a link without an answered fetch", "a link with one",
        "samples that are close to each other say nothing of links",
        "a fetch that a slow leader owes is the leader's",
    ],
)  # fmt: skip
def test_who_is_slow_by_two_samples(
    expected: str, value: float | None, pairs: list[tuple[Sample, Sample]]
) -> None:
    found = answer(*pairs)
    assert told(found) == expected
    assert [each.evidence[0].value for each in found.findings] == [value] * bool(expected)


def test_a_broker_that_does_not_answer_is_a_gap_and_no_finding() -> None:
    silent = Sample(broker=2, at_ms=0, error="no answer within 5000 ms", figures={}, threads=())
    found = answer(IDLE, (silent, silent), brokers=(1, 2, 3))
    assert found.findings == ()
    assert [each[:42] for each in found.unread] == ["broker 2 did not answer over JMX (no answe"]
    assert any("nothing is known of broker 3: no --jmx 3=" in gap for gap in found.gaps)
    assert (found.blind, found.is_complete) == (False, False)
    nobody = answer((silent, silent), brokers=(2,))
    assert (nobody.blind, nobody.is_complete, nobody.findings) == (True, False, ())


def test_the_replicas_that_are_out_of_an_isr_are_whom_kafka_blames() -> None:
    out = [dropped(leader, 3, Partition("t", leader - 1), fenced=True) for leader in (1, 2)]
    (found,) = answer(samples((HANDLER, PREAD)), out=out).findings
    assert judged(found) == ["3 wrongly"]
    assert found.blamed[0].partitions == (Partition("t", 0),)


def test_addresses_are_parsed_and_refused() -> None:
    assert targets_of(["1=localhost:9991", "2=[::1]:9992"]) == {
        1: "localhost:9991", 2: "[::1]:9992",
    }  # fmt: skip
    for wrong in ("localhost:9991", "1=localhost", "a=b:1", "1=:5"):
        with pytest.raises(InputError, match="expected ID=HOST:PORT"):
            targets_of([wrong])
    with pytest.raises(InputError, match="given twice"):
        targets_of(["1=a:1", "1=b:1"])
    require_known({1: "a:1"}, [1, 2])
    with pytest.raises(InputError, match=r"--jmx 7=b:1: no such broker, expected one of 1, 2"):
        require_known({1: "a:1", 7: "b:1"}, [1, 2])


def test_a_line_of_the_jvm_is_parsed() -> None:
    line = {"id": 1, "figures": {"uptime": 5}, "threads": [{"id": 9, "name": "n", "frames": ["a"]}]}
    sample = parse(json.dumps(line), 7)
    assert (sample.broker, sample.error, sample.threads[0].frames) == (1, None, ("a",))
    assert parse('{"id":2,"error":"refused"}', 7).error == "refused"
