"""`insync image`: build and list the images for brokers in containers."""

import time
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from insync.brokers.kafka.versions import known
from insync.cli.options import Json, print_help_alone
from insync.cli.output import print_json, results_console, text_table
from insync.run.request import DEFAULT_KAFKA, exact_all

if TYPE_CHECKING:
    from insync.brokers.images.image import BuiltImage

EXAMPLES: Final = """\b
Examples:
  insync image build --kafka 4.3.1,3.9.2 --json
  insync image build --base my-registry/java:21
  insync image list
"""
BASE: Final = "eclipse-temurin:17-jre"
_MB: Final = 1_000_000

app = typer.Typer(rich_markup_mode=None)
app.callback(
    invoke_without_command=True,
    help="Build and list the images for brokers in containers.",
    epilog=EXAMPLES,
)(print_help_alone)


@app.command("build", epilog=EXAMPLES)
def build(
    kafka: Annotated[
        str,
        typer.Option(
            help=f"Comma-separated Kafka releases. Tested ones: {', '.join(known())}.",
            metavar="V[,V...]",
        ),
    ] = DEFAULT_KAFKA,
    base: Annotated[
        str,
        typer.Option(
            help="Base image with Java 17 or newer, glibc and a shell; pulled if it is not here."
        ),
    ] = BASE,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Rebuild images that exist.")
    ] = False,
    json: Json = False,
) -> int:
    """Build the image insync-kafka:VERSION.

    It contains a Java, Kafka's jars, an archive of loaded classes, and a health check.
    """
    from insync.brokers.docker import engine
    from insync.brokers.images.image import build as build_image
    from insync.brokers.images.image import prepare
    from insync.brokers.kafka import releases
    from insync.brokers.kafka.java import find_java
    from insync.brokers.kafka.resolve import distribution
    from insync.cli.output import TerminalProgress
    from insync.signals import interruptible

    wanted = exact_all(kafka)
    for version in wanted:
        releases.find(version)
    rows: list[dict[str, Any]] = []
    with closing(engine.client()) as client, interruptible(), TerminalProgress() as progress:
        progress.expect(len(wanted))
        java = find_java()
        stands_on = prepare(client, base, progress.phase)
        for version in wanted:
            dist = distribution(version, java, progress.phase)
            began = time.monotonic()
            found, made = build_image(client, dist, stands_on, progress.phase, cached=not no_cache)
            seconds = round(time.monotonic() - began, 1)
            rows.append({**_facts(found), "made": made, "seconds": seconds})
            progress.repeat_done()
    console = results_console(as_json=json)
    for row in rows:
        how = f"built in {row['seconds']} s" if row["made"] else "already built"
        console.print(f"{row['tag']}: {how}, {row['size_bytes'] // _MB} MB")
    if json:
        print_json({"images": rows})
    return 0


@app.command("list", epilog=EXAMPLES)
def list_images(json: Json = False) -> int:
    """List the images that exist, and whether each must be rebuilt."""
    from insync.brokers.docker import engine
    from insync.brokers.images import image as images
    from insync.brokers.kafka import releases

    with closing(engine.client()) as client:
        looked = (images.find(client, releases.find(each)) for each in releases.recorded())
        found = [image for image in looked if image]
    if json:
        print_json({"images": list(map(_facts, found))})
    elif found:
        rows = [
            [image.tag, str(image.size_bytes // _MB), image.base.name if image.base else "",
             "ready" if image.fresh else "stale, rebuild it"]
            for image in found
        ]  # fmt: skip
        results_console().print(text_table("image | MB | base | state", rows, words=(0, 2, 3)))
    else:
        print("no image, see `insync image build`")
    return 0


def _facts(found: "BuiltImage") -> dict[str, Any]:
    base = found.base
    return {
        "kafka": found.kafka, "tag": found.tag, "id": found.id,
        "base": base and base.name, "jre": base and base.jre,
        "size_bytes": found.size_bytes, "fresh": found.fresh,
    }  # fmt: skip
