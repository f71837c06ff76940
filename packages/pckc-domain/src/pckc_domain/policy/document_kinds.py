"""What a document is, by its path: how it is read, what it is worth as a source, and its language."""

import re
from functools import lru_cache

from pckc_domain.model.document import DocumentKind, SourceClass

LANGUAGES: dict[str, str] = {
    extension: language
    for language, extensions in {
        "python": "py pyi pyw pyx",
        "typescript": "ts mts cts",
        "tsx": "tsx",
        "javascript": "js mjs cjs jsx",
        "go": "go",
        "rust": "rs",
        "java": "java",
        "c": "c h",
        "cpp": "cc cpp cxx c++ hh hpp hxx ipp inl cu cuh",
        "ruby": "rb rake gemspec",
        "csharp": "cs csx",
        "kotlin": "kt kts",
        "scala": "scala sc",
        "php": "php phtml",
        "swift": "swift",
        "lua": "lua",
        "zig": "zig zon",
        "elixir": "ex exs",
        "julia": "jl",
        "shell": "sh bash zsh ksh fish",
        "powershell": "ps1 psm1",
        "sql": "sql",
        "perl": "pl pm",
        "r": "r",
        "dart": "dart",
        "haskell": "hs",
        "ocaml": "ml mli",
        "erlang": "erl hrl",
        "clojure": "clj cljs cljc edn",
        "groovy": "groovy gradle",
        "fsharp": "fs fsx",
        "nim": "nim",
        "vue": "vue",
        "svelte": "svelte",
        "html": "html htm xhtml",
        "css": "css scss sass less",
        "xml": "xml xsd xsl svg plist",
        "proto": "proto",
        "graphql": "graphql gql",
        "terraform": "tf tfvars hcl",
        "nix": "nix",
        "cmake": "cmake",
        "make": "mk mak",
        "scheme": "scm",
        "toml": "toml",
        "yaml": "yaml yml",
        "json": "json jsonc json5 jsonl ndjson",
        "ini": "ini cfg conf properties env editorconfig",
    }.items()
    for extension in extensions.split()
}
"""File extension in lower case → language of a document read as code."""

CONFIGURATION = frozenset({"toml", "yaml", "json", "ini"})
"""Languages of settings: their keys and values are facts."""

_CODE_NAMES = {
    "makefile": "make",
    "gnumakefile": "make",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "justfile": "make",
    "cmakelists.txt": "cmake",
    ".env": "ini",
    ".gitconfig": "ini",
    "pipfile": "toml",
    "cargo.lock": "toml",
    "uv.lock": "toml",
    "poetry.lock": "toml",
}
_MARKUP = {
    "md": "markdown",
    "markdown": "markdown",
    "mdx": "markdown",
    "mdown": "markdown",
    "qmd": "markdown",
    "rst": "rst",
    "adoc": "asciidoc",
    "asciidoc": "asciidoc",
    "org": "org",
    "txt": "",
    "text": "",
    "": "",
}

_PROSE_CLASSES: tuple[tuple[SourceClass, re.Pattern[str]], ...] = tuple(
    (source, re.compile(pattern))
    for source, pattern in (
        (SourceClass.ADR, r"(?:^|/)(?:adrs?|decisions?|decision[-_]records?)/|(?:^|/)adr[-_]?\d"),
        (SourceClass.README, r"(?:^|/)readme[^/]*$"),
        (SourceClass.NOTE, r"(?:^|/)(?:change(?:s|log)|history|news|releases?|release[-_]notes|notes?|todo)\b[^/]*$"),
        (SourceClass.NOTE, r"(?:^|/)(?:notes?|journal|changelog\.d|newsfragments)/"),
        (SourceClass.ARCHITECTURE, r"(?:^|[/_-])(?:architecture|arch|design|overview)(?:[._/-]|$)"),
        (SourceClass.SPEC, r"(?:^|/)(?:specs?|rfcs?|requirements|proposals?|peps?)/|(?:^|[/_.-])(?:spec|specification|rfc|prd)(?:[._-]|\d|$)"),
        (SourceClass.TEST_REPORT, r"(?:^|[/_-])(?:tests?|junit|coverage|bench(?:mark)?s?)[-_]?(?:reports?|results?|output)"),
    )
)  # fmt: skip
_TEST_REPORT = re.compile(r"(?:^|/)(?:junit|test[-_]?(?:report|result)s?|coverage)[^/]*\.(?:xml|json|txt|html)$")
_LOG_NAME = re.compile(r"\.log(?:\.\d+)?$|\.(?:out|err|trace)$")
_DIFF_EXTENSIONS = frozenset({"diff", "patch", "rej"})
_TEST_PATH = re.compile(r"(?:^|/)(?:tests?|testing|specs?|__tests__)/|(?:^|/)(?:test_|conftest\.)|(?:_test|_spec|\.test|\.spec)\.[^/.]+$")  # fmt: skip


def classify(path: str) -> tuple[DocumentKind, SourceClass, str]:
    """
    Return how the document at *path* is read, what it is worth, and its language (``""`` when unknown).

    *path* is a POSIX path or a URI; only its spelling counts, and case does not.
    """
    path = path.lower()
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem, extension = name, ""
    if _LOG_NAME.search(name):
        return DocumentKind.TEXT, SourceClass.RUNTIME_LOG, "log"
    if extension in _DIFF_EXTENSIONS:
        return DocumentKind.TEXT, SourceClass.DIFF, "diff"
    if _TEST_REPORT.search(path):
        return DocumentKind.TEXT, SourceClass.TEST_REPORT, LANGUAGES.get(extension, "")
    if path.startswith(("http://", "https://")):
        return (DocumentKind.PDF if extension == "pdf" else DocumentKind.WEB), SourceClass.WEB, ""
    if extension in ("pdf", "epub"):
        return DocumentKind(extension), _prose_class(path, SourceClass.NOTE), ""
    language = _CODE_NAMES.get(name) or _CODE_NAMES.get(stem if extension in ("dev", "prod", "test", "local") else "")
    if not language and name.startswith(("dockerfile.", ".env.")):
        language = _CODE_NAMES[".env" if name[0] == "." else "dockerfile"]
    language = language or LANGUAGES.get(extension, "")
    if language:
        return DocumentKind.CODE, SourceClass.CODE, language
    if _MARKUP.get(extension):
        kind = DocumentKind.MARKDOWN if _MARKUP[extension] == "markdown" else DocumentKind.TEXT
        return kind, _prose_class(path, SourceClass.MARKDOWN), _MARKUP[extension]
    return DocumentKind.TEXT, _prose_class(path, SourceClass.NOTE), ""


@lru_cache(maxsize=4096)  # asked for every passage of a file
def is_test_path(path: str) -> bool:
    """Return whether code at *path* tests other code."""
    return _TEST_PATH.search(path.lower()) is not None


def _prose_class(path: str, default: SourceClass) -> SourceClass:
    for source, pattern in _PROSE_CLASSES:
        if pattern.search(path):
            return source
    return default


# ruff: noqa: E501 - patterns read better on one line
