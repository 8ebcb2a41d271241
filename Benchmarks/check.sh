#!/usr/bin/env bash
# Compares what the workloads cost with their limits, in limits.txt, and fails when one costs more.
set -euo pipefail
cd "$(dirname "$0")"
failures=0
while read -r workload limit; do
  cost=$(./count.sh "$workload" | awk '{ print $2 }')
  verdict=ok
  if [ "$cost" -gt "$limit" ]; then
    verdict="too much"
    failures=1
  fi
  printf '%-24s %8d of %8d  %s\n' "$workload" "$cost" "$limit" "$verdict"
done < limits.txt
exit $failures
