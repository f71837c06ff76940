#!/bin/sh
# Each package imports alone, with only its declared dependencies and extras.
set -eu
for folder in packages/*/; do
    package=$(basename "$folder")
    module=$(echo "$package" | tr - _)
    ${UV:-uv} run --quiet --isolated --no-dev --all-extras --package "$package" python scripts/import_all.py "$module"
    echo "$package imports alone"
done
