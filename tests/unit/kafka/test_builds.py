"""A Kafka build of the user's own: which jars run, and which version they are."""

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from insync.brokers.kafka.builds import find, is_path, undefined
from insync.brokers.kafka.distribution import LOG_CONFIG, log_flags
from insync.errors import InputError
from unit.kafka.made_up_builds import BROKER, CLIENTS, VERSION, build, jar


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("jars", "old"),
    [
        (["slf4j-reload4j-1.7.36.jar", "reload4j-1.2.25.jar"], True),
        (["log4j-core-2.25.5.jar"], False),
    ],
)
def test_a_build_with_log4j_1_gets_its_configuration(jars: list[str], old: bool) -> None:
    flags = log_flags([Path(name) for name in jars])
    files = [Path(flag.removeprefix("-Dlog4j.configuration=file:")) for flag in flags]
    assert [file.is_file() for file in files] == [True] * old
    for file in files:
        pattern = "ConversionPattern="
        (new,) = (line for line in LOG_CONFIG.read_text().splitlines() if "layout.pattern" in line)
        assert new.partition(" = ")[2] == file.read_text().partition(pattern)[2].partition("\n")[0]


@pytest.mark.parametrize("libs", [".", "libs"])
def test_a_folder_or_its_libs_are_used_in_the_order_of_names(tmp_path: Path, libs: str) -> None:
    folder = build(tmp_path / "kafka" / libs)
    jar(folder / "00-patch.jar", {"kafka/cluster/Partition.class": ""})
    jar(folder / "kafka_2.13-4.3.1-sources.jar", BROKER)
    jar(folder / "kafka-clients-4.3.1-test.jar", {})
    release = find(str(tmp_path / "kafka"))
    assert [file.name for file in release.files] == [
        "00-patch.jar", "kafka-clients-4.3.1.jar", "kafka_2.13-4.3.1.jar", "zstd-jni-1.5.6-10.jar",
    ]  # fmt: skip
    assert release.version == "4.3.1"
    assert release.name == f"4.3.1+{release.build}"
    assert (release.zookeeper, release.elr) == (False, True)


@pytest.mark.parametrize(
    ("version", "zookeeper", "elr"),
    [("2.8.2", True, False), ("3.9.2", False, False), ("4.0.1-ccs", False, False),
     ("4.1.0-SNAPSHOT", False, True)],
)  # fmt: skip
def test_the_version_decides_what_the_nodes_are(
    tmp_path: Path, version: str, *, zookeeper: bool, elr: bool
) -> None:
    release = find(str(build(tmp_path, version)))
    assert (release.version, release.zookeeper, release.elr) == (version, zookeeper, elr)


def test_a_build_packed_or_not_has_its_name_from_its_contents(tmp_path: Path) -> None:
    first, second, packed = build(tmp_path / "1"), build(tmp_path / "2"), tmp_path / "own.tgz"
    with tarfile.open(packed, "w:gz") as content:
        content.add(first, "kafka/libs")
    assert find(str(first)).name == find(str(second)).name == find(str(packed)).name
    jar(second / "zstd-jni-1.5.6-10.jar", {"changed": ""})
    third = second.rename(tmp_path / "3")
    assert find(str(third)).name != find(str(first)).name


def test_a_tgz_is_unpacked_into_the_cache_by_jars_names(tmp_path: Path, own_cache: Path) -> None:
    libs = build(tmp_path / "libs")
    packed = tmp_path / "kafka_2.13-4.3.1.tgz"
    with tarfile.open(packed, "w:gz") as content:
        for file in libs.iterdir():
            content.add(file, f"kafka_2.13-4.3.1/libs/{file.name}")
        outside = tarfile.TarInfo("kafka_2.13-4.3.1/libs/../../../libs/out.jar")
        with io.BytesIO() as none:
            content.addfile(outside, none)
        script = tarfile.TarInfo("kafka_2.13-4.3.1/bin/kafka-server-start.sh")
        content.addfile(script, io.BytesIO())
    (own_cache / "x").parent.mkdir(exist_ok=True)
    with pytest.raises(InputError, match=r"out\.jar: not a readable jar"):
        find(str(packed))
    assert not (tmp_path / "out.jar").exists()
    places = {file.parent for file in own_cache.rglob("*.jar")}
    assert len(places) == 1


@pytest.mark.parametrize(
    ("more", "without", "problem"),
    [
        ({}, "kafka_2.13-4.3.1.jar", "the broker (class kafka.Kafka): none, expected one"),
        ({"kafka_2.12-4.3.1.jar": BROKER}, None, "kafka_2.12-4.3.1.jar, kafka_2.13-4.3.1.jar"),
        ({}, "kafka-clients-4.3.1.jar", "jars with Kafka's clients: none, expected one"),
        ({"kafka-server-4.3.0.jar": {}}, None, "mixed versions: kafka-server-4.3.0.jar beside"),
        ({"raft.jar": dict.fromkeys(VERSION, "version=4.4.0")}, None, "mixed versions: raft.jar"),
        (
            {"kafka-clients-4.3.1.jar": dict.fromkeys(CLIENTS, "")},
            None,
            "kafka-clients-4.3.1.jar: expected kafka/kafka-version.properties in it",
        ),
    ],
)
def test_a_folder_that_is_no_kafka_is_refused(
    tmp_path: Path, more: Mapping[str, Mapping[str, str]], without: str | None, problem: str
) -> None:
    folder = build(tmp_path)
    for name, entries in more.items():
        jar(folder / name, entries)
    if without:
        (folder / without).unlink()
    with pytest.raises(InputError) as refused:
        find(str(folder))
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_not_there_or_not_packed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no jars, expected a folder"):
        find(str(tmp_path / "nowhere"))
    (tmp_path / "broken.tgz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"not a readable \.tgz"):
        find(str(tmp_path / "broken.tgz"))


def test_a_build_defines_the_configs_that_its_class_names(tmp_path: Path) -> None:
    assert undefined(find(str(build(tmp_path / "stock"))), ["one.enable"]) == "one.enable"
    folder = build(tmp_path / "patched")
    configs = {"org/apache/kafka/server/config/ReplicationConfigs.class": "..one.enable..two.ms"}
    jar(folder / "kafka-server-4.3.1.jar", configs)
    patched = find(str(folder))
    assert undefined(patched, ["one.enable", "two.ms"]) is None
    assert undefined(patched, ["two.ms", "three.ms"]) == "three.ms"
    assert undefined(find("4.3.1"), ["replica.lag.time.max.ms"]) is not None, "only own builds"


def test_a_version_is_no_path() -> None:
    assert find("4.3.1").path is None
    assert [is_path(each) for each in ("4.3.1", "./4.3.1", ".", "a.tgz", "/opt/kafka")] == [
        False, True, True, True, True,
    ]  # fmt: skip
