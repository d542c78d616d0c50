#!/usr/bin/env bash
# Sees to a Chromium for the tests of the pages. On Debian or Ubuntu as root it installs one and says so; elsewhere one
# line says what to install, and the tests skip themselves (under INSYNC_REQUIRE_BROWSER they fail). So this exits with 0.
set -euo pipefail

without() { echo "insync: the tests of the pages cannot run: $*"; exit 0; }

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  without "no Chromium; on Debian: sudo apt-get install --no-install-recommends chromium"
fi
echo "insync: installing a system package for the tests of the pages: chromium"
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
  >/dev/null || without "apt-get could not install: chromium"
