"""The build's context, its progress messages, and its error when it fails."""

import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from insync.brokers.images import build
from insync.brokers.images.built import Base
from insync.brokers.kafka import versions
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.formats import ROLES
from insync.brokers.kafka.java import Java
from insync.errors import InsyncError

BASE = Base("sha256:1", "insync-base:jre17", Path("/opt/jre/bin/java"), "OpenJDK 17.0.15+6")


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
    build._pack(dist, BASE, context)
    context.seek(0)
    return tarfile.open(fileobj=context)


def test_the_context_has_every_file_that_the_dockerfile_copies_readable_by_all(
    dist: Distribution,
) -> None:
    with packed(dist) as tar:
        texts = {}
        for name in ("Dockerfile", "sample/data/meta.properties"):
            content = tar.extractfile(name)
            assert content is not None
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
    build._follow(answers, "insync-kafka:4.3.1", messages.append)
    assert messages == ["image insync-kafka:4.3.1: step 1/2", "image insync-kafka:4.3.1: step 2/2"]


def test_a_failed_step_is_reported_with_its_last_output() -> None:
    answers = [
        {"stream": "Step 1/2 : RUN true\n"}, {"stream": "fine\n"},
        {"stream": "Step 2/2 : RUN sh dump.sh\n"}, {"stream": "a node did not start:\n"},
        {"stream": "ERROR no port\n"}, {"error": "The command returned a non-zero code: 1"},
    ]  # fmt: skip
    with pytest.raises(InsyncError) as error:
        build._follow(answers, "insync-kafka:4.3.1", print)
    assert str(error.value) == (
        "image insync-kafka:4.3.1: build failed: a node did not start: | ERROR no port | "
        "The command returned a non-zero code: 1"
    )
