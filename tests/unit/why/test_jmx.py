"""Two samples over JMX: calls that hang, parts of requests that are slow, links, and gaps."""

import json
from typing import Any

import pytest

from insync.errors import InputError
from insync.why.facts import Partition
from insync.why.infer import answer_of
from insync.why.sources.jmx import (
    Out,
    Sample,
    Thread,
    facts_of,
    parse,
    require_known,
    site_of,
    targets_of,
)

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


def answer(*pairs: tuple[Sample, Sample], brokers: Any = (1,), out: Any = ()) -> Any:
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    return answer_of(facts_of(first, second, brokers, out), "now")


@pytest.mark.parametrize(
    ("frames", "site"),
    [
        (PREAD, "read"),
        (("sun.nio.ch.UnixFileDispatcherImpl.pread0",), "read"),
        (SEND, "send"),
        (WRITE, "write"),
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


@pytest.mark.parametrize(
    ("thread", "frames", "site"),
    [
        (HANDLER, PREAD, "read"),
        (NETWORK, SEND, "send"),
        (HANDLER, WRITE, "append: write"),
        ("ReplicaFetcherThread-0-2", WRITE, "append as a follower"),
    ],
)
def test_a_call_that_a_thread_has_not_left_hangs(
    thread: str, frames: tuple[str, ...], site: str
) -> None:
    (found,) = answer(samples((thread, frames), (HANDLER, PARKED))).findings
    assert (found.broker, found.cause, found.site) == (1, "disk", site)
    assert found.evidence[0].value == 4_000


def test_a_thread_that_reads_elsewhere_later_only_works() -> None:
    other = (*PREAD[:3], "kafka.log.LogSegment.somethingElse")
    assert answer(samples((HANDLER, PREAD), later=((HANDLER, other),))).findings == ()


def test_a_broker_that_does_not_answer_is_a_gap_and_no_finding() -> None:
    silent = Sample(broker=2, at_ms=0, error="no answer within 5000 ms", figures={}, threads=())
    found = answer(samples((HANDLER, PARKED)), (silent, silent), brokers=(1, 2, 3))
    assert found.findings == ()
    assert [each[:42] for each in found.unread] == ["broker 2 did not answer over JMX (no answe"]
    assert any("nothing is known of broker 3: no --jmx 3=" in gap for gap in found.gaps)
    assert (found.blind, found.is_complete) == (False, False)
    nobody = answer((silent, silent), brokers=(2,))
    assert (nobody.blind, nobody.is_complete, nobody.findings) == (True, False, ())


def test_slow_requests_are_named_by_the_part_that_is_slow() -> None:
    slow = {"count.FetchFollower": 10, "sum.LocalTimeMs.FetchFollower": 3_000}
    (found,) = answer(samples(**slow)).findings
    assert (found.cause, found.site, found.evidence[0].value) == ("disk", "read", 300)
    sent = {"count.FetchFollower": 10, "sum.ResponseSendTimeMs.FetchFollower": 3_000}
    whole = answer(samples(**sent))
    assert (whole.findings[0].cause, whole.findings[0].may_be) == ("undecided", ("disk", "network"))
    assert not whole.is_complete
    queued = {"count.FetchFollower": 10, "sum.RequestQueueTimeMs.FetchFollower": 3_000}
    assert answer(samples(**queued)).findings[0].site == "queue"


def test_requests_of_usual_speed_are_no_finding() -> None:
    usual = {"count.FetchFollower": 100, "sum.LocalTimeMs.FetchFollower": 300}
    assert answer(samples(**usual)).findings == ()
    assert answer(samples(**{"count.FetchFollower": 0})).findings == ()


def test_a_process_that_collects_garbage_is_named_before_what_that_makes_slow() -> None:
    slow = {"count.FetchFollower": 10, "sum.LocalTimeMs.FetchFollower": 3_000, "gc": 3_000}
    (found,) = answer(samples(**slow)).findings
    assert (found.cause, found.site) == ("process", "frozen or starved")
    assert found.evidence[0].value == 3_000


def test_a_restarted_process_had_ended() -> None:
    first, second = samples()
    again = Sample(
        broker=1, at_ms=4_000, error=None, figures={**second.figures, "uptime": 1_500}, threads=()
    )
    (found,) = answer((first, again)).findings
    assert (found.cause, found.site) == ("process", "ended")


FETCHES = ("ReplicaFetcherThread-0-2", PARKED)


def test_a_link_without_an_answered_fetch_between_two_brokers_that_answer() -> None:
    silent = samples(FETCHES, **{"fetches.2": 0})
    other = samples(broker=2)
    (found,) = answer(silent, other).findings
    assert (found.brokers, found.cause, found.site) == ((1, 2), "network", "link")
    assert answer(samples(FETCHES, **{"fetches.2": 8}), other).findings == ()


def test_samples_that_are_close_to_each_other_say_nothing_of_links() -> None:
    first, second = samples(FETCHES, **{"fetches.2": 0})
    soon = Sample(broker=1, at_ms=1_500, error=None, figures=second.figures, threads=second.threads)
    assert answer((first, soon), samples(broker=2)).findings == ()


def test_a_fetch_that_a_slow_leader_owes_is_the_leaders() -> None:
    silent = samples(FETCHES, **{"fetches.2": 0})
    slow = samples((HANDLER, PREAD), broker=2)
    (found,) = answer(silent, slow).findings
    assert (found.broker, found.cause) == (2, "disk")


def test_the_replicas_that_are_out_of_an_isr_are_whom_kafka_blames() -> None:
    out = [Out(leader=1, follower=3, partition=Partition("t", 0)),
           Out(leader=2, follower=3, partition=Partition("t", 1))]  # fmt: skip
    (found,) = answer(samples((HANDLER, PREAD)), out=out).findings
    assert [(each.follower, each.rightly, len(each.partitions)) for each in found.blamed] == [
        (3, False, 1)
    ]


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
