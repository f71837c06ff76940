"""``pckc why``: where a passage comes from, and whether it is still there."""

from argparse import Namespace
from typing import Any

from pckc_domain.model.passage import Proposition, StoredPassage, layer_of
from pckc_domain.model.proof import ProofCheck

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.engine import open_engine
from pckc_mcp.forms import answer, check_form, proof_form, time_form


def run(options: Namespace) -> int:
    """Explain one passage."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        check = engine.verifier().verify_passages(engine.scope, [options.id]).checks[0]
        with engine.canonical.reading(engine.scope) as work:
            stored = work.passages.get([options.id])[0]
    form = _form(stored, check)
    if options.json:
        print_json(form)
    else:
        print_text(_text(form))
    return 0


def _form(stored: StoredPassage, check: ProofCheck) -> dict[str, Any]:
    passage, document = stored.passage, stored.document
    form = answer(
        "why",
        {},
        id=passage.id,
        kind=str(layer_of(passage)),
        text=passage.text,
        path=document.uri,
        start_line=passage.start_line,
        end_line=passage.end_line,
        source=str(document.source),
        language=document.language,
        branch=document.branch.name,
        branch_scope=str(document.branch.scope),
        source_revision=document.branch.source_revision,
        commit=document.branch.commit_sha,
        indexed_at=time_form(document.indexed_at),
        is_stale=document.is_stale,
        proof=proof_form(check.proof),
        check=check_form(check),
    )
    if isinstance(passage, Proposition):
        form |= {
            "type": str(passage.type),
            "confidence": passage.confidence,
            "subject": passage.subject,
            "paragraph": passage.paragraph_id,
        }
    return form


def _text(form: dict[str, Any]) -> str:
    kind = f"{form['kind']} ({form['type']}, confidence {form['confidence']:.2f})" if "type" in form else form["kind"]
    quoted = "\n".join(f"  > {line}" for line in form["text"].splitlines()[:12])
    revision = form["source_revision"] or "an unversioned tree"
    return "\n".join(
        [
            f"{form['id']}: {kind}",
            quoted,
            f"from     {form['path']}:{form['start_line']}-{form['end_line']} ({form['source']})",
            f"seen on  {form['branch'] or 'no branch'} ({form['branch_scope']}), {revision}, {form['indexed_at']}",
            f"proof    {form['proof']['source_ref']}",
            f"now      {form['check']['liveness']}: {form['check']['reason']}",
        ]
    )
