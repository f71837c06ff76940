"""Which files are tests."""

import re

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?/.*|test_[^/]*|[^/]*_test|conftest)\.pyi?$"
    r"|(?:^|/)(?:(?:tests?|__tests__|__mocks__|specs?|e2e)/.*|[^/]*\.(?:test|spec|stories))\.[cm]?[jt]sx?$"
)


def is_test_path(path: str) -> bool:
    """Return whether the file at *path* is a test, or belongs to them."""
    return _TEST_PATH.search(path) is not None
