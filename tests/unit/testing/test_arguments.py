"""`KafkaCluster` accepts what a Python user writes, and refuses the rest in one line."""

import re
from pathlib import Path
from typing import Any

import pytest

from insync.errors import InputError
from insync.testing import KafkaCluster
from insync.testing.kafka_cluster import settings_of


@pytest.mark.parametrize("wanted", [{"brokers": 1}, {"brokers": 99}, {"folder": "a/b"}])
def test_a_cluster_can_be_planned(wanted: dict[str, Any]) -> None:
    KafkaCluster(**wanted, settings={"num.io.threads": 3})


def test_settings_of_python_types_are_written_as_kafka_reads_them() -> None:
    given = {"a": 3, "b": True, "c": False, "d": "x", "e": Path("/f")}
    assert settings_of(given) == {"a": "3", "b": "true", "c": "false", "d": "x", "e": "/f"}
    assert settings_of(None) == {}


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        *(
            ({"brokers": value}, f"brokers: {value!r}, expected a whole number from 1 to 99")
            for value in (0, -1, 100, 1_000, True, 2.0, "3", None)
        ),
        ({"kafka": 4.3}, "kafka: 4.3, expected a string"),
        ({"cluster": None}, "cluster: None, expected a string"),
        ({"plugin": True}, "plugin: True, expected a string"),
        ({"jvm": "-Xmx1g"}, "jvm: '-Xmx1g', expected a list of JVM flags"),
        ({"jvm": ["Xmx1g"]}, "jvm: 'Xmx1g', expected a JVM flag such as '-Xmx1g'"),
        ({"settings": ["a=b"]}, "settings: ['a=b'], expected a mapping of names to values"),
        ({"settings": {1: "x"}}, "settings: the name 1, expected the name of a broker config"),
        ({"settings": {"": "x"}}, "settings: the name '', expected the name of a broker config"),
        ({"settings": {"a": None}}, "settings: a: None, expected a string, an int or a bool"),
        ({"settings": {"a": 1.5}}, "settings: a: 1.5, expected a string, an int or a bool"),
        ({"folder": 7}, "folder: 7, expected a path"),
        ({"folder": ""}, "folder: '', expected a path"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_line(wanted: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(problem)}$"):
        KafkaCluster(**wanted)
