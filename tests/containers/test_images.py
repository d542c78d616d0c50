"""Builds images on a real engine: from nothing, not root, quick to start, with a health check.

The image for Strimzi holds the agent's jar, its licences, and nothing that runs.
"""

import io
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import docker
import pytest

from commands import invoke_json
from host_base import host_base
from insync.artifacts import AGENT_JAR, built
from insync.brokers.images import image as images
from insync.brokers.images.image import SAMPLE, Image, prepare
from insync.brokers.kafka import formats, releases
from insync.brokers.kafka.distribution import LOG_CONFIG, Distribution, node_flags
from insync.brokers.kafka.warmup import sample_settings, started
from insync.cli.app import invoke
from insync.errors import InputError
from waiting import wait_for

Run = Callable[..., Any]
OutputOf = Callable[..., str]
ROOT = Path(__file__).resolve().parents[2]
INSIDE_TMP = Path("/tmp")  # noqa: S108  # a path in the image


@pytest.fixture
def run(engine: docker.DockerClient) -> Iterator[Run]:
    """Start a container that is gone at the end of the test."""
    with ExitStack() as stack:

        def begin(image: str, command: list[str], **options: Any) -> Any:
            container = engine.containers.run(
                image, command, detach=True, network_mode="none", **options
            )
            stack.callback(container.remove, force=True, v=True)
            return container

        yield begin


@pytest.fixture
def output_of(run: Run) -> OutputOf:
    """Run a command in a container, expect success, and return its output."""

    def to_the_end(tag: str, command: list[str], **options: Any) -> str:
        container = run(tag, command, **options)
        assert container.wait(timeout=60)["StatusCode"] == 0, container.logs()
        text: str = container.logs().decode()
        return text

    return to_the_end


@pytest.fixture
def names_of_its_own(
    engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, str], str]]:
    """Use image names of which none is built yet; return what makes a base from a Dockerfile."""
    of_bases, of_kafka = "insync-test-base", "insync-test-kafka"
    monkeypatch.setattr("insync.brokers.images.image.REPOSITORY", of_kafka)

    def base_from(name: str, dockerfile: str) -> str:
        tag = f"{of_bases}:{name}"
        engine.images.build(fileobj=io.BytesIO(dockerfile.encode()), tag=tag, rm=True)
        return tag

    yield base_from
    for name in (of_kafka, of_bases):
        for image in engine.images.list(name):
            for tag in image.tags:
                engine.images.remove(tag)


def nameless(engine: docker.DockerClient) -> set[str]:
    """Return what a build may leave behind by mistake: images without a name, and containers."""
    left = {image.id for image in engine.images.list(filters={"dangling": True})}
    return left | {each.id for each in engine.containers.list(all=True, ignore_removed=True)}


@pytest.mark.usefixtures("names_of_its_own")
def test_an_image_is_built_from_nothing(
    engine: docker.DockerClient, dist: Distribution, capsys: pytest.CaptureFixture[str]
) -> None:
    before = nameless(engine)
    base = host_base(engine)
    (row,) = invoke_json(capsys, "image", "build", "--no-cache", "--base", base)["images"]
    assert row["tag"] == f"insync-test-kafka:{dist.version}"
    assert (row["base"], row["jre"]) == (base, dist.java.description)
    assert row["made"]
    assert row["fresh"]
    assert nameless(engine) <= before


def test_an_existing_image_is_not_built_again(
    image: Image, engine: docker.DockerClient, capsys: pytest.CaptureFixture[str]
) -> None:
    made = invoke_json(capsys, "image", "build", "--base", host_base(engine))["images"]
    assert [row["made"] for row in made] == [False]
    rows = invoke_json(capsys, "image", "list")["images"]
    assert (image.tag, True) in [(row["tag"], row["fresh"]) for row in rows]


def test_it_runs_as_the_user_kafka_and_any_user_may_read_all_of_it(
    image: Image, output_of: OutputOf
) -> None:
    assert output_of(image.tag, ["id"]).startswith("uid=1000(kafka) gid=1000(kafka)")
    unreadable = 'for f in $(find /opt); do [ -r "$f" ] || echo "$f"; done'
    assert output_of(image.tag, ["sh", "-c", unreadable], user="4711:4711") == ""


def loads_from_the_archive(image: Image, run: Run) -> bool:
    """Whether a node loads its classes from the archive; without settings it ends at once."""
    flags = [*node_flags(INSIDE_TMP), "-Xshare:on", "-Xlog:class+load"]
    node = run(image.tag, image.command(flags, "kafka.Kafka"))
    node.wait(timeout=60)
    return "kafka.Kafka$ source: shared objects file (top)" in node.logs().decode()


def test_a_node_loads_its_classes_from_the_archive(image: Image, run: Run) -> None:
    assert loads_from_the_archive(image, run)


@pytest.mark.long
def test_on_a_base_of_the_users_own_with_zookeeper(
    image: Image, engine: docker.DockerClient, names_of_its_own: Callable[[str, str], str],
    output_of: OutputOf, run: Run,
) -> None:  # fmt: skip
    """It has another user and another entry point, as public images may."""
    own = names_of_its_own(
        "own",
        f"FROM {host_base(engine)}\n"
        "RUN echo 'ubuntu:x:1000:1000::/:/bin/sh' >> /etc/passwd\n"
        'USER 65534\nENTRYPOINT ["/bin/false"]\n',
    )
    assert invoke(["image", "build", "--kafka", "2.8.2", "--base", own]) == 0
    made = images.require(releases.find("2.8.2"))
    assert made.tag == "insync-test-kafka:2.8.2"
    assert made.java == image.java
    assert output_of(made.tag, ["id"]).startswith("uid=1000(kafka)")
    assert loads_from_the_archive(made, run)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("RUN rm /opt/jre/bin/java\n", "its java does not run: "),
        ("RUN rm /bin/sh\n", "has no shell that runs: "),
        (
            "RUN printf '#!/bin/sh\\necho java.specification.version = 11\\necho java.home = /\\n"
            "echo java.vm.name = x\\necho java.runtime.version = 11.0.1\\n' > /opt/jre/bin/java\n",
            "has Java 11, expected 17 or newer",
        ),
    ],
    ids=["no java", "no shell", "old java"],
)
def test_a_base_that_cannot_run_kafka_is_refused(
    lines: str, problem: str, image: Image, engine: docker.DockerClient,
    names_of_its_own: Callable[[str, str], str],
) -> None:  # fmt: skip
    name = names_of_its_own("unfit", f"FROM {host_base(engine)}\n{lines}")
    with pytest.raises(InputError) as error:
        prepare(engine, name, print)
    assert str(error.value).startswith(f"base {name}: {problem}")
    assert "\n" not in str(error.value)


@pytest.fixture
def shared_folder(tmp_path: Path, dist: Distribution) -> Path:
    """Make a formatted node's folder that every user of the container may write to."""
    formats.copy(dist.formats / "controller", tmp_path, node=1, cluster=formats.new_id())
    text = sample_settings(dist.release, SAMPLE, 29092, 29093)
    (tmp_path / "server.properties").write_text(text, encoding="utf-8")
    shutil.copy(LOG_CONFIG, tmp_path)
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777)
    return tmp_path


def test_a_node_is_healthy_once_it_serves(
    image: Image, dist: Distribution, engine: docker.DockerClient, run: Run, shared_folder: Path
) -> None:
    flags = node_flags(SAMPLE, SAMPLE / LOG_CONFIG.name)
    node = run(
        image.tag,
        image.command(flags, "kafka.Kafka", str(SAMPLE / "server.properties")),
        environment={"INSYNC_HEALTH": "127.0.0.1:29092"},
        volumes={str(shared_folder): {"bind": str(SAMPLE), "mode": "rw"}},
    )
    assert node.exec_run("/opt/kafka/health.sh").exit_code != 0
    wait_for(lambda: node.logs().decode(), lambda log: started(dist.release) in log, 60)
    assert node.exec_run("/opt/kafka/health.sh").exit_code == 0
    check = engine.images.get(image.tag).attrs["Config"]["Healthcheck"]
    assert check["Test"] == ["CMD", "/opt/kafka/health.sh"]


def test_a_stale_image_is_not_used(
    image: Image, dist: Distribution, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert images.require(dist.release) == image
    monkeypatch.setattr("insync.brokers.images.image.node_flags", lambda *_: ["-Xmx1g"])
    with pytest.raises(
        InputError, match=r"stale, this insync builds a different one, expected it from `insync"
    ):
        images.require(dist.release)


def test_the_image_for_strimzi_holds_the_jar_and_its_licences_and_nothing_else(
    engine: docker.DockerClient, tmp_path: Path
) -> None:
    jar = built(AGENT_JAR)
    shutil.copy(jar, tmp_path / "insync-agent-0.1.0.jar")
    for name in ("LICENSE", "NOTICE", "plugin-java/image/Dockerfile"):
        shutil.copy(ROOT / name, tmp_path)
    image, _ = engine.images.build(path=str(tmp_path), rm=True)
    try:
        container = engine.containers.create(image.id, command="none")
        try:
            exported = io.BytesIO(b"".join(container.export()))
        finally:
            container.remove()
    finally:
        engine.images.remove(image.id)
    with tarfile.open(fileobj=exported) as tar:
        files = {each.name: each.size for each in tar if each.isfile() and each.size}
    sizes = {name: (ROOT / name).stat().st_size for name in ("LICENSE", "NOTICE")}
    assert files == {"insync-agent.jar": jar.stat().st_size, **sizes}
