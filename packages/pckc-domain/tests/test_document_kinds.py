"""Tests of what a path tells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.document import DocumentKind, SourceClass
from pckc_domain.policy.document_kinds import classify, is_test_path

CODE = DocumentKind.CODE
MARKDOWN = DocumentKind.MARKDOWN
TEXT = DocumentKind.TEXT


@pytest.mark.parametrize(
    ("path", "kind", "source", "language"),
    [
        ("docs/adr/0007-use-sqlite.md", MARKDOWN, SourceClass.ADR, "markdown"),
        ("docs/decisions/0001.rst", TEXT, SourceClass.ADR, "rst"),
        ("ARCHITECTURE.md", MARKDOWN, SourceClass.ARCHITECTURE, "markdown"),
        ("docs/system-design.md", MARKDOWN, SourceClass.ARCHITECTURE, "markdown"),
        ("README", TEXT, SourceClass.README, ""),
        ("pkg/README.ru.md", MARKDOWN, SourceClass.README, "markdown"),
        ("specs/login.md", MARKDOWN, SourceClass.SPEC, "markdown"),
        ("docs/rfc-12.md", MARKDOWN, SourceClass.SPEC, "markdown"),
        ("reports/test-results/run.md", MARKDOWN, SourceClass.TEST_REPORT, "markdown"),
        ("build/junit.xml", TEXT, SourceClass.TEST_REPORT, "xml"),
        ("CHANGELOG.md", MARKDOWN, SourceClass.NOTE, "markdown"),
        ("notes/monday.txt", TEXT, SourceClass.NOTE, ""),
        ("guide.md", MARKDOWN, SourceClass.MARKDOWN, "markdown"),
        ("fix.patch", TEXT, SourceClass.DIFF, "diff"),
        ("var/server.log", TEXT, SourceClass.RUNTIME_LOG, "log"),
        ("var/server.log.3", TEXT, SourceClass.RUNTIME_LOG, "log"),
        ("book.epub", DocumentKind.EPUB, SourceClass.NOTE, ""),
        ("paper.PDF", DocumentKind.PDF, SourceClass.NOTE, ""),
        ("https://example.org/guide.html", DocumentKind.WEB, SourceClass.WEB, ""),
        ("Makefile", CODE, SourceClass.CODE, "make"),
        ("docker/Dockerfile.dev", CODE, SourceClass.CODE, "dockerfile"),
        ("pyproject.toml", CODE, SourceClass.CODE, "toml"),
        (".env", CODE, SourceClass.CODE, "ini"),
        (".env.local", CODE, SourceClass.CODE, "ini"),
        ("CMakeLists.txt", CODE, SourceClass.CODE, "cmake"),
        ("src/design/button.tsx", CODE, SourceClass.CODE, "tsx"),
        ("LICENSE", TEXT, SourceClass.NOTE, ""),
    ],
)
def test_classify(path: str, kind: DocumentKind, source: SourceClass, language: str) -> None:
    assert classify(path) == (kind, source, language)


@pytest.mark.parametrize(
    ("extension", "language"),
    [
        ("py", "python"), ("ts", "typescript"), ("tsx", "tsx"), ("js", "javascript"), ("go", "go"), ("rs", "rust"),
        ("java", "java"), ("c", "c"), ("h", "c"), ("cpp", "cpp"), ("rb", "ruby"), ("cs", "csharp"), ("kt", "kotlin"),
        ("scala", "scala"), ("php", "php"), ("swift", "swift"), ("lua", "lua"), ("zig", "zig"), ("ex", "elixir"),
        ("jl", "julia"), ("yaml", "yaml"), ("json", "json"), ("sh", "shell"),
    ],
)  # fmt: skip
def test_languages_by_extension(extension: str, language: str) -> None:
    assert classify(f"A/b.{extension.upper()}") == (CODE, SourceClass.CODE, language)


@pytest.mark.parametrize("path", ["tests/a.py", "test_a.py", "pkg/a_test.go", "src/a.test.ts", "spec/a_spec.rb"])
def test_tests_are_known(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize("path", ["latest/a.py", "contest.py", "src/attest_a.py"])
def test_other_code_is_no_test(path: str) -> None:
    assert not is_test_path(path)


@given(st.text())
def test_any_path_is_something(path: str) -> None:
    kind, _, language = classify(path)
    assert (kind is not CODE) or language
