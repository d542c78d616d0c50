#!/bin/sh
# Runs while the image is built: starts one node and stops it; its JVM writes an archive of the classes it loaded.
# Usage: dump.sh JAVA WORDS ARCHIVE; WORDS is the log text that says that the node has started.
set -eu
cd "$(dirname "$0")"
java=$1
words=$2
archive=$3
# A JVM can only extend its own base archive; some Java packages come without one.
[ -f "$(dirname "$java")/../lib/server/classes.jsa" ] || "$java" -Xshare:dump >/dev/null
if [ -f zookeeper.args ]; then
  "$java" @zookeeper.args >zookeeper.log 2>&1 &
fi
"$java" @node.args >node.log 2>&1 &
node=$!
left=600
until grep -qF "$words" node.log; do
  left=$((left - 1))
  if [ $left = 0 ] || ! kill -0 $node 2>/dev/null; then
    echo "a node did not start:"
    grep -m 4 -E 'ERROR|FATAL|Exception' node.log || tail -n 4 node.log
    exit 1
  fi
  sleep 0.1
done
kill -TERM $node
# The exit code is 143, because of the signal.
wait $node || :
if ! [ -s "$archive" ]; then
  echo "the JVM wrote no archive:"
  tail -n 4 node.log
  exit 1
fi
