"""Which file an import of JavaScript or TypeScript means."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.graph.javascript.modules import Modules
from pckc_domain.policy.graph.javascript.settings import compilations, normal, packages
from pckc_domain.policy.graph.modules import File

PATHS = (
    "main.ts", "lib/index.ts", "lib/a.ts", "lib/a.test.ts", "lib/view.tsx", "lib/old.cjs", "lib/types.d.ts", "url.ts",
    "packages/core/src/index.ts", "packages/core/src/deep/x.ts", "packages/ui/lib/main.js", "web/app.ts", "web/ui/b.ts",
)  # fmt: skip
SETTINGS = {
    "package.json": '{"name": "root", "imports": {"#a": "./lib/a.ts", "#deep/*": "./packages/core/src/deep/*.ts"}}',
    "packages/core/package.json": '{"name": "@x/core", "main": "./dist/index.js", "exports": {".": {"types": '
    '"./dist/index.d.ts", "default": "./dist/index.js"}, "./*": "./dist/deep/*.js"}}',
    "packages/ui/package.json": '{"name": "ui", "main": "lib/main"}',
    "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"~ui/*": ["web/ui/*"], "lib": ["lib"],}}}//x',
    "web/tsconfig.json": '{"extends": ["../tsconfig.base"]}',
    "broken/tsconfig.json": "{",
    "broken/package.json": "[]",
}


def found(importer: str, module: str, settings: Mapping[str, str] = SETTINGS) -> str | None:
    answer = Modules(PATHS, settings).find(importer, module, 0)
    return answer.path if isinstance(answer, File) else None


@pytest.mark.parametrize(
    ("importer", "module", "path"),
    [
        ("main.ts", "./lib", "lib/index.ts"),
        ("main.ts", "./lib/a", "lib/a.ts"),
        ("main.ts", "./lib/a.js", "lib/a.ts"),
        ("main.ts", "./lib/view.jsx", "lib/view.tsx"),
        ("main.ts", "./lib/old.cjs", "lib/old.cjs"),
        ("main.ts", "./lib/a.test", "lib/a.test.ts"),
        ("main.ts", "./lib/a?raw", "lib/a.ts"),
        ("main.ts", "./lib/types", "lib/types.d.ts"),
        ("lib/a.ts", ".", "lib/index.ts"),
        ("lib/a.ts", "..", None),
        ("lib/a.ts", "../main", "main.ts"),
        ("lib/a.ts", "../../main", None),
        ("main.ts", "url", None),
        ("main.ts", "main", None),
        ("main.ts", "", None),
        ("main.ts", "@x/core", "packages/core/src/index.ts"),
        ("main.ts", "@x/core/x", "packages/core/src/deep/x.ts"),
        ("main.ts", "@x/other", None),
        ("main.ts", "ui", "packages/ui/lib/main.js"),
        ("main.ts", "ui/lib/main.js", "packages/ui/lib/main.js"),
        ("main.ts", "#a", "lib/a.ts"),
        ("lib/a.ts", "#deep/x", "packages/core/src/deep/x.ts"),
        ("web/app.ts", "~ui/b", "web/ui/b.ts"),
        ("web/app.ts", "lib", "lib/index.ts"),
        ("web/app.ts", "url", "url.ts"),
        ("main.ts", "~ui/b", None),
    ],
)
def test_find(importer: str, module: str, path: str | None) -> None:
    assert found(importer, module) == path


def test_what_cannot_be_read_says_nothing() -> None:
    assert not list(packages({"package.json": "nonsense"}))
    assert not list(compilations({"tsconfig.json": "[1]", "x/tsconfig.json": "{'a'}"}))


def test_a_configuration_that_extends_itself_ends() -> None:
    [one] = compilations({"tsconfig.json": '{"extends": "./tsconfig.json", "compilerOptions": {"baseUrl": "src"}}'})
    assert one.base == "src"


_parts = st.lists(st.sampled_from(["a", "b", "..", ".", ""]), max_size=8).map("/".join)


@given(folder=st.lists(st.sampled_from("ab"), max_size=4).map("/".join), path=_parts)
def test_a_normal_path_has_no_dots_behind_a_name(folder: str, path: str) -> None:
    parts = normal(folder, path).split("/")
    names = [part for part in parts if part != ".."]
    assert "." not in parts
    assert parts[: len(parts) - len(names)] == [".."] * (len(parts) - len(names))


@given(
    paths=st.sets(st.sampled_from(PATHS)),
    importer=st.sampled_from(PATHS),
    module=st.sampled_from(
        ["./a", "./lib", "../lib/a", "@x/core", "@x/core/x", "ui", "#a", "~ui/b", "url", "lib", "."]
    ),
    added=st.sampled_from(PATHS),
)
def test_a_new_file_changes_only_answers_that_ask_for_its_name(
    paths: set[str], importer: str, module: str, added: str
) -> None:
    before, after = Modules(paths, SETTINGS), Modules(paths | {added}, SETTINGS)
    assert before.layout == after.layout
    if before.find(importer, module, 0) != after.find(importer, module, 0):
        assert set(before.asked(importer, module, 0)) & set(after.names(added))
