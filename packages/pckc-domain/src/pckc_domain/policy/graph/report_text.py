"""A report in Markdown. Names come from files: they are shown as code, and can neither end it nor act."""

from collections.abc import Iterator, Mapping, Sequence

from pckc_domain.model.graph import Edge
from pckc_domain.policy.graph.report import Report
from pckc_domain.policy.rendering import inline


def report_markdown(report: Report, *, title: str) -> str:
    """Return the report as a page."""
    parts = [
        f"# {_plain(title)}: the repository's graph",
        _overview(report),
        "## Hubs\n",
        *_hubs(report),
        "## Communities\n",
        *_communities(report),
        "## Between communities\n",
        *_bridges(report),
        "## Import cycles\n",
        *_cycles(report),
        "## Why, and what is left to do\n",
        *_rationale(report),
        "## What is not known\n",
        *_unknown(report),
        "## Worth asking\n",
        *_questions(report),
    ]
    return "\n".join(parts) + "\n"


def _overview(report: Report) -> str:
    files = _listed(report.files, "files")
    return (
        f"\n{sum(report.files.values())} files ({files}), {sum(report.nodes.values())} nodes"
        f" ({_listed(report.nodes, 'nodes')}), {sum(report.edges.values())} edges ({_listed(report.edges, 'edges')}).\n"
    )


def _listed(counts: Mapping[str, int], nothing: str) -> str:
    return ", ".join(f"{count} {_plain(name)}" for name, count in counts.items()) or f"no {nothing}"


def _hubs(report: Report) -> Iterator[str]:
    yield "| Symbol | Kind | Edges | Where |\n|---|---|---|---|"
    for hub in report.hubs:
        node = hub.node
        place = _code(f"{node.path}:{node.start_line}")
        yield f"| {_code(node.qualified_name)} | {node.kind} | {hub.degree} | {place} |"
    yield ""


def _communities(report: Report) -> Iterator[str]:
    coarse, fine = report.community_count
    if not coarse:
        yield "None were found: install `pckc-mcp[leiden]`, or there is too little code.\n"
        return
    yield f"{coarse} at level 0, {fine} within the large ones; modularity {report.modularity:.3f}.\n"
    yield "| Id | Name | Members | Central symbols |\n|---|---|---|---|"
    for one in report.communities:
        central = ", ".join(_code(report.names[member]) for member in one.central if member in report.names)
        yield f"| {one.id} | {_code(one.name)} | {len(one.members)} | {central} |"
    yield ""


def _bridges(report: Report) -> Iterator[str]:
    for bridge in report.bridges:
        ends = [_code(report.community_names[one]) for one in (bridge.source, bridge.target)]
        yield f"- {ends[0]} → {ends[1]}: {bridge.count} edges, such as {_edge(bridge.examples[0], report.names)}"
    yield "" if report.bridges else "No edge joins two communities.\n"


def _cycles(report: Report) -> Iterator[str]:
    if not report.cycle_count:
        yield "No module imports itself over others.\n"
        return
    yield f"{report.cycle_count} groups of modules import each other when they are loaded.\n"
    for cycle in report.cycles:
        names = [report.names[edge.source] for edge in cycle.way]
        more = f" ({len(cycle.nodes)} modules in all)" if len(cycle.nodes) > len(names) else ""
        yield f"- {' → '.join(_code(name) for name in [*names, *names[:1]])}{more}"
    yield ""


def _rationale(report: Report) -> Iterator[str]:
    if not report.rationale:
        yield "No comment says so.\n"
        return
    yield f"{_listed(report.rationale_count, 'comments')}.\n"
    for node in report.rationale:
        yield f"- {_code(f'{node.path}:{node.start_line}')} {_plain(node.name.partition('~')[0])}: {_code(node.text)}"
    yield ""


def _unknown(report: Report) -> Iterator[str]:
    yield (
        f"{report.resolved} calls are resolved, {report.unresolved} are not ({report.unresolved_share:.0%} of those"
        f" within the repository), {report.external} leave it."
    )
    if report.unresolved_names:
        names = ", ".join(f"{_code(name)} ({count})" for name, count in report.unresolved_names)
        yield f"\nUnresolved calls that may mean something here: {names}."
    if report.problem_count:
        yield f"\n{report.problem_count} files were not read in full:\n"
        for file in report.problems:
            yield f"- {_code(file.path)}: {_plain(file.skipped or '; '.join(file.problems[:3]))}"
    yield ""


def _questions(report: Report) -> Iterator[str]:
    for question in report.questions:
        yield f"- {_plain(question.text)} {_command(question.asks)}"


def _command(asks: Sequence[str]) -> str:
    return _code("pckc graph " + " ".join(asks))


def _edge(edge: Edge, names: Mapping[str, str]) -> str:
    source, target = names.get(edge.source, edge.source), names.get(edge.target, edge.target)
    place = f" ({_code(f'{edge.sites[0].path}:{edge.sites[0].line}')})" if edge.sites else ""
    return f"{_code(source)} {edge.kind} {_code(target)}{place}"


def _code(text: str) -> str:
    """Return *text* as code that nothing in it can end, in a table neither."""
    return f"`{inline(' '.join(text.split())).replace('`', chr(39)).replace('|', '¦')}`"


def _plain(text: str) -> str:
    """Return *text* as words: nothing in it is markup."""
    safe = inline(" ".join(text.split()))
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>()#|!" else one for one in safe)
