#!/bin/sh
# Builds the documentation of both modules; a link that leads nowhere, or any other warning, is an error.
set -eu
cd "$(dirname "$0")/.."

swift package dump-symbol-graph --skip-synthesized-members --minimum-access-level public >/dev/null
graphs="$(dirname "$(find .build/ -name Streams.symbols.json | head -n 1)")"
output="$(mktemp -d)"
trap 'rm -rf "$output"' EXIT

for module in Streams StreamSchedulers; do
  mkdir "$output/$module"
  cp "$graphs/$module.symbols.json" "$graphs/$module"@*.symbols.json "$output/$module"
  docc convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$output/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-path "$output/$module.doccarchive" --warnings-as-errors
done
