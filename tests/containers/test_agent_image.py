"""The image for Strimzi: it holds the agent's jar, its licences, and nothing that runs."""

import io
import shutil
import tarfile
from pathlib import Path

import docker

from insync.artifacts import AGENT_JAR, built

ROOT = Path(__file__).resolve().parents[2]


def test_the_image_holds_the_jar_and_its_licences_and_nothing_else(
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
