#!/usr/bin/env bash
# Sees to a Docker engine and FUSE for the container tests. Usage: setup-docker.sh PYTHON, one with insync installed.
# On Debian or Ubuntu as root it installs and starts what is missing and says so; elsewhere one line says what to
# install, and the tests skip themselves. Always exit 0: whether that will do is for the tests to say.
set -euo pipefail

python=$1
log=/var/log/insync-dockerd.log
PATH=$PATH:/usr/sbin:/sbin

# Prints nothing where an engine answers, else the one line that says why none does.
problem() {
  "$python" -c 'from insync.docker.engine import client; client()' 2>&1 | sed -n '$s/^[^ ]*Error: //p' || true
}
skipped() { echo "insync: the container tests will be skipped: $*"; exit 0; }

missing=()
command -v fusermount3 >/dev/null || missing+=(fuse3)
command -v busybox >/dev/null || missing+=(busybox-static)
why=$(problem)
if [ -n "$why" ]; then
  # Somebody else's engine, or none of ours to start.
  [ -z "${DOCKER_HOST:-}" ] || skipped "$why"
  command -v dockerd >/dev/null || missing+=(docker.io)
fi

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    skipped "missing: ${missing[*]}; on Debian or Ubuntu: sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  echo "insync: installing system packages for the container tests: ${missing[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}"; } >/dev/null || skipped "apt-get could not install: ${missing[*]}"
  why=$(problem)
fi
[ -n "$why" ] || exit 0

[ "$(id -u)" = 0 ] || skipped "$why"
if [ -d /run/systemd/system ]; then
  systemctl start docker || skipped "systemctl start docker failed"
  how="systemctl stop docker.service docker.socket"
else
  # No fd of make's goes along, for make would wait for its end.
  setsid dockerd </dev/null >>"$log" 2>&1 3>&- 4>&- &
  how="kill \$(cat /var/run/docker.pid)"
fi
for _ in $(seq 120); do
  why=$(problem)
  [ -n "$why" ] || break
  [ -d /run/systemd/system ] || kill -0 $! 2>/dev/null || break
  sleep 0.5
done
if [ -n "$why" ]; then
  [ ! -f "$log" ] || why="$why: $(tail -n 1 "$log")"
  skipped "$why"
fi
echo "insync: started a Docker engine, which keeps running (its log: $log); to stop it: $how"
