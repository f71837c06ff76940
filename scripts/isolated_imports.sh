#!/bin/sh
# Each package imports alone, with only its declared dependencies.
set -eu
for folder in packages/*/; do
    package=$(basename "$folder")
    module=$(echo "$package" | tr - _)
    ${UV:-uv} run --quiet --isolated --no-dev --package "$package" python scripts/import_all.py "$module"
    echo "$package imports alone"
done
