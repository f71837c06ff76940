"""``pckc watch``: keep the index fresh while files change, until it is stopped."""

import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from pckc_domain.errors import ConfigurationError

from pckc_mcp.cli.output import counted, note, print_json, print_text
from pckc_mcp.forms import Form
from pckc_mcp.indexing import Say
from pckc_mcp.locations import find_root
from pckc_mcp.watching.lock import only_watcher
from pckc_mcp.watching.wakes import has_events, wakes_by_clock, wakes_by_events
from pckc_mcp.watching.watcher import Watcher

POLL_SECONDS = 2.0


def run(options: Namespace) -> int:
    """Watch, and print what each change led to; 0 after a signal."""
    if not options.project.is_dir():
        raise ConfigurationError(f"{options.project} is no folder", remedy="name the project's folder with --project")
    root = find_root(options.project)
    say = _say_nothing if options.quiet else note
    with (
        only_watcher(root),
        _stopping() as stopping,
        Watcher(
            root,
            store=options.store,
            is_embedding=not options.no_embed,
            embed_seconds=options.embed_seconds,
            stopping=stopping,
            say=say,
        ) as watcher,
    ):
        for has_changed in _wakes(options, watcher, stopping, say):
            form = watcher.look(has_changed=has_changed)
            if form is not None:
                _report(form, options)
    return 0


def _say_nothing(_: str) -> None:
    """Who asked for quiet hears of nothing that will be tried again."""


def _wakes(options: Namespace, watcher: Watcher, stopping: threading.Event, say: Say) -> Iterator[bool]:
    """Yield whenever it is time to look, and whether something may have changed."""
    yield True  # what changed while nobody watched
    root = find_root(options.project)
    why_not = "asked to" if options.poll else has_events(root)
    if not why_not:
        say(f"pckc: watching {root}; stop it with Ctrl-C")
        try:
            is_first = True  # what changed until now has no event
            for woke in wakes_by_events(root, watcher.store, stopping):
                yield woke or is_first
                is_first = False
            return
        except Exception as error:  # whatever keeps the library from telling, the clock does not need it
            why_not = f"the system's events cannot be followed: {error}"
    seconds = options.poll or POLL_SECONDS
    say(f"pckc: watching {root}, looking every {seconds:g} s: {why_not}; stop it with Ctrl-C")
    yield from wakes_by_clock(seconds, stopping)


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    stopping = threading.Event()
    caught = (signal.SIGTERM, signal.SIGINT)
    before = {each: signal.signal(each, lambda *_: stopping.set()) for each in caught}
    try:
        yield stopping
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _report(form: Form, options: Namespace) -> None:
    if options.json:
        print_json(form)
    elif not options.quiet:
        graph = form["graph"] or {"linked": 0}
        at = datetime.now().astimezone().strftime("%H:%M:%S")  # as the person's clock has it
        print_text(
            f"{at}  {counted(form['indexed'], 'file')} read, {form['removed']} removed, {graph['linked']} linked"
            f" in {form['seconds']:.2f} s"
        )
    sys.stdout.flush()
