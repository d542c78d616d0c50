"""The optional part of an installation: named as pyproject.toml has it, and asked for early."""

import re
import tomllib
from pathlib import Path

import pytest

from insync import engines
from insync.errors import InputError

ROOT = Path(__file__).parents[3]


def test_the_packages_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = project["optional-dependencies"]["analysis"]
    names = {re.split(r"[<>=\[]", each)[0].removesuffix("-client") for each in listed}
    assert names - {"pysail"} == set(engines.PACKAGES)


def test_a_missing_package_is_one_line_with_what_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "PACKAGES", ("pytest", "no_such_package"))
    with pytest.raises(InputError) as error:
        engines.require_analysis("run", "--record-only")
    assert str(error.value) == (
        "run: needs no_such_package, which is not installed, expected the extra 'analysis':"
        " pip install 'insync[analysis]', or --record-only"
    )
