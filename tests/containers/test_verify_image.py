"""The jars of an image are judged as a folder of jars is."""

import json
from pathlib import Path

import docker
import pytest

from insync.brokers.images import built
from insync.brokers.images.image import Image
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.distribution import Distribution
from insync.cli.app import invoke
from insync.errors import InputError
from insync.verify.image import jars_of


def test_the_jars_of_an_image_are_those_that_it_was_built_of(
    engine: docker.DockerClient, image: Image, dist: Distribution, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    before = {each.id for each in engine.containers.list(all=True)}
    out = tmp_path / "out"
    assert invoke(["verify", "--image", image.tag, "--level", "weave", "--out", str(out)]) == 0
    found = json.loads((out / "verdict.json").read_text())
    facts = found["facts"]
    assert facts["candidate: from"] == image.tag
    assert facts["candidate: Kafka"].partition("+")[0] == "4.3.1"
    folder = jars_of(image.tag)
    assert sorted(each.name for each in folder.iterdir()) == sorted(x.name for x in dist.jars)
    assert find(str(folder)).version == "4.3.1"
    # Other tests may start containers meanwhile; none of them is left in state "created".
    left = [each for each in engine.containers.list(all=True) if each.id not in before]
    assert [each for each in left if each.status == "created"] == []


@pytest.mark.usefixtures("image")
def test_an_image_that_is_not_there_or_has_no_kafka_is_one_line(
    engine: docker.DockerClient, dist: Distribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    with pytest.raises(InputError, match="--image nothing-like-it: no such image here"):
        jars_of("nothing-like-it")
    made = built.find(engine, dist.release)
    assert made
    assert made.base
    with pytest.raises(InputError, match="no jars in /opt/kafka/libs, "):
        jars_of(made.base.name)
