"""Add the built files to the wheel: jars, native shim, table of broker versions.

`make built` makes missing files, so that `pip install .` in a checkout is enough.
"""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = (
    "insync-agent.jar",
    "insync-lab.jar",
    "insync-logs.jar",
    "insync-clients.jar",
    "insync-kafka-tests.jar",
    "libinsync_stall.so",
    "broker-versions.properties",
)


class BuiltFiles(BuildHookInterface):  # type: ignore[type-arg]  # the plugin's own config type: none here
    """Makes missing files, and tags the wheel for this platform because it contains the shim."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run before the wheel is packed; `version` is hatch's name for the kind of build."""
        if self.target_name != "wheel":
            return
        folder = Path(self.root) / "pyharness" / "insync" / "_built"
        if not all((folder / name).is_file() for name in BUILT):
            made = subprocess.run(["make", "built"], cwd=self.root, check=False)  # noqa: S607  # the PATH's make
            if made.returncode != 0:
                raise SystemExit("insync: `make built` failed, see its messages above")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
