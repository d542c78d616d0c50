"""How a benchmark ends: it writes its document, shows it, and says where it is."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def deliver(
    document: Mapping[str, Any], file: Path, show: "Callable[[Console], None]", *, as_json: bool
) -> None:
    """Write the document into `file`, show it and the folder, and print it as well `as_json`."""
    from insync.cli.output import results_console

    text = json.dumps(document, indent=2)
    file.write_text(text + "\n", encoding="utf-8")
    console = results_console(as_json=as_json)
    show(console)
    console.print(f"results: {file.parent}", soft_wrap=True)
    if as_json:
        print(text)
