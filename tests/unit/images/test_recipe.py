"""An image's digest: equal for equal contents, different for any change."""

from dataclasses import replace
from pathlib import Path

import pytest

from insync.brokers.images import built
from insync.brokers.images.built import Base
from insync.brokers.images.image import image_of
from insync.brokers.kafka import versions
from insync.brokers.kafka.distribution import LOG_CONFIG, node_flags

JAVA = Path("/opt/jre/bin/java")
BASE = Base("sha256:1", "insync-base:jre17", JAVA, "OpenJDK 17.0.15+6")
KRAFT, ZOOKEEPER = versions.pinned("4.3.1"), versions.pinned("2.8.2")


def test_the_digest_covers_the_bases_contents_and_every_jar_and_not_the_bases_name() -> None:
    first, *others = KRAFT.jars
    tampered = replace(KRAFT, jars=(replace(first, sha256="0" * 64), *others))
    releases = [tampered, *map(versions.pinned, versions.known())]
    bases = [replace(BASE, id="sha256:2"), replace(BASE, java=Path("/opt/java/bin/java"))]
    digests = [built.digest(each, BASE) for each in releases]
    digests += [built.digest(KRAFT, each) for each in bases]
    assert len(set(digests)) == len(digests)
    assert built.digest(KRAFT, replace(BASE, name="x")) == built.digest(KRAFT, BASE)


@pytest.mark.parametrize("name", sorted(built.texts(image_of(KRAFT, JAVA), KRAFT)))
def test_a_change_of_any_file_changes_the_digest(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = built.digest(KRAFT, BASE)
    texts = built.texts(image_of(KRAFT, JAVA), KRAFT)
    monkeypatch.setattr(built, "texts", lambda *_: texts | {name: texts[name] + "\n"})
    assert built.digest(KRAFT, BASE) != before


def test_the_labels_name_the_base() -> None:
    labels = built.labels(KRAFT, BASE)
    assert labels["insync.kafka"] == "4.3.1"
    assert labels["insync.jre"] == BASE.jre
    assert built.base_of(labels) == BASE


def test_the_archive_is_dumped_with_the_command_line_of_a_node() -> None:
    """The JVM accepts an archive only with the exact class path that it was dumped with."""
    image = image_of(KRAFT, JAVA)
    dumped = built.texts(image, KRAFT)["sample/node.args"].splitlines()
    flags = node_flags(built.SAMPLE, built.SAMPLE / LOG_CONFIG.name)
    run = image.command(flags, "kafka.Kafka", f"{built.SAMPLE}/server.properties")
    assert run[0] == str(JAVA)
    assert dumped[0] == f"-XX:ArchiveClassesAtExit={image.cds}"
    assert run[1] == f"-XX:SharedArchiveFile={image.cds}"
    assert dumped[1:] == run[2:]


def test_a_version_on_zookeeper_includes_zookeepers_settings() -> None:
    texts = built.texts(image_of(ZOOKEEPER, JAVA), ZOOKEEPER)
    assert "zookeeper.connect=127.0.0.1:9093" in texts["sample/server.properties"]
    assert "clientPort=9093" in texts["sample/zookeeper.properties"]
    assert texts["sample/zookeeper.args"].startswith("-XX:SharedArchiveFile=/opt/kafka/classes.jsa")
