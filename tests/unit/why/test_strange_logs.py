"""`insync why --logs` on what operators have, too: junk, wrong clocks, logs of two clusters."""

import gzip
import tracemalloc
from collections.abc import Sequence

import pytest

from insync.errors import InputError
from insync.why.answer import Diagnosis
from unit.why.log_files import (
    END,
    HEALTHY,
    SETTINGS,
    SLOW_LEADER,
    Line,
    Logs,
    X,
    at,
    leads,
    shrinks,
)

MB = 1 << 20
REGISTERED = (
    "INFO [BrokerLifecycleManager id={0}] Successfully registered broker {0} with broker epoch {1}"
)
RECORD = (
    "INFO [QuorumController id=100] Replayed initial RegisterBrokerRecord for broker {0}:"
    " RegisterBrokerRecord(brokerId={0}, isMigratingZkBroker=false, brokerEpoch={1}, endPoints=[])"
)
IN_CLUSTER = (
    "INFO [BrokerLifecycleManager id=1] Incarnation ELDNMd-USHeKZoiHHJB26Q of broker 1 in cluster"
    " {} is now STARTING.",
    "INFO [QuorumController id=1] Creating new QuorumController with clusterId {}.",
    "INFO Cluster ID = {} (kafka.server.KafkaServer)",
)
FOLLOWS = (
    "INFO [Broker id={0}] Follower {1} starts at leader epoch {2} from offset 9 with partition"
    " epoch 3 and high watermark 9. Current leader is 1. Previous leader Some(1) and previous"
    " leader epoch was {3}. (state.change.logger)"
)


def needs_little_memory(logs: Logs) -> Diagnosis:
    tracemalloc.start()
    found = logs.answer()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * MB
    return found


def test_gigabytes_of_other_lines_need_little_memory(logs: Logs) -> None:
    other = (2, "INFO [GroupCoordinator 1]: Member app in group g has left the group")
    count = 12 * MB // len(at(*other))
    logs.write("1.log", *SLOW_LEADER, *[other] * count, (90, X))
    found = needs_little_memory(logs)
    assert found.findings[0].broker == 1
    assert f"{count + len(SLOW_LEADER) + 1:,} lines; 8 of them" in found.notes[0]


def test_a_binary_file_without_line_ends_needs_little_memory_and_says_nothing(logs: Logs) -> None:
    logs.write("1.log", *HEALTHY)
    no_end = bytes(each for each in range(256) if each != 10)
    (logs.folder / "2.log").write_bytes(no_end * 48_000)
    found = needs_little_memory(logs)
    assert found.findings == ()
    assert any(each.endswith("2.log: no line with a date") for each in found.gaps)


def test_lines_are_whole_at_the_ends_of_the_blocks_in_which_a_file_is_read(logs: Logs) -> None:
    for filler in range(MB - 700, MB, 97):
        logs.write("1.log", (0, "x" * filler), *SLOW_LEADER)
        (finding,) = logs.answer().findings
        assert [each.number for each in finding.lines] == [6, 8]


def test_a_line_that_says_something_in_a_form_of_its_own_is_named(logs: Logs) -> None:
    odd = (50, "INFO [Partition t-0 broker=1] Shrinking ISR from {1;2} to {1}")
    logs.write("1.log", *HEALTHY, odd)
    assert any("cannot be read: 1 (1.log:4)" in each for each in logs.answer().gaps)
    logs.write("1.log", *HEALTHY)
    assert not any("cannot be read" in each for each in logs.answer().gaps)


@pytest.mark.parametrize("line", IN_CLUSTER)
@pytest.mark.parametrize("other", ["B", "A"])
def test_logs_of_two_clusters_are_refused_by_their_ids(logs: Logs, other: str, line: str) -> None:
    for name, cluster in (("a.log", "A"), ("b.log", other)):
        logs.write(name, (0, line.format(cluster * 22)), *SLOW_LEADER)
    if other == "A":
        assert logs.answer().findings[0].broker == 1
    else:
        with pytest.raises(InputError, match=r"2 clusters: A+ \(a.log\), B+ \(b.log\)"):
            logs.answer()


HEALTHY_1: list[Line] = [(1, leads("t-5", 1)), (90, X)]


@pytest.mark.parametrize(
    ("first", "second", "lines", "refused"),
    [
        ("a/server.log", "b/server.log", HEALTHY_1, True),  # of another broker 1
        ("a/server.log", "b/server.log", SLOW_LEADER, False),  # a copy
        ("a/server.log", "a/state-change.log", HEALTHY_1, False),  # another log of the same broker
        ("a/server.log.1", "a/server.log", [(60, "INFO [Broker id=1] x")], False),  # rotated
    ],
)
def test_two_logs_of_one_name_and_time_are_of_two_clusters(
    logs: Logs, first: str, second: str, lines: list[Line], *, refused: bool
) -> None:
    logs.write(first, *SLOW_LEADER)
    logs.write(second, *lines)
    if refused:
        with pytest.raises(InputError, match=r"server\.log are both the server log of node 1"):
            logs.answer()
    else:
        assert logs.answer().findings[0].broker == 1


def cut_link(logs: Logs, ahead: int, *shared: Sequence[Line]) -> Diagnosis:
    """Write logs of two brokers that drop each other; the second one's clock is ahead.

    `shared` are lines of both, and of a controller.
    """
    of_1, of_2, *of_controller = shared or ((), ())
    one = [(1, leads("t-0", 1)), (40, shrinks("t-0", 1, "1,3"))]
    two = [(1 + ahead, leads("t-1", 2)), (40 + ahead, shrinks("t-1", 2, "2,3"))]
    logs.write("1.log", (0, "INFO KafkaConfig values:"), SETTINGS, *of_1, *one)
    logs.write("2.log", *of_2, *two)
    for lines in of_controller:
        logs.write("controller.log", *lines)
    return logs.answer()


def test_a_wrong_clock_is_found_by_registrations_and_corrected(logs: Logs) -> None:
    found = cut_link(
        logs, 900, [(0, REGISTERED.format(1, 7))], [(900, REGISTERED.format(2, 8))],
        [(0, RECORD.format(1, 7)), (0, RECORD.format(2, 8))],
    )  # fmt: skip
    assert [each.site for each in found.findings] == ["link"]
    assert "clocks: that of node 2 was 900.0 s ahead; its times are corrected" in found.notes
    assert found.span.ms == 40_000


@pytest.mark.parametrize(
    ("late", "said"),
    [
        ((2, 0), None),  # the controller that started late logged one of them late
        ((3, 8), "could not be compared"),
        ((4, 4), "node 2 was 4.0 s behind"),
        ((4,), "could not be compared"),
    ],
)
def test_a_registration_that_a_controller_logs_late_is_no_wrong_clock(
    logs: Logs, late: tuple[int, ...], said: str | None
) -> None:
    controllers: list[Line] = [(0, "INFO [Broker id=1] x")]
    brokers: list[Line] = []
    for number, by in enumerate(late):
        controllers.append((30 + 30 * number, RECORD.format(2, 7 + number)))
        brokers.append((30 + 30 * number - by, REGISTERED.format(2, 7 + number)))
    logs.write("1.log", *controllers, END)
    logs.write("2.log", *brokers, END)
    notes = [each for each in logs.answer().notes if "clocks" in each]
    assert [said in each for each in notes] == [True] if said else notes == []


def test_clocks_that_cannot_be_compared_are_taken_as_they_are_and_it_is_said(logs: Logs) -> None:
    found = cut_link(logs, 900)
    assert [each.site for each in found.findings] != ["link"]
    assert any("could not be compared" in each for each in found.notes)


def epochs(broker: int, *seconds: int) -> list[Line]:
    """Return when a broker learned each epoch of a partition, and what it reads at its start."""
    old = (seconds[0], FOLLOWS.format(broker, "u-0", 4, -1))
    return [old, *((second, FOLLOWS.format(broker, "u-0", 5 + epoch, 4 + epoch))
                   for epoch, second in enumerate(seconds))]  # fmt: skip


@pytest.mark.parametrize(
    ("second", "sites", "said"),
    [
        ((910, 1030), ["link"], "node 2 was 900.0 s ahead"),
        ((910,), ["following", "following"], "could not be compared"),  # one moment
        ((910, 200), ["following", "following"], "could not be compared"),  # they disagree
    ],
)
def test_a_wrong_clock_is_found_by_epochs_of_two_moments(
    logs: Logs, second: tuple[int, ...], sites: list[str], said: str
) -> None:
    found = cut_link(logs, 900, epochs(1, 10, 130), epochs(2, *second))
    assert [each.site for each in found.findings] == sites
    assert any(said in each for each in found.notes)


def test_clocks_that_nearly_agree_are_left_alone(logs: Logs) -> None:
    found = cut_link(logs, 1, epochs(1, 10, 130), epochs(2, 11, 131))
    assert not any("clocks" in each for each in found.notes)
    assert [each.site for each in found.findings] == ["link"]


def test_a_gzipped_log_that_is_cut_is_read_up_to_there(logs: Logs) -> None:
    logs.write("1.log", *SLOW_LEADER, *((70, f"INFO number {each}") for each in range(200_000)))
    plain = logs.folder / "1.log"
    whole = gzip.compress(plain.read_bytes())
    (logs.folder / "1.log.gz").write_bytes(whole[: len(whole) * 9 // 10])
    plain.unlink()
    found = logs.answer()
    assert found.findings[0].broker == 1
    assert any("1.log.gz: " in each and "read up to there" in each for each in found.gaps)
