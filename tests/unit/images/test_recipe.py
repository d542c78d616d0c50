"""An image is built of a context, whose digest differs for any change."""

import io
import tarfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from insync.brokers.images import image as images
from insync.brokers.images.image import Base, image_of
from insync.brokers.kafka import versions
from insync.brokers.kafka.distribution import LOG_CONFIG, Distribution, node_flags
from insync.brokers.kafka.formats import ROLES
from insync.brokers.kafka.java import Java
from insync.errors import InsyncError

JAVA = Path("/opt/jre/bin/java")
BASE = Base("sha256:1", "insync-base:jre17", JAVA, "OpenJDK 17.0.15+6")
KRAFT, ZOOKEEPER = versions.pinned("4.3.1"), versions.pinned("2.8.2")


def test_the_digest_covers_the_bases_contents_and_every_jar_and_not_the_bases_name() -> None:
    first, *others = KRAFT.jars
    tampered = replace(KRAFT, jars=(replace(first, sha256="0" * 64), *others))
    releases = [tampered, *map(versions.pinned, versions.known())]
    bases = [replace(BASE, id="sha256:2"), replace(BASE, java=Path("/opt/java/bin/java"))]
    digests = [images.digest(each, BASE) for each in releases]
    digests += [images.digest(KRAFT, each) for each in bases]
    assert len(set(digests)) == len(digests)
    assert images.digest(KRAFT, replace(BASE, name="x")) == images.digest(KRAFT, BASE)


@pytest.mark.parametrize("name", sorted(images.texts(image_of(KRAFT, JAVA), KRAFT)))
def test_a_change_of_any_file_changes_the_digest(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = images.digest(KRAFT, BASE)
    texts = images.texts(image_of(KRAFT, JAVA), KRAFT)
    monkeypatch.setattr(images, "texts", lambda *_: texts | {name: texts[name] + "\n"})
    assert images.digest(KRAFT, BASE) != before


def test_the_labels_name_the_base() -> None:
    labels = images.labels(KRAFT, BASE)
    assert labels["insync.kafka"] == "4.3.1"
    assert images.base_of(labels) == BASE
    assert images.base_of({}) is None


def test_the_archive_is_dumped_with_the_command_line_of_a_node() -> None:
    """The JVM accepts an archive only with the exact class path that it was dumped with."""
    image = image_of(KRAFT, JAVA)
    dumped = images.texts(image, KRAFT)["sample/node.args"].splitlines()
    flags = node_flags(images.SAMPLE, images.SAMPLE / LOG_CONFIG.name)
    run = image.command(flags, "kafka.Kafka", f"{images.SAMPLE}/server.properties")
    assert run[0] == str(JAVA)
    assert dumped[0] == f"-XX:ArchiveClassesAtExit={image.cds}"
    assert run[1] == f"-XX:SharedArchiveFile={image.cds}"
    assert dumped[1:] == run[2:]


def test_a_version_on_zookeeper_includes_zookeepers_settings() -> None:
    texts = images.texts(image_of(ZOOKEEPER, JAVA), ZOOKEEPER)
    assert "zookeeper.connect=127.0.0.1:9093" in texts["sample/server.properties"]
    assert "clientPort=9093" in texts["sample/zookeeper.properties"]
    assert texts["sample/zookeeper.args"].startswith("-XX:SharedArchiveFile=/opt/kafka/classes.jsa")


@pytest.fixture
def dist(tmp_path: Path) -> Distribution:
    """Make a distribution as in the cache, with private permissions."""
    release = versions.pinned("4.3.1")
    jars = tuple(tmp_path / jar.file_name for jar in release.jars)
    for jar in jars:
        jar.write_text(jar.name)
        jar.chmod(0o600)
    for role in ROLES:
        for part in ("data", "metadata"):
            folder = tmp_path / "formats" / role / part
            folder.mkdir(parents=True)
            (folder / "meta.properties").write_text("node.id=9\ncluster.id=x\n")
    return Distribution(release, Java(tmp_path, 17, "x"), jars, tmp_path / "formats", None)


def packed(dist: Distribution) -> tarfile.TarFile:
    context = io.BytesIO()
    images._pack(dist, BASE, context)
    context.seek(0)
    return tarfile.open(fileobj=context)


def test_the_context_has_each_file_that_is_copied_readable_by_all(dist: Distribution) -> None:
    with packed(dist) as tar:
        texts = {}
        for name in ("Dockerfile", "sample/data/meta.properties"):
            content = tar.extractfile(name)
            texts[name] = content.read().decode().splitlines()
        for entry in tar:
            assert entry.mode & 0o444 == 0o444, entry.name
            assert (entry.uid, entry.gid) == (0, 0)
            assert bool(entry.mode & 0o111) == (entry.isdir() or entry.name.endswith(".sh"))
        names = set(tar.getnames())
    dockerfile, meta = texts.values()
    copied = [line.split()[1] for line in dockerfile if line.startswith("COPY ")]
    assert copied == ["libs", "health.sh", "sample"]
    assert {"health.sh", "sample/dump.sh", "sample/node.args", "sample/log4j2.properties"} <= names
    assert {f"libs/{jar.name}" for jar in dist.jars} <= names
    assert "sample/metadata/meta.properties" in names
    assert "node.id=1" in meta, "the sample node is node 1"
    assert "cluster.id=x" not in meta, "of its own cluster"


def test_every_step_is_reported() -> None:
    messages: list[str] = []
    answers: Sequence[dict[str, str]] = [
        {"stream": "Step 1/2 : ARG BASE\n"}, {"stream": "\n"}, {"stream": " ---> 1a2b\n"},
        {"stream": "Step 2/2 : FROM ${BASE}\n"}, {"aux": "x"},
    ]  # fmt: skip
    images._follow(answers, "insync-kafka:4.3.1", messages.append)
    assert messages == ["image insync-kafka:4.3.1: step 1/2", "image insync-kafka:4.3.1: step 2/2"]


def test_a_failed_step_is_reported_with_its_last_output() -> None:
    answers = [
        {"stream": "Step 1/2 : RUN true\n"}, {"stream": "fine\n"},
        {"stream": "Step 2/2 : RUN sh dump.sh\n"}, {"stream": "a node did not start:\n"},
        {"stream": "ERROR no port\n"}, {"error": "The command returned a non-zero code: 1"},
    ]  # fmt: skip
    with pytest.raises(InsyncError) as error:
        images._follow(answers, "insync-kafka:4.3.1", print)
    assert str(error.value) == (
        "image insync-kafka:4.3.1: build failed: a node did not start: | ERROR no port | "
        "The command returned a non-zero code: 1"
    )
