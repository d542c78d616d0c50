"""The optional parts of an installation: named as pyproject.toml has them, and asked for early."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from insync import extras
from insync.errors import InputError

ROOT = Path(__file__).parents[3]


def test_the_packages_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra, packages in extras.PACKAGES.items():
        listed = project["optional-dependencies"][extra]
        names = {re.split(r"[<>=\[]", each)[0].removesuffix("-client") for each in listed}
        assert names - {"insync", "pysail"} == set(packages)


def test_a_missing_extra_is_one_line_with_what_works_instead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(extras.PACKAGES, "bench", ("pytest", "no_such_package"))
    assert not extras.has("bench")
    with pytest.raises(InputError) as error:
        extras.require("bench", "run", "--record-only")
    assert str(error.value) == (
        "run: needs no_such_package, which is not installed, expected the extra 'bench':"
        " pip install 'insync[bench]', or --record-only"
    )


def test_an_installed_extra_is_not_asked_for() -> None:
    assert extras.has("analysis")
    extras.require("analysis", "run")
