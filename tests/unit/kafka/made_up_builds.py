"""Writes made-up Kafka builds: folders of jars that have a version, and no code."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

BROKER = {"kafka/Kafka.class": ""}
VERSION = {"kafka/kafka-version.properties": "commitId=abc\nversion=4.3.1\n"}
CLIENTS = {"org/apache/kafka/clients/NetworkClient.class": "", **VERSION}


def jar(file: Path, entries: Mapping[str, str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as content:
        for name, text in entries.items():
            content.writestr(name, text)


def build(folder: Path, version: str = "4.3.1") -> Path:
    jar(folder / f"kafka_2.13-{version}.jar", BROKER)
    clients = {name: text.replace("4.3.1", version) for name, text in CLIENTS.items()}
    jar(folder / f"kafka-clients-{version}.jar", clients)
    jar(folder / "zstd-jni-1.5.6-10.jar", {})
    return folder
