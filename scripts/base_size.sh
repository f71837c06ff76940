#!/bin/sh
# Size of the base install: SQLite, sources, command line and MCP server, without an embedding model.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
UV_PROJECT_ENVIRONMENT="$folder/venv" UV_COMPILE_BYTECODE=0 ${UV:-uv} sync --quiet --locked --no-dev --no-editable --package pckc-mcp
du -sm "$folder/venv" | awk '{print "base install: " $1 " MB (limit 120 MB)"}'
