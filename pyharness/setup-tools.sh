#!/usr/bin/env bash
# Checks that the machine has the tools for the build. As root on Debian or Ubuntu it installs missing packages and
# says so; elsewhere it prints the exact command. Exits with 2 and one line if something is missing.
set -euo pipefail

fail() { echo "insync: $*" >&2; exit 2; }

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
  || fail "python3 is $(python3 --version 2>&1 || echo missing), expected Python 3.11 or later on the PATH"
java_version=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -1) || true
[ "${java_version:-0}" -ge 17 ] && command -v javac >/dev/null \
  || fail "java on the PATH is ${java_version:-missing}, expected a JDK 17 or later (java and javac)"

missing=()
command -v gradle >/dev/null || missing+=(gradle)
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v setpriv >/dev/null || missing+=(util-linux)
python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
managed() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }
# For disk faults; without these packages they are skipped, and `insync faults` says why.
if managed; then
  command -v fusermount3 >/dev/null || missing+=(fuse3)
  command -v mkfs.ext4 >/dev/null || missing+=(e2fsprogs)
fi
[ ${#missing[@]} -eq 0 ] && exit 0

if managed; then
  echo "insync: installing system packages: ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  fail "these are missing; install them with: sudo apt-get install --no-install-recommends ${missing[*]}" \
    "(or your system's packages of the same names)"
fi
