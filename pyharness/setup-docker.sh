#!/usr/bin/env bash
# Sees to a Docker engine and FUSE for the container tests. Usage: setup-docker.sh PYTHON, one with insync installed.
# On Debian or Ubuntu as root it installs and starts what is missing and says so; elsewhere one line says what to
# install, and the tests skip themselves (under INSYNC_REQUIRE_CONTAINERS they fail). So this always exits with 0.
set -euo pipefail

python=$1
log=/var/log/insync-dockerd.log
PATH=$PATH:/usr/sbin:/sbin

# Prints nothing where an engine answers, else the one line that says why none does.
problem() {
  "$python" -c 'from insync.brokers.docker.engine import client; client()' 2>&1 | sed -n '$s/^[^ ]*Error: //p' || true
}
without() { echo "insync: container tests cannot all run: $*"; exit 0; }

missing=()
command -v fusermount3 >/dev/null || missing+=(fuse3)
command -v busybox >/dev/null || missing+=(busybox-static)
why=$(problem)
if [ -n "$why" ]; then
  # Somebody else's engine, or none of ours to start.
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
  # Debian's package has started it by itself.
  systemctl start docker || without "systemctl start docker failed"
  alive=(systemctl is-active -q docker)
  log="journalctl -u docker"
  how="systemctl stop docker.service docker.socket"
elif [ -z "$why" ]; then
  # So has the package's own script.
  alive=(true)
  log=/var/log/docker.log
  how="service docker stop"
else
  # None of the caller's open files goes along: who waits for the end of a pipe would wait for the engine's.
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
