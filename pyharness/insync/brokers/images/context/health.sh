#!/bin/sh
# Healthy is who takes a connection at INSYNC_HEALTH, HOST:PORT. By bash where there is one, else by busybox.
host=${INSYNC_HEALTH%:*}
port=${INSYNC_HEALTH##*:}
if command -v bash >/dev/null; then
  exec timeout 5 bash -c "</dev/tcp/$host/$port"
fi
exec nc -w 5 "$host" "$port" </dev/null >/dev/null
