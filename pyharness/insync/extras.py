"""Names the optional parts of an installation, and says in one line which one is missing.

`pip install insync` brings what runs brokers; the extras bring what analyses and measures.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final, Literal

from insync.errors import InputError

Extra = Literal["analysis", "bench"]

PACKAGES: Final[Mapping[Extra, tuple[str, ...]]] = {
    "analysis": ("pyspark", "pandas", "pyarrow", "scipy", "networkx"),
    "bench": ("duckdb", "polars"),
}
"""The packages of each extra in pyproject.toml, by the names under which they are imported.

Without the engines, of which one is enough: `engines.require_engine` asks for it.
"""


def has(extra: Extra) -> bool:
    """Whether every package of an extra is installed."""
    return _missing(extra) is None


def require(extra: Extra, wanted_by: str, instead: str = "") -> None:
    """Raise an InputError of one line if an extra is not installed.

    `wanted_by` is what needs it, such as a command; `instead` is what works without it.
    """
    package = _missing(extra)
    if package is not None:
        other = f", or {instead}" if instead else ""
        raise InputError(
            f"{wanted_by}: needs {package}, which is not installed, expected the extra '{extra}':"
            f" pip install 'insync[{extra}]'{other}"
        )


def _missing(extra: Extra) -> str | None:
    return next((each for each in PACKAGES[extra] if find_spec(each) is None), None)
