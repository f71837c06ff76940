"""What the whole run shares: the collector of garbage does not walk the collected tests; logs are left as they were."""

import gc
import logging
from collections.abc import Generator, Iterator

import pytest
from hypothesis.internal.conjecture import providers


def pytest_configure(config: pytest.Config) -> None:
    """
    Let the same profile try the same examples wherever a test runs.

    Hypothesis mixes in constants of the modules that happen to be loaded, which differ between workers and runs.
    """
    if config.getoption("hypothesis_profile", None) == "ci":
        providers.is_local_module_file = lambda _: False


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Tests and modules stay: look for no garbage while they are read, and set them aside afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _loggers_as_before() -> Iterator[None]:
    """A command that is run in this process configures what is logged: the next test's stderr is another one."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, logging.raiseExceptions
    yield
    root.handlers, root.level, logging.raiseExceptions = before
