#!/usr/bin/env bash
# Prints what one element of each workload costs, in instructions: the difference of two runs, so that what a program costs
# by itself falls out. Usage: count.sh [WORKLOAD ...]
set -euo pipefail
cd "$(dirname "$0")"
program=.build/release/Benchmarks

instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
    awk '/Collected/ { gsub(",", "", $NF); print $NF }'
}

measure() { # workload, small count, large count
  local small large
  small=$(instructions "$1" "$2")
  large=$(instructions "$1" "$3")
  printf '%-24s %8d\n' "$1" $(((large - small) / ($3 - $2)))
}

declare -A counts=(
  [sequence]="1000 101000" [subject]="1000 21000" [subject-10]="1000 6000" [current-value]="1000 21000"
  [erased-maps]="1000 11000" [flat-map]="10000 110000" [flat-map-just]="1000 11000" [merge-8]="1000 11000"
  [zip]="1000 11000" [combine-latest]="1000 11000" [share-10]="1000 6000" [scan]="1000 101000"
  [remove-duplicates]="1000 101000" [prefix]="1000 101000" [subscribe-cancel]="100 5100"
  [receive-on-immediate]="1000 11000" [test-scheduler]="100 100100" [test-scheduler-timers]="2000 22000"
  [schedule-cancel]="100 100100" [debounce]="1000 11000" [delay]="2000 12000"
)

if [ $# -eq 0 ]; then set -- $(printf '%s\n' "${!counts[@]}" | sort); fi
for workload in "$@"; do measure "$workload" ${counts[$workload]}; done
