"""Rules applied to the graphs of an opened project, as the command line and the tools ask for it."""

from collections import Counter
from typing import TYPE_CHECKING

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.graph_index import GraphName, IndexLayer
from pckc_domain.model.inference import InferenceRule
from pckc_domain.policy.rendering import inline

from pckc_mcp.forms import Form, answer
from pckc_mcp.graph.forms import inferred_form
from pckc_mcp.graph.freshness import without_garbage

if TYPE_CHECKING:  # every server lists the tool, few apply a rule
    from pckc_domain.usecases.infer import InferenceReport

    from pckc_mcp.engine import Engine

SHOWN = 40


def infer(engine: "Engine", layer: str, *, limit: int, is_dry: bool = False) -> Form:
    """Conclude what follows on a graph and return it, with at most *limit* edges."""
    if limit < 0:
        raise InvalidInputError(f"limit must not be negative, not {limit}")
    name = GraphName(layer=IndexLayer(layer), checkout_id=engine.checkout.id if layer == "repository" else "")
    with without_garbage():
        return report_form(engine.inference().run(engine.scope, name, is_dry=is_dry), limit=limit)


def report_form(report: "InferenceReport", *, limit: int) -> Form:
    """Return what follows; counts are of everything, *results* are cut."""
    used = Counter(edge.derivation.rule_id for edge in report.edges)
    return answer(
        "infer",
        {},
        graph=str(report.graph.layer),
        rules=[_rule_form(rule) | {"edges": used[rule.claim_id]} for rule in report.book.rules],
        ignored=[{"claim": claim_id, "reason": reason} for claim_id, reason in report.book.ignored.items()],
        ignored_count=len(report.book.ignored),
        premises=report.premises,
        results=[inferred_form(edge, report.graph) for edge in report.edges[:limit]],
        total=len(report.edges),
        added=report.added,
        removed=report.removed,
        rounds=report.rounds,
        stopped=report.stopped,
        self_loops=report.self_loops,
        contradictions=[
            {"edge": edge._asdict(), "denied_by": other._asdict()} for edge, other in report.contradictions[:limit]
        ],
        contradictions_count=len(report.contradictions),
        stored=report.is_stored,
        engine=report.engine,
        why_embedded=report.why_embedded,
    )


EXAMPLE = '{"if": "imports", "then": "depends_on"}'


def infer_text(form: Form, *, shown: int = SHOWN) -> str:
    """Return what follows as text."""
    lines = [f"{len(form['rules'])} rules; {form['ignored_count']} claims of type logical_rule are none"]
    if not form["rules"]:
        lines.append(f"  a rule is a claim of type logical_rule, which memory_store stores, such as {EXAMPLE}")
    lines += [
        f"  {inline(' + '.join(rule['if']))} -> {inline(rule['then'])}  {rule['edges']} edges  {rule['claim']}"
        for rule in form["rules"][:shown]
    ]
    lines += [f"  ignored {one['claim']}: {one['reason']}" for one in form["ignored"][:shown]]
    unkept = "" if form["stored"] else "; a dry run: nothing is stored"
    lines.append(
        f"{form['premises']} edges read, {form['total']} follow: {form['added']} new, {form['removed']} gone{unkept}"
    )
    for edge in form["results"][:shown]:
        lines.append(f"  {edge_line(edge)}  {edge['weight']:.2f}  {edge['id']}")
        lines.append(f"    since {', '.join(map(edge_line, edge['premises']))}")
    rest = form["total"] - min(shown, len(form["results"]))
    lines += [f"  and {rest} more"] if rest > 0 else []
    if form["stopped"]:
        lines.append(f"stopped: {form['stopped']}; `limit` in [inference] of pckc.toml allows more")
    if form["self_loops"]:
        lines.append(f"{form['self_loops']} of them lead from a symbol to itself")
    if form["contradictions_count"]:
        lines.append(f"{form['contradictions_count']} are denied by another edge:")
        lines += [
            f"  {edge_line(one['edge'])}, yet {inline(one['denied_by']['kind'])}"
            for one in form["contradictions"][:shown]
        ]
    if form["why_embedded"]:
        lines.append(f"the rules were not applied by the graph index: {form['why_embedded']}")
    return "\n".join(lines)


def edge_line(edge: Form) -> str:
    """Return an edge on one line."""
    return f"{inline(edge['source'])} {inline(edge['kind'])} {inline(edge['target'])}"


def why_inferred(engine: "Engine", edge_id: str) -> Form:
    """
    Return the proof of an inferred edge: its rule, and every inferred edge that it rests on with its own.

    Raises:
        NotFoundError: Nothing of that id follows now.
    """
    graph, edge, story = engine.inference().explain(engine.scope, edge_id)
    return answer(
        "why",
        {},
        **inferred_form(edge, graph) | {"type": edge.kind, "kind": "inferred_edge"},
        steps=[
            inferred_form(one, graph) | {"rule_text": _rule_text(engine, one.derivation.rule_id)}
            for one in sorted(story.values(), key=lambda one: (-one.depth, one.key))
        ],
    )


def why_text(form: Form) -> str:
    """Return the proof of an inferred edge as text, step by step down to what was read."""
    ends = f"{inline(form['source'])} {inline(form['type'])} {inline(form['target'])}"
    lines = [f"{form['id']}: {ends}, confidence {form['weight']:.2f}, inferred"]
    for step in form["steps"]:
        lines.append(f"follows  {edge_line(step)}")
        lines += [f"  since  {edge_line(premise)}" for premise in step["premises"]]
        lines.append(f"  by     {step['rule']} > {inline(step['rule_text'])[:120]}")
    return "\n".join(lines)


def _rule_text(engine: "Engine", claim_id: str) -> str:
    with engine.canonical.reading(engine.scope) as work:
        found = work.claims.get([claim_id])
    return found[0].claim.text if found else ""


def _rule_form(rule: InferenceRule) -> Form:
    return {
        "claim": rule.claim_id, "if": list(rule.conditions), "then": rule.conclusion, "confidence": rule.confidence
    }  # fmt: skip
