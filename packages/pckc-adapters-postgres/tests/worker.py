"""
What the other processes of ``test_load.py`` do: ``python worker.py SETTINGS LOAD``, both JSON; it prints JSON.

A script and not functions: test modules cannot be imported by a process that pytest did not start.
"""

import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import assertion, claim, event, session
from pckc_domain.testing.samples import content, document, entry

EVERYTHING = 1_000_000
PAUSE_SECONDS = 0.05
"""Between two questions of a reader: without, its process has no time left for the writers."""


class Load:
    """
    Writers and readers of one process.

    A writer stores a session with its claim and, in another transaction, a version of a file. A reader checks that its
    snapshot is whole, and that no sequence number appears behind one that it has seen.
    """

    def __init__(self, store: Canonical, *, process: int, seconds: float, projects: int) -> None:
        self._store = store
        self._process = process
        self._end = time.monotonic() + seconds
        self._projects = projects
        self._lock = threading.Lock()
        self.acknowledged: dict[str, list[str]] = defaultdict(list)
        self.documents: dict[str, int] = defaultdict(int)
        self.reads = 0
        self.problems: list[str] = []

    def run(self, *, writers: int, readers: int) -> None:
        """Run them all until the time is over."""
        tasks = [(self._write, number) for number in range(writers)] + [(self._read, n) for n in range(readers)]
        threads = [threading.Thread(target=self._guarded, args=task) for task in tasks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _guarded(self, task: Callable[[str, Scope], None], number: int) -> None:
        scope = Scope(project=f"project {number % self._projects}")
        try:
            task(f"{self._process}.{number}", scope)
        except Exception as error:
            self.problems.append(repr(error))

    def _write(self, name: str, scope: Scope) -> None:
        step = 0
        while time.monotonic() < self._end:
            of = session(f"{name} {step}")
            said = [event(of, seq, f"{name} said {step} {seq}") for seq in range(2)]
            believed = claim(f"The parser {step} of {name} is strict.", id=f"claim_{name}_{step}", session_id=of.id)
            slot = f"slot {name} {step}"
            with self._store.writing(scope) as work:
                work.sessions.put(of, said)
                work.assertions.replace(of.id, {slot: [assertion(believed)]})
                work.claims.settle({slot: Beliefs(claims=(believed,), proofs=(), links=())})
            with self._lock:
                self.acknowledged[scope.project] += [one.id for one in said]
            version = document(f"src/{name}.py", step)
            with self._store.writing(scope) as work:
                work.documents.put(content(version, f"alpha {step}"))
                work.manifest.put(f"co_{name}", [entry(version)])
            with self._lock:
                self.documents[scope.project] += 1
            step += 1

    def _read(self, name: str, scope: Scope) -> None:
        query = LexicalQuery(words=("parser", "strict"))
        seen: set[int] = set()
        while time.monotonic() < self._end:
            with self._store.reading(scope) as work:
                sessions = sum(work.census.sessions().values())
                events = sum(work.census.events().values())
                claims = sum(work.census.claims().values())
                found = work.claims.search(query, where=ClaimFilter(), limit=20)
                numbers = {one.seq for one in work.outbox.pending(f"reader {name}", limit=EVERYTHING)}
            assert events == 2 * sessions == 2 * claims, (events, sessions, claims)
            assert len(found) == min(claims, 20)
            late = {seq for seq in numbers - seen if seen and seq < max(seen)}
            assert not late, f"numbers {sorted(late)} became visible behind {max(seen)}"
            seen = numbers
            with self._lock:
                self.reads += 1
            time.sleep(PAUSE_SECONDS)


def main(settings: dict[str, Any], load: dict[str, Any]) -> None:
    """Run a share of the load and print what came of it."""
    writers, readers = load.pop("writers"), load.pop("readers")
    with CANONICAL.open(PostgresSettings(**settings, pool_size=writers + readers)) as store:
        share = Load(store, **load)
        share.run(writers=writers, readers=readers)
    json.dump(
        {
            "acknowledged": share.acknowledged,
            "documents": share.documents,
            "reads": share.reads,
            "problems": share.problems,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), json.loads(sys.argv[2]))
