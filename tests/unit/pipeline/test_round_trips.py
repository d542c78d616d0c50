"""How often Python asks Spark's JVM for classes and functions."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as fn


@pytest.fixture
def view(spark: SparkSession) -> Any:
    return spark.sparkContext._gateway.jvm  # type: ignore[union-attr]  # a classic session has one


def test_a_class_and_its_functions_are_asked_for_once(
    view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fn.upper(fn.col("name"))
    asked: list[str] = []
    client = view._gateway_client
    send = client.send_command

    def count(command: str, *options: Any) -> Any:
        asked.append(command)
        return send(command, *options)

    monkeypatch.setattr(client, "send_command", count)
    fn.upper(fn.col("name"))
    assert [command for command in asked if command.startswith("r\n")] == []
    assert any(command.startswith("c\n") for command in asked)


def test_what_is_remembered_is_what_the_jvm_has(view: Any) -> None:
    functions = view.functions
    assert functions is view.functions
    assert functions.upper is functions.upper
    assert str(functions.upper(functions.lit("a"))) == "upper('a')"


def test_a_package_and_the_value_of_a_field_are_asked_for_each_time(view: Any) -> None:
    assert view.org is not view.org
    assert view.java.lang.Integer.MAX_VALUE == (1 << 31) - 1
    assert "MAX_VALUE" not in vars(view.java.lang.Integer)
