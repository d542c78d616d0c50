"""docs/operate/strimzi.yaml has only fields that Strimzi's own model has."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / "docs" / "operate" / "strimzi.yaml"
READER = ROOT / "tests" / "data" / "strimzi" / "StrimziFields.java"


@pytest.fixture(scope="module")
def class_path() -> str:
    gradle = ["gradle", "-q", "--no-daemon", "--console=plain", "strimziClassPath"]
    done = subprocess.run(gradle, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return (ROOT / "build" / "strimzi.classpath").read_text()


def read(class_path: str, manifest: Path) -> subprocess.CompletedProcess[str]:
    command = ["java", "-cp", class_path, READER, manifest]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_the_manifest_has_only_fields_that_strimzi_knows(class_path: str) -> None:
    done = read(class_path, MANIFEST)
    kinds = ["KafkaNodePool", "KafkaNodePool", "Kafka"]
    assert (done.returncode, done.stdout.split()) == (0, kinds)


@pytest.mark.long
@pytest.mark.parametrize("field", ["volumeMounts", "reference", "roles", "config"])
def test_a_field_unknown_to_strimzi_is_found(class_path: str, tmp_path: Path, field: str) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(MANIFEST.read_text().replace(f"{field}:", f"{field}x:"))
    done = read(class_path, wrong)
    assert done.returncode != 0
    assert f'Unrecognized field "{field}x"' in done.stderr
