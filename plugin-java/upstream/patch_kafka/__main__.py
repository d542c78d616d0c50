"""The command line: `python -m patch_kafka build [PATCH]|test|record`.

`build` makes the patches up to one, by default all, and the jars; `test` runs the tests of all;
`record` keeps the commits of the tree.
"""

import sys

from patch_kafka import build, own_tests, tree
from patch_kafka.parts import ROOT, PatchError


def main() -> int:
    """Run one command; return the exit code: 2 with one line on standard error if it fails."""
    try:
        return _run(sys.argv[1:])
    except PatchError as error:
        print(f"insync: upstream patch: {error}", file=sys.stderr)
        return 2


def _run(arguments: list[str]) -> int:
    match arguments:
        case ["build", *last] if len(last) <= 1:
            folder = build.build(*last)
            print(f"insync: patched Kafka: --kafka {folder.relative_to(ROOT)}")
        case ["test"]:
            return own_tests.run()
        case ["record"]:
            for file in tree.record():
                print(file.relative_to(ROOT))
        case other:
            raise PatchError(f"{' '.join(other)!r}: expected build [PATCH], test or record")
    return 0


if __name__ == "__main__":
    sys.exit(main())
