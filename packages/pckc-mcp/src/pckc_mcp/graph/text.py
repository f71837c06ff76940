"""Answers of the graphs as text. Names come from files: each is shown on one line and can do nothing."""

from collections.abc import Callable, Sequence

from pckc_domain.model.graph import GraphLayer
from pckc_domain.policy.rendering import inline

from pckc_mcp.forms import Form

SHOWN = 40
"""Results in a text; the form has the others."""

MEANINGS_SHOWN = 12


def text_of(question: str, form: Form, *, shown: int = SHOWN) -> str:
    """Return the answer to *question* as text, with at most *shown* results of each kind."""
    notes = [f"note: {note}" for note in form.get("notes", ())]
    return "\n".join([*_meanings(form), *_TEXTS[question](form, shown), *notes])


def _meanings(form: Form) -> list[str]:
    """Say what an ambiguous name means: the answer is about all of it."""
    of = form.get("of", ())
    if len(of) < 2 or form["schema"]["name"].endswith("impact"):
        return []
    return [f"about {len(of)} symbols of this name:", *(f"  {_node(node)}" for node in of[:MEANINGS_SHOWN])] + (
        [f"  and {len(of) - MEANINGS_SHOWN} more"] if len(of) > MEANINGS_SHOWN else []
    )


def _node(node: Form) -> str:
    if node["layer"] == GraphLayer.SESSION:
        return f"{inline(node['name'])}  {inline(node['id'])}"
    return f"{inline(node['qualified_name'])}  {inline(node['path'])}:{node['start_line']}"


def _place(one: Form) -> str:
    return f"{inline(one['path'])}:{one['line']}"


def _cut(lines: list[str], total: int, shown: int) -> list[str]:
    return lines + ([f"  and {total - shown} more"] if total > shown else [])


def _search(form: Form, shown: int) -> list[str]:
    lines = [f"{_node(one)}  [{one['kind']} {one['score']:.2f}]{_told(one)}" for one in form["results"][:shown]]
    return _cut(lines, len(form["results"]), shown) or ["nothing found"]


def _told(one: Form) -> str:
    told = one.get("doc") or one.get("text") or one.get("signature") or ""
    return f"  {inline(told)[:100]}" if told else ""


def _hubs(form: Form, shown: int) -> list[str]:
    lines = [f"{one['degree']:6}  {_node(one)}  [{one['kind']}]" for one in form["results"][:shown]]
    return lines or ["nothing is joined"]


def _calls(form: Form, shown: int) -> list[str]:
    ambiguous = f", {form['ambiguous_count']} possible" if form["ambiguous_count"] else ""
    lines = [f"at least {form['at_least']}{ambiguous}, {form['unresolved_count']} unresolved"]
    lines += [f"  {_call(edge)}" for edge in form["results"][:shown]]
    lines = _cut(lines, form["total"], shown)
    lines += [f"  ? {inline(one['name'])}  {_place(one)}" for one in form["unresolved"][:shown]]
    lines = _cut(lines, form["unresolved_count"], shown)
    if form["overriding_count"]:
        lines.append(f"  and {form['overriding_count']} call what overrides it:")
        lines += [f"    {inline(edge['source'])}  line {edge['line']}" for edge in form["overriding"][:shown]]
    if form["external"] and form["schema"]["name"].endswith("callees"):
        names = sorted({inline(one["external"]) for one in form["external"]})
        lines.append(f"  outside: {', '.join(names[:shown])}{' …' if len(names) > shown else ''}")
    return lines


def _call(edge: Form) -> str:
    sites = edge["sites"] or [{"path": edge["node"]["path"], "line": edge["node"]["start_line"]}]
    places = ", ".join([_place(sites[0]), *(str(site["line"]) for site in sites[1:4])])
    name = inline(edge["node"]["qualified_name"])
    return f"{name}  {places}  [{edge['evidence']}]"


def _spread(form: Form, shown: int) -> list[str]:
    lines = [f"{'at least ' if form['is_cut'] else ''}{len(form['results'])} found"]
    lines += [f"  {one['distance']}  {_node(one)}  [{_kind(one['edge'])}]" for one in form["results"][:shown]]
    return _cut(lines, len(form["results"]), shown)


def _kind(edge: Form) -> str:
    """Return the kind of an edge, and of one that follows the id to ask why."""
    return f"{inline(edge['kind'])}, inferred: {edge['id']}" if edge.get("inferred") else str(edge["kind"])


def _impact(form: Form, shown: int) -> list[str]:
    changed = form["of"]
    lines = [f"changed: {len(changed)} symbols", *(f"  {_node(node)}" for node in changed[:shown])]
    lines = _cut(lines, len(changed), shown)
    lines += [f"  not in the graph: {inline(one['path'])}, {one['reason']}" for one in form["unknown"][:shown]]
    if form["removed"]:
        lines.append(f"taken away: {', '.join(map(inline, form['removed'][:shown]))}; calls of these names:")
        lines += [f"  ? {inline(one['name'])}  {_place(one)}" for one in form["unresolved"][:shown]]
    lines.append(f"felt by at least {form['total']}, {form['unresolved_count']} unresolved calls may feel it too")
    lines += [f"  {one['distance']}  {_node(one)}  [{one['edge']['kind']}]" for one in form["results"][:shown]]
    lines = _cut(lines, form["total"], shown)
    lines += _tests("tests to run", form["test_symbols"], shown)
    if form["possible_test_symbols"]:
        lines += _tests("tests that may feel it, by an unresolved call", form["possible_test_symbols"], shown)
    return lines


def _tests(title: str, nodes: Sequence[Form], shown: int) -> list[str]:
    by_path: dict[str, list[str]] = {}
    for one in nodes:
        names = by_path.setdefault(one["path"], [])
        names += [] if one["name"].startswith("<") else [inline(one["name"])]  # a lambda has no name to run
    lines = [f"{title}: {len(nodes)} in {len(by_path)} files"]
    for path, names in list(by_path.items())[:shown]:
        lines.append(f"  run {inline(path)}  {', '.join(names[:8])}{' …' if len(names) > 8 else ''}")
    return _cut(lines, len(by_path), shown)


def _path(form: Form, shown: int) -> list[str]:
    if not form["found"]:
        return ["no way leads there"]
    lines = [_node(form["nodes"][0])]
    for edge, node in zip(form["edges"][:shown], form["nodes"][1:], strict=False):
        site = f"  at line {edge['line']}" if edge["line"] else ""
        mark = f"  [inferred: {edge['id']}]" if edge.get("inferred") else site
        lines.append(f"  {inline(edge['kind'])} {_node(node)}{mark}")
    return lines


def _goal(form: Form, shown: int) -> list[str]:
    lines = [f"towards: {inline(', '.join(form['terms'])) or 'nothing that a symbol could speak of'}"]
    for way in form["results"][:shown]:
        steps = [inline(way["nodes"][0]["qualified_name"])]
        for edge, before, node in zip(way["edges"], way["nodes"], way["nodes"][1:], strict=False):
            arrow = f"{edge['kind']} →" if edge["source"] == before["id"] else f"← {edge['kind']}"
            steps.append(f"{arrow} {inline(node['qualified_name'])}")
        lines.append(f"  {way['likeness']:.2f}  {' '.join(steps)}  {_node(way['nodes'][-1]).rpartition('  ')[2]}")
    lines.append(f"pruned: {form['pruned_count']}")
    lines += [
        f"  {one['likeness']:.2f}  {inline(one['qualified_name'])}: {inline(one['reason'])}"
        for one in form["pruned"][: max(shown // 2, 5)]
    ]
    return lines


def _communities(form: Form, shown: int) -> list[str]:
    lines = [f"{form['total']} communities, modularity {form['modularity']:.3f}"]
    for one in form["results"][:shown]:
        inside = f" in {one['parent']}" if one["parent"] is not None else ""
        lines.append(f"  {one['id']}{inside}  {inline(one['name'])}  [{one['size']} members]")
    return _cut(lines, form["total"], shown)


def _dead(form: Form, shown: int) -> list[str]:
    lines = [f"{form['total']} candidates; each is a question, not a verdict"]
    for one in form["results"][:shown]:
        public = "public, others may use it; " if one["is_public"] else ""
        lines.append(f"  {_node(one)}  [{one['kind']}, {one['lines']} lines] {public}{inline(one['reason'])}")
    return _cut(lines, form["total"], shown)


def _cycles(form: Form, shown: int) -> list[str]:
    lines = [f"{form['total']} groups"]
    for one in form["results"][:shown]:
        names = {node["id"]: inline(node["qualified_name"]) for node in one["nodes"]}
        way = [names[edge["source"]] for edge in one["way"]]
        more = f"  ({one['size']} in all)" if one["size"] > len(way) else ""
        lines.append(f"  {' → '.join([*way, *way[:1]])}{more}")
    return _cut(lines, form["total"], shown)


def _edges(form: Form, shown: int) -> list[str]:
    lines = [f"{form['total']} edges"]
    for one in form["results"][:shown]:
        site = f"  {_place(one['sites'][0])}" if one["sites"] else ""
        mark = f"inferred: {one['id']}" if one.get("inferred") else one["evidence"]
        lines.append(f"  {inline(one['source'])} {inline(one['kind'])} {inline(one['target'])}{site}  [{mark}]")
    return _cut(lines, form["total"], shown)


def _file(form: Form, shown: int) -> list[str]:
    lines = [f"{len(form['results'])} symbols in {inline(form['path'])}"]
    lines += [f"  {_node(one)}  [{one['kind']}]" for one in form["results"][:shown]]
    return _cut(lines, len(form["results"]), shown)


def _counters(form: Form, _: int) -> list[str]:
    return [
        *(
            f"{name}: {', '.join(f'{count} {kind}' for kind, count in form[name].items())}"
            for name in ("nodes", "edges")
        ),
        f"calls without an edge: {form['unresolved_count']} unresolved, {form['external_count']} of what is outside",
    ]


def _sessions(form: Form, shown: int) -> list[str]:
    paths = ", ".join(inline(path) for path in form["paths"][:shown])
    lines = [f"{form['total']} sessions touched {paths}"]
    for one in form["results"][:shown]:
        when = one["ended_at"] or one["started_at"] or "at no known time"
        lines.append(f"  {when}  {inline(one['title'] or one['source_id'])}  [{inline(one['host'])} {one['id']}]")
        lines += [
            f"    events {part['first_seq']}-{part['last_seq']}  {inline(part['name'])}" for part in one["episodes"]
        ]
    lines = _cut(lines, form["total"], shown)
    lines.append(f"{form['claims_total']} claims speak of it or were made meanwhile")
    for one in form["claims"][:shown]:
        how = "" if one["speaks_of_it"] else ", made meanwhile"
        lines.append(f"  {inline(one['text'])}  [{one['type']}, {one['status']}{how}, {one['id']}]")
    return _cut(lines, form["claims_total"], shown)


def _report(form: Form, _: int) -> list[str]:
    return [str(form["markdown"]).rstrip("\n")]


_TEXTS: dict[str, Callable[[Form, int], Sequence[str]]] = {
    "search": _search,
    "hubs": _hubs,
    "neighbors": _spread,
    "path": _path,
    "callers": _calls,
    "callees": _calls,
    "impact": _impact,
    "goal": _goal,
    "communities": _communities,
    "dead": _dead,
    "cycles": _cycles,
    "sessions": _sessions,
    "edges": _edges,
    "file": _file,
    "counters": _counters,
    "report": _report,
}
