"""``pckc traces``: an agent's own plans, actions, observations and reflections."""

from argparse import Namespace

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.policy.rendering import inline

from pckc_mcp.cli.output import print_json, print_text, quoted
from pckc_mcp.curated_forms import trace_form
from pckc_mcp.forms import answer, time_form
from pckc_mcp.opening import open_engine


def run(options: Namespace) -> int:
    """Add or list and print."""
    kinds = [TraceKind(kind) for kind in options.kind]
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        tracer = engine.tracer()
        if options.act == "add":
            if len(kinds) != 1:
                raise InvalidInputError("say what the trace is", remedy=f"--kind with one of {', '.join(TraceKind)}")
            traces = [tracer.add(engine.scope, kinds[0], options.text, session_id=options.session or "")]
        else:
            traces = [*tracer.list(engine.scope, kinds=kinds, session_id=options.session, limit=options.limit)]
    if options.json:
        print_json(answer("traces", {}, act=options.act, traces=[trace_form(trace) for trace in traces]))
    elif not options.quiet:
        print_text("\n".join(map(_text, traces)) or "no traces")
    return 0


def _text(trace: Trace) -> str:
    session = f" in {inline(trace.session_id)}" if trace.session_id else ""
    return f"{time_form(trace.at)} {trace.kind} {trace.id}{session}\n{quoted(trace.text)}"
