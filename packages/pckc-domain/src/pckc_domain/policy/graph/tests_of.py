"""Which files are tests."""

import re

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?/.*|test_[^/]*|[^/]*_test|conftest)\.pyi?$"
    r"|(?:^|/)(?:(?:tests?|__tests__|__mocks__|specs?|e2e)/.*|[^/]*\.(?:test|spec|stories))\.[cm]?[jt]sx?$"
    r"|(?:^|/)(?:tests?|specs?|testdata|androidTest|testFixtures|[A-Za-z0-9._-]*Tests?)/"
    r".*\.(?:c|cc|cpp|cs|cxx|exs?|go|h|hh|hpp|hxx|java|jl|kts?|lua|php|rb|rs|sc|scala|swift|zig)$"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_tests?|[^/]*_spec|runtests)\.(?:c|cc|cpp|cxx|ex|exs|go|jl|lua|php|rb|rs|zig)$"
    r"|(?:^|/)(?:[A-Z]\w*(?:Tests?|TestCase|IT|Spec|Suite)|Test[A-Z]\w*)\.(?:cs|java|kts?|php|scala|swift)$"
)


def is_test_path(path: str) -> bool:
    """Return whether the file at *path* is a test, or belongs to them, by the habits of its language."""
    return _TEST_PATH.search(path) is not None
