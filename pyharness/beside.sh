#!/usr/bin/env bash
# Runs a command, and at the same time another one in the CPU time that the first one leaves over.
# `beside.sh LOG LEFT_OVER COMMAND...`: LEFT_OVER is one line of shell; its output goes to LOG, which is printed when
# both have ended. Fails if one of them does. Tests with brokers wait for half of their time, and must not be disturbed.
set -uo pipefail

log=$1 left_over=$2
mkdir -p "$(dirname "$log")"

# Where the kernel gives each session the same share of the CPU, the session gets a low priority, too: a process's own
# one then counts in its session only. Brokers run in sessions of their own.
setsid bash -c '{ echo 19 >/proc/self/autogroup; } 2>/dev/null; exec nice -n 19 bash -c "$1"' beside "$left_over" >"$log" 2>&1 &
other=$!
trap 'kill -- "-$other" 2>/dev/null; wait' EXIT
trap 'exit 130' INT TERM

"${@:3}"
first=$?
[ -z "$(jobs -r)" ] || echo "insync: waiting for: $left_over"
wait "$other"
second=$?
cat "$log"
[ $first -eq 0 ] && [ $second -eq 0 ]
