"""`insync why --logs` on what operators have, too: junk, wrong clocks, logs of two clusters."""

import gzip
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

from insync.errors import InputError
from insync.why.answer import Diagnosis
from unit.why.test_logs import HEALTHY, SETTINGS, SLOW_LEADER, answer, at, leads, shrinks, write

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


def test_gigabytes_of_other_lines_need_little_memory(tmp_path: Path) -> None:
    other = at(2, "INFO [GroupCoordinator 1]: Member app in group g has left the group")
    write(tmp_path / "1.log", [*SLOW_LEADER, *[other] * (12 * MB // len(other)), at(90, "INFO x")])
    tracemalloc.start()
    found = answer(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * MB
    assert found.findings[0].broker == 1
    assert f"{12 * MB // len(other) + len(SLOW_LEADER) + 1:,} lines; 8 of them" in found.notes[0]


def test_a_binary_file_without_line_ends_needs_little_memory_and_says_nothing(
    tmp_path: Path,
) -> None:
    write(tmp_path / "1.log", HEALTHY)
    (tmp_path / "2.log").write_bytes(bytes(each for each in range(256) if each != 10) * 48_000)
    tracemalloc.start()
    found = answer(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * MB
    assert found.findings == ()
    assert any(each.endswith("2.log: no line with a date") for each in found.gaps)


def test_lines_are_whole_at_the_ends_of_the_blocks_in_which_a_file_is_read(tmp_path: Path) -> None:
    for filler in range(MB - 700, MB, 97):
        write(tmp_path / "1.log", [at(0, "x" * filler), *SLOW_LEADER])
        (finding,) = answer(tmp_path).findings
        assert [each.number for each in finding.lines] == [6, 8]


def test_a_line_that_says_something_in_a_form_of_its_own_is_named(tmp_path: Path) -> None:
    odd = at(50, "INFO [Partition t-0 broker=1] Shrinking ISR from {1;2} to {1}")
    write(tmp_path / "1.log", [*HEALTHY, odd])
    assert any("cannot be read: 1 (1.log:4)" in each for each in answer(tmp_path).gaps)
    write(tmp_path / "1.log", HEALTHY)
    assert not any("cannot be read" in each for each in answer(tmp_path).gaps)


@pytest.mark.parametrize("line", IN_CLUSTER)
@pytest.mark.parametrize("ids", [("A" * 22, "B" * 22), ("A" * 22, "A" * 22)])
def test_logs_of_two_clusters_are_refused_by_their_ids(
    tmp_path: Path, ids: tuple[str, str], line: str
) -> None:
    for name, cluster in zip(("a", "b"), ids, strict=True):
        write(tmp_path / f"{name}.log", [at(0, line.format(cluster)), *SLOW_LEADER])
    if ids[0] == ids[1]:
        assert answer(tmp_path).findings[0].broker == 1
    else:
        with pytest.raises(InputError, match=r"2 clusters: A+ \(a.log\), B+ \(b.log\)"):
            answer(tmp_path)


@pytest.mark.parametrize(
    ("names", "second", "refused"),
    [
        (("a/server.log", "b/server.log"), HEALTHY, True),  # of another broker 1
        (("a/server.log", "b/server.log"), SLOW_LEADER, False),  # a copy
        (("a/server.log", "a/state-change.log"), HEALTHY, False),  # another log of the same broker
        (("a/server.log.1", "a/server.log"), [at(60, "INFO [Broker id=1] x")], False),  # rotated
    ],
)
def test_two_logs_of_one_name_and_time_are_of_two_clusters(
    tmp_path: Path, names: tuple[str, str], second: list[str], *, refused: bool
) -> None:
    write(tmp_path / names[0], SLOW_LEADER)
    write(tmp_path / names[1], [line.replace("broker=2", "broker=1").replace("[Broker id=2]",
                                "[Broker id=1]") for line in second])  # fmt: skip
    if refused:
        with pytest.raises(InputError, match=r"server\.log are both the server log of node 1"):
            answer(tmp_path)
    else:
        assert answer(tmp_path).findings[0].broker == 1


def cut_link(folder: Path, ahead: int, shared: Sequence[Sequence[str]] = ((), (), ())) -> Diagnosis:
    """Write logs of two brokers that drop each other; the second one's clock is ahead."""
    one = [at(1, leads("t-0", 1)), at(40, shrinks("t-0", 1, "1,2,3", "1,3"))]
    two = [at(1 + ahead, leads("t-1", 2)), at(40 + ahead, shrinks("t-1", 2, "1,2,3", "2,3"))]
    write(folder / "1.log", [at(0, "INFO KafkaConfig values:"), SETTINGS, *shared[0], *one])
    write(folder / "2.log", [*shared[1], *two])
    if shared[2]:
        write(folder / "controller.log", [*shared[2]])
    return answer(folder)


def test_a_wrong_clock_is_found_by_registrations_and_corrected(tmp_path: Path) -> None:
    shared = (
        [at(0, REGISTERED.format(1, 7))], [at(900, REGISTERED.format(2, 8))],
        [at(0, RECORD.format(1, 7)), at(0, RECORD.format(2, 8))],
    )  # fmt: skip
    found = cut_link(tmp_path, 900, shared)
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
    tmp_path: Path, late: tuple[int, ...], said: str | None
) -> None:
    epochs_of_1 = [(30 * number, 7 + number) for number in range(len(late))]
    records = [(second + by, epoch) for (second, epoch), by in zip(epochs_of_1, late, strict=True)]
    own = [at(30 + second, RECORD.format(2, epoch)) for second, epoch in epochs_of_1]
    write(tmp_path / "1.log", [at(0, "INFO [Broker id=1] x"), *own, at(99, "INFO x")])
    mine = [at(30 + second - 2 * by, REGISTERED.format(2, epoch))
            for (second, epoch), by in zip(records, late, strict=True)]  # fmt: skip
    write(tmp_path / "2.log", [*mine, at(99, "INFO x")])
    notes = [each for each in answer(tmp_path).notes if "clocks" in each]
    assert [said in each for each in notes] == [True] if said else notes == []


def test_clocks_that_cannot_be_compared_are_taken_as_they_are_and_it_is_said(
    tmp_path: Path,
) -> None:
    found = cut_link(tmp_path, 900)
    assert [each.site for each in found.findings] != ["link"]
    assert any("could not be compared" in each for each in found.notes)


def epochs(broker: int, *seconds: int) -> list[str]:
    """Return when a broker learned each epoch of a partition, and what it reads at its start."""
    old = at(seconds[0], FOLLOWS.format(broker, "u-0", 4, -1))
    return [old, *(at(second, FOLLOWS.format(broker, "u-0", 5 + epoch, 4 + epoch))
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
    tmp_path: Path, second: tuple[int, ...], sites: list[str], said: str
) -> None:
    found = cut_link(tmp_path, 900, (epochs(1, 10, 130), epochs(2, *second), ()))
    assert [each.site for each in found.findings] == sites
    assert any(said in each for each in found.notes)


def test_clocks_that_nearly_agree_are_left_alone(tmp_path: Path) -> None:
    found = cut_link(tmp_path, 1, (epochs(1, 10, 130), epochs(2, 11, 131), ()))
    assert not any("clocks" in each for each in found.notes)
    assert [each.site for each in found.findings] == ["link"]


def test_a_gzipped_log_that_is_cut_is_read_up_to_there(tmp_path: Path) -> None:
    lines = [*SLOW_LEADER, *(at(70, f"INFO number {each}") for each in range(200_000))]
    whole = gzip.compress("\n".join(lines).encode())
    (tmp_path / "1.log.gz").write_bytes(whole[: len(whole) * 9 // 10])
    found = answer(tmp_path)
    assert found.findings[0].broker == 1
    assert any("1.log.gz: " in each and "read up to there" in each for each in found.gaps)
