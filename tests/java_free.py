"""A PATH without a Java, as a host has it that runs brokers in containers only."""

import os
from pathlib import Path


def without_java(folder: Path) -> Path:
    """Make a folder with links to all commands of the PATH but `java`; return it."""
    folder.mkdir()
    for each in map(Path, os.environ["PATH"].split(":")):
        for command in each.iterdir() if each.is_dir() else ():
            link = folder / command.name
            if command.name != "java" and not link.is_symlink():
                link.symlink_to(command)
    return folder
