#!/bin/sh
# The main job, end to end: index a real repository, answer a task with a proven context, check a proof.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
here=$PWD/.demo
rm -rf "$here"
mkdir -p "$here"

# A third-party package's sources, as its wheel installed them, become a repository of their own.
package=$(python -c 'import pathlib, starlette; print(pathlib.Path(starlette.__file__).parent)')
cp -r "$package" "$here/starlette"
find "$here" -name __pycache__ -prune -exec rm -rf {} +
git -C "$here/starlette" init -q -b main
git -C "$here/starlette" add -A
git -C "$here/starlette" -c user.name=demo -c user.email=demo@example.org commit -qm "starlette"

# the lightest of the embedders: a demo should not take a minute
export PCKC_STORE="$here/store.db" PCKC_PROJECT="$here/starlette" PCKC_EMBEDDER=use
say() { printf '\n$ %s\n' "$*"; }

say pckc index
pckc index
say pckc context "Fix: the session cookie is sent without the secure flag" --budget 1800 --semantic always
pckc context "Fix: the session cookie is sent without the secure flag" --budget 1800 --semantic always
say pckc search "how are path parameters converted" --limit 2
pckc search "how are path parameters converted" --limit 2

say pckc graph callers compile_path
pckc graph callers compile_path
say pckc graph impact compile_path --limit 6
pckc graph impact compile_path --limit 6

say pckc import docs/demo/session.jsonl
pckc import docs/demo/session.jsonl
say pckc search "which port does the server use" --layer claims --limit 1
pckc search "which port does the server use" --layer claims --limit 1
claim=$(pckc search "which port does the server use" --layer claims --limit 1 --json |
    python -c 'import json, sys; print(json.load(sys.stdin)["results"][0]["id"])')
say pckc why "$claim"
pckc why "$claim"
say pckc verify
pckc verify
