"""`insync.testing` as other projects use it: the example of the docs, and what it refuses."""

import re
from pathlib import Path

import pytest

from commands import run_python
from insync.brokers.cluster.admin import create_topic
from insync.brokers.images.image import Image
from insync.errors import InputError
from insync.testing import KafkaCluster
from insync.workload.prefill import prefill

DOCS = Path(__file__).parents[2] / "docs" / "test" / "pytest.md"
PYTHON = re.compile(r"^```python\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.long
@pytest.mark.usefixtures("image")
def test_the_example_of_the_docs_passes(tmp_path: Path) -> None:
    files = dict(PYTHON.findall(DOCS.read_text(encoding="utf-8")))
    # tests/integration/testing runs the other example.
    assert list(files) == ["test_orders.py", "conftest.py", "test_payments.py"]
    for name in ("conftest.py", "test_payments.py"):
        (tmp_path / name).write_text(files[name], encoding="utf-8")
    done = run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_without_a_folder_nothing_is_left_behind(image: Image) -> None:
    with KafkaCluster(brokers=1, settings={"num.io.threads": "3"}) as kafka:
        folder = kafka.nodes[1].folder
        create_topic(kafka.bootstrap, "events", [[1]], {})
        prefill(kafka.bootstrap, "events", range(1), 10)
        settings = (folder / "server.properties").read_text()
        assert "num.io.threads=3" in settings
        assert "offsets.topic.replication.factor=1" in settings
        with pytest.raises(InputError, match="plugin is None"):
            kafka.replicas("events", 0)
    assert not folder.parent.exists()


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ({"kafka": "1.2.3"}, "1.2.3"),
        ({"cluster": "podman"}, "cluster: 'podman', expected one of: local, docker"),
        ({"plugin": "write"}, "plugin: 'write', expected None, read or request"),
        ({"plugin": "request", "kafka": "2.8.2"}, "Kafka 2.8.2 has only"),
    ],
)
def test_an_unsupported_option_is_refused_in_one_line(wanted: dict[str, str], problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)) as error:
        KafkaCluster(**wanted).__enter__()  # type: ignore[arg-type]  # wrong on purpose
    assert "\n" not in str(error.value)
