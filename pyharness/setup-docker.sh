#!/usr/bin/env bash
# Provides a Docker engine and FUSE for the container tests. Usage: setup-docker.sh PYTHON, which has insync installed.
# As root on Debian or Ubuntu it installs and starts what is missing and says so. Elsewhere it prints what to install,
# and the tests are skipped (with INSYNC_REQUIRE_CONTAINERS they fail). It always exits with 0.
set -euo pipefail

python=$1
log=/var/log/insync-dockerd.log
PATH=$PATH:/usr/sbin:/sbin

# Prints nothing if an engine answers, else one line with the reason why none does.
problem() {
  "$python" -c 'from insync.brokers.docker.engine import client; client()' 2>&1 | sed -n '$s/^[^ ]*Error: //p' || true
}
without() { echo "insync: container tests cannot all run: $*"; exit 0; }

missing=()
command -v fusermount3 >/dev/null || missing+=(fuse3)
command -v busybox >/dev/null || missing+=(busybox-static)
why=$(problem)
if [ -n "$why" ]; then
  # DOCKER_HOST names another engine, which this script must not start.
  [ -z "${DOCKER_HOST:-}" ] || without "$why"
  command -v dockerd >/dev/null || missing+=(docker.io)
fi

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    without "missing: ${missing[*]}; on Debian or Ubuntu: sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  echo "insync: installing system packages for the container tests: ${missing[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}"; } >/dev/null || without "apt-get could not install: ${missing[*]}"
  why=$(problem)
fi
[ -n "$why" ] || [[ " ${missing[*]} " = *" docker.io "* ]] || exit 0

[ "$(id -u)" = 0 ] || without "$why"
if [ -d /run/systemd/system ]; then
  # Debian's package starts the service; this waits until it runs.
  systemctl start docker || without "systemctl start docker failed"
  alive=(systemctl is-active -q docker)
  log="journalctl -u docker"
  how="systemctl stop docker.service docker.socket"
elif [ -z "$why" ]; then
  # The package's own script has started it.
  alive=(true)
  log=/var/log/docker.log
  how="service docker stop"
else
  # Close the caller's open files first: otherwise a reader of its pipes would wait until the engine ends.
  (
    for open in /proc/"$BASHPID"/fd/*; do
      if [ "${open##*/}" -gt 2 ]; then eval "exec ${open##*/}>&-"; fi
    done
    exec setsid dockerd </dev/null >>"$log" 2>&1
  ) &
  alive=(kill -0 $!)
  how="kill \$(cat /var/run/docker.pid)"
fi
for _ in $(seq 120); do
  why=$(problem)
  if [ -z "$why" ] || ! "${alive[@]}" 2>/dev/null; then break; fi
  sleep 0.5
done
if [ -n "$why" ]; then
  [ ! -f "$log" ] || why="$why: $(tail -n 1 "$log")"
  without "$why"
fi
echo "insync: started a Docker engine, which keeps running (its log: $log); to stop it: $how"
