"""The files of a graph: what each gives is replaced as a whole."""

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, count

from pckc_domain.model.graph import FileCoverage, FileGraph
from pckc_domain.model.identity import text_number
from pckc_domain.model.linking import KnownFile, LinkedFile
from pckc_domain.model.outbox import OutboxKind, OutboxOperation, graph_file_id
from pckc_domain.ports.graph import GraphFileRepository

from pckc_adapters_sqlite import fts, graph_queries, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.graph_key import GraphKey
from pckc_adapters_sqlite.graph_rows import edge_row, node_row, problems_row, spans_row
from pckc_adapters_sqlite.outbox import SqliteOutbox


class SqliteGraphFiles(GraphFileRepository):
    """Files of one graph."""

    def __init__(self, connection: Connection, key: GraphKey, outbox: SqliteOutbox) -> None:
        self._connection = connection
        self._key = key
        self._outbox = outbox

    def put(self, files: Sequence[LinkedFile], /) -> None:
        """See the port."""
        connection, graph = self._connection, self._key.made()
        newest = {rows.clean(file.path): file for file in files}
        connection.run_many(
            graph_queries.PUT_FILE,
            [(graph, path, file.language, file.content_hash) for path, file in newest.items()],
        )
        keys = self.file_keys(graph, newest)
        given = {path: file.graph for path, file in newest.items() if file.graph is not None}
        self._replace(graph, given, keys)
        self.note({keys[path]: file.sections for path, file in newest.items()})
        for path, file in newest.items():
            if file.asked is not None:
                self.ask(graph, keys[path], set(map(text_number, file.asked)))
        self._enqueue(given, OutboxOperation.UPSERT)

    def remove(self, paths: Sequence[str], /) -> None:
        """See the port."""
        connection, graph = self._connection, self._key.value()
        known = self.file_keys(graph, map(rows.clean, paths))
        keys = known.values()
        values = {"graph": graph, "files": str(list(keys))}
        connection.run(graph_queries.DELETE_EDGES_TO, values)
        connection.run(graph_queries.DELETE_CANDIDATES_OF, values)
        self._detach(graph, keys)
        self._drop_orphans(graph)
        connection.run(graph_queries.DELETE_FILES, (str(list(keys)),))
        self._enqueue(known, OutboxOperation.DELETE)

    def clear(self) -> None:
        """See the port."""
        connection, graph = self._connection, self._key.value()
        for statement in graph_queries.DELETE_COMMUNITIES:
            connection.run(statement, (graph,))
        self.remove(list(self.known()))
        connection.run(graph_queries.DELETE_GRAPH, (graph,))
        self._key.forget()

    def known(self) -> Mapping[str, KnownFile]:
        """See the port."""
        return {
            path: KnownFile(path=path, language=language, content_hash=content_hash, skipped=skipped)
            for path, language, content_hash, skipped in self._connection.rows(
                graph_queries.FILES, (self._key.value(),)
            )
        }

    def coverage(self) -> Sequence[FileCoverage]:
        """See the port."""
        found = self._connection.rows(graph_queries.COVERAGE, (self._key.value(),))
        return [
            FileCoverage(path=path, language=language, problems=rows.strings(problems), skipped=skipped)
            for path, language, problems, skipped in found
        ]

    def _enqueue(self, paths: Iterable[str], operation: OutboxOperation) -> None:
        ids = [graph_file_id(self._key.checkout_id, self._key.layer, path) for path in sorted(paths)]
        self._outbox.append(OutboxKind.GRAPH_FILE, ids, operation)

    def file_keys(self, graph: int, paths: Iterable[str]) -> dict[str, int]:
        """Return the keys of the known ones among *paths*."""
        return dict(self._connection.rows(graph_queries.FILE_KEYS, (graph, rows.array(paths))))

    def _replace(self, graph: int, given: Mapping[str, FileGraph], keys: Mapping[str, int]) -> None:
        connection = self._connection
        replaced = [keys[path] for path in given]
        self._detach(graph, replaced)
        connection.run_many(
            graph_queries.PUT_COVERAGE,
            [
                (rows.clean(one.coverage.skipped), problems_row(one.coverage.problems), keys[path])
                for path, one in given.items()
            ],
        )
        languages = {path: one.coverage.language for path, one in given.items()}
        connection.run_many(
            graph_queries.PUT_NODE,
            (
                (graph, text_number(node.id), keys[path], *node_row(node, path, languages[path]))
                for path, one in given.items()
                for node in one.nodes
            ),
        )
        connection.run(fts.SYMBOLS.insert, (str(replaced),))
        nodes = self._node_keys(graph, given.values())
        connection.run_many(
            graph_queries.PUT_EDGE,
            (
                (graph, nodes[edge.source], nodes[edge.target], *edge_row(edge, path))
                for path, one in given.items()
                for edge in one.edges
            ),
        )
        self._insert_calls(graph, given, nodes)
        self._drop_orphans(graph)

    def _insert_calls(self, graph: int, given: Mapping[str, FileGraph], nodes: Mapping[str, int]) -> None:
        numbers = count(self._connection.value(graph_queries.NEXT_CALL))
        calls = [(next(numbers), path, call) for path, one in given.items() for call in one.open_calls]
        self._connection.run_many(
            graph_queries.INSERT_OPEN_CALL,
            (
                (
                    key,
                    graph,
                    nodes[call.caller],
                    rows.clean(call.name),
                    rows.clean(call.external),
                    spans_row((call.site,), path),
                )
                for key, path, call in calls
            ),
        )
        self._connection.run_many(
            graph_queries.INSERT_CANDIDATE,
            ((graph, nodes[id_], key, place) for key, _, call in calls for place, id_ in enumerate(call.candidates)),
        )

    def _node_keys(self, graph: int, given: Iterable[FileGraph]) -> dict[str, int]:
        """Return the keys of every node that these files have or name; those not known before are made known."""
        ids = dict.fromkeys(
            chain.from_iterable(
                chain(
                    (end for edge in one.edges for end in (edge.source, edge.target)),
                    (id_ for call in one.open_calls for id_ in (call.caller, *call.candidates)),
                )
                for one in given
            )
        )
        hashes = {id_: text_number(id_) for id_ in ids}
        self._connection.run_many(graph_queries.NAME_NODE, ((graph, hash_) for hash_ in hashes.values()))
        found = self._connection.rows(graph_queries.NODE_KEYS, (graph, str(list(hashes.values()))))
        keys: dict[int, int] = dict(found)
        return {id_: keys[hash_] for id_, hash_ in hashes.items()}

    def _detach(self, graph: int, files: Iterable[int]) -> None:
        """Take away all that these files gave; nodes that others name stay without text."""
        values = {"graph": graph, "files": str(list(files))}
        self._connection.run(fts.SYMBOLS.delete, (values["files"],))
        self._connection.run(graph_queries.DELETE_EDGES_FROM, values)
        self._connection.run(graph_queries.DELETE_OPEN_CALLS, values)
        self._connection.run(graph_queries.DETACH_NODES, {"files": values["files"]})

    def _drop_orphans(self, graph: int) -> None:
        """Forget nodes that no file has; those that others name stay without text."""
        self._connection.run(graph_queries.DELETE_ORPHANED_MEMBERS, {"graph": graph})
        self._connection.run(graph_queries.DELETE_ORPHANS, {"graph": graph})

    def note(self, sections: Mapping[int, Mapping[str, bytes]]) -> None:
        """Note sections by file; those left out stay."""
        self._connection.run_many(
            graph_queries.PUT_SECTION,
            [(file, name, data) for file, of in sections.items() for name, data in of.items()],
        )

    def ask(self, graph: int, file: int, wanted: Set[int]) -> None:
        """Note what a file asks for, in numbers; only the difference is written."""
        before = {hash_ for (hash_,) in self._connection.rows(graph_queries.ASKED, (file,))}
        self._connection.run_many(
            graph_queries.DELETE_ASKED, [(graph, hash_, file) for hash_ in sorted(before - wanted)]
        )
        self._connection.run_many(
            graph_queries.INSERT_ASKED, [(graph, hash_, file) for hash_ in sorted(wanted - before)]
        )
