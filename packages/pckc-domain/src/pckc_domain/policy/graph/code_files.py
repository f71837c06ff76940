"""Which files a graph is made of, and which ones say how names are found."""

from collections.abc import Collection

from pckc_domain.policy.document_kinds import LANGUAGES

_PYTHON = frozenset(("py", "pyw"))
"""Stubs and extension modules would name every symbol twice."""

_SCRIPT = frozenset(("javascript", "typescript", "tsx"))
SETTINGS: dict[str, frozenset[str]] = {
    "package.json": _SCRIPT,
    "tsconfig.json": _SCRIPT,
    "jsconfig.json": _SCRIPT,
    "go.mod": frozenset(("go",)),
    "Cargo.toml": frozenset(("rust",)),
    "composer.json": frozenset(("php",)),
}
"""Name of a project file to the languages whose imports it explains."""


def code_language(path: str, languages: Collection[str]) -> str:
    """Return which of *languages* the file at *path* is in, by its extension; ``""`` for none."""
    extension = path[path.rfind(".") + 1 :].lower()
    language = LANGUAGES.get(extension, "")
    if language not in languages or (language == "python" and extension not in _PYTHON):
        return ""
    return language


def settings_languages(path: str) -> frozenset[str]:
    """Return the languages whose imports the project file at *path* explains; none for another file."""
    name = path[path.rfind("/") + 1 :]
    if name.startswith("tsconfig.") and name.endswith(".json"):  # tsconfig.base.json, which others extend
        return _SCRIPT
    return SETTINGS.get(name, frozenset())
