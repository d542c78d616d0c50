"""Says in one line that the optional part of an installation is missing.

`pip install insync` brings what runs brokers; the extra `analysis` brings what analyses runs.
"""

from importlib.util import find_spec
from typing import Final

from insync.errors import InputError

PACKAGES: Final = ("pyspark", "pandas", "pyarrow", "scipy", "networkx")
"""The packages of the extra in pyproject.toml, by the names under which they are imported.

Without the engines, of which one is enough: `engines.require_engine` asks for it.
"""


def require_analysis(wanted_by: str, instead: str = "") -> None:
    """Raise an InputError of one line if the extra `analysis` is not installed.

    `wanted_by` is what needs it, such as a command; `instead` is what works without it.
    """
    package = next((each for each in PACKAGES if find_spec(each) is None), None)
    if package is not None:
        other = f", or {instead}" if instead else ""
        raise InputError(
            f"{wanted_by}: needs {package}, which is not installed, expected the extra 'analysis':"
            f" pip install 'insync[analysis]'{other}"
        )
