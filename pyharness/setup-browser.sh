#!/usr/bin/env bash
# Provides Chromium for the browser tests. As root on Debian or Ubuntu it installs one and says so. Elsewhere it prints
# what to install, and the tests are skipped (with INSYNC_REQUIRE_BROWSER they fail). It always exits with 0.
set -euo pipefail

without() { echo "insync: the browser tests cannot run: $*"; exit 0; }

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  without "no Chromium; on Debian: sudo apt-get install --no-install-recommends chromium"
fi
echo "insync: installing a system package for the browser tests: chromium"
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
  >/dev/null || without "apt-get could not install: chromium"
