"""`make release`: build, compare, describe, sum up, tag.

Nothing is published: pushing the tag and uploading the files is left to a person.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from insync_release import build, checksums, sbom
from insync_release.errors import ReleaseError
from insync_release.source import Source

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("LICENSE", "NOTICE")
DOCKERFILE = "plugin-java/image/Dockerfile"


def release(source: Source, out: Path, *, dry_run: bool) -> None:
    """Make the release in the new folder `out`; raises ReleaseError."""
    problems = source.problems()
    if problems and not dry_run:
        raise ReleaseError("\n".join(problems))
    for problem in problems:
        tell(f"not releasable: {problem}")
    if out.exists():
        raise ReleaseError(f"{out}: it exists, expected a new folder")
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="insync-release-") as name:
        build.build_twice(source, out, tell)
        libraries = (out / "agent-libraries.json").rename(Path(name) / "agent-libraries.json")
        (wheel,) = out.glob("*.whl")
        for document in DOCUMENTS:
            (out / document).write_text(source.text(document), encoding="utf-8")
        tell("writing the bills of materials")
        for name_of_jar, inside in json.loads(libraries.read_text("utf-8")).items():
            jar = out / f"{name_of_jar}-{source.version}.jar"
            sbom.of_jar(source, name_of_jar, jar, inside)
        sbom.of_wheel(source, wheel, Path(name) / "env", out / f"insync-{source.version}.cdx.json")
    checksums.write_all(sorted(out.iterdir()))
    (out / "Dockerfile").write_text(source.text(DOCKERFILE), encoding="utf-8")
    if dry_run:
        tell(f"dry run: no tag {source.tag}")
    else:
        source.make_tag()
        tell(f"tagged {source.tag}; `git push origin {source.tag}` publishes it")
    for file in sorted(out.iterdir()):
        print(file)


def tell(text: str) -> None:
    """Print progress on standard error."""
    print(f"insync: {text}", file=sys.stderr, flush=True)


def main() -> int:
    """Parse the command line; return 0, or 1 if no release could be made."""
    parser = argparse.ArgumentParser(prog="insync_release", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="do all but the tag, from any state")
    parser.add_argument("--out", type=Path, help="new folder; default: dist/insync-VERSION")
    options = parser.parse_args()
    try:
        source = Source.head(ROOT)
        out = (options.out or ROOT / "dist" / f"insync-{source.version}").absolute()
        existed = out.exists()
        try:
            release(source, out, dry_run=options.dry_run)
        except BaseException:
            if not existed:
                shutil.rmtree(out, ignore_errors=True)
            raise
    except ReleaseError as error:
        for line in str(error).splitlines():
            tell(line)
        return 1
    except KeyboardInterrupt:
        tell("interrupted: nothing is left")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
