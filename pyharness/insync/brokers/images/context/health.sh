#!/bin/sh
# Exits with 0 if INSYNC_HEALTH (HOST:PORT) accepts a connection. Uses bash where it exists, else busybox.
host=${INSYNC_HEALTH%:*}
port=${INSYNC_HEALTH##*:}
if command -v bash >/dev/null; then
  exec timeout 5 bash -c "</dev/tcp/$host/$port"
fi
exec nc -w 5 "$host" "$port" </dev/null >/dev/null
