#!/usr/bin/env bash
# Measures the parts of `make demo` and `make test`. `timed.sh PART COMMAND...` runs a command and notes what it took.
# `timed.sh --start` forgets all notes; `timed.sh --report` prints a line per part, and the time since the start.
set -euo pipefail

notes=${NOTES:-build/times.txt}
unset NOTES  # a command that measures its own parts has its own notes
mkdir -p "$(dirname "$notes")"
now() { cut -d ' ' -f 1 /proc/uptime; }

case $1 in
  --start) echo "start $(now)" >"$notes" ;;
  --report)
    echo "insync: seconds and CPU seconds; parts that use different resources run at the same time"
    awk -v now="$(now)" '
      $1 == "start" { began = $2; next }
      !($1 in took) { order[++parts] = $1 }
      { took[$1] += $2; cpu[$1] += $3 + $4; all += $3 + $4 }
      END {
        for (i = 1; i <= parts; i++) printf "  %-9s %6.1f %6.1f\n", order[i], took[order[i]], cpu[order[i]]
        printf "  %-9s %6.1f %6.1f\n", "in all", now - began, all
      }' "$notes"
    ;;
  *)
    TIMEFORMAT="$1 %R %U %S"
    # What `time` itself prints goes to the notes, what the command prints to where it did.
    { time "${@:2}" 1>&3 2>&4; } 3>&1 4>&2 2>>"$notes"
    ;;
esac
