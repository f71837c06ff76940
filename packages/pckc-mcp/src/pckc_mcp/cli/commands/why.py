"""``pckc why``: what a claim or passage rests on, and whether it still does."""

from argparse import Namespace
from typing import Any

from pckc_domain.errors import NotFoundError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.passage import Proposition, StoredPassage, layer_of
from pckc_domain.model.proof import ProofCheck

from pckc_mcp.cli.commands.verify import CLAIM_PREFIX
from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.engine import Engine, open_engine
from pckc_mcp.forms import act_form, answer, bare_claim_form, check_form, event_ids, proof_form, time_form


def run(options: Namespace) -> int:
    """Explain one claim or passage."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        form = explain(engine, options.id)
    if options.json:
        print_json(form)
    else:
        print_text(_claim_text(form) if form["kind"] == "claim" else _passage_text(form))
    return 0


def explain(engine: Engine, identity: str) -> dict[str, Any]:
    """
    Return what a claim or passage rests on.

    Raises:
        NotFoundError: Nothing has that id.
    """
    if identity.startswith(CLAIM_PREFIX):
        return _explain_claim(engine, identity)
    check = engine.verifier().verify_passages(engine.scope, [identity]).checks[0]
    with engine.canonical.reading(engine.scope) as work:
        stored = work.passages.get([identity])[0]
    return _passage_form(stored, check)


def _explain_claim(engine: Engine, claim_id: str) -> dict[str, Any]:
    checks = engine.claim_verifier().verify(engine.scope, [claim_id]).checks
    with engine.canonical.reading(engine.scope) as work:
        found = work.claims.get([claim_id])
        if not found:
            raise NotFoundError(f"no claim has the id {claim_id}", remedy="`pckc claims` lists them")
        proofs = work.proofs.of([claim_id]).get(claim_id, ())
        links = work.links.of([claim_id])
        others = work.claims.get([link.target_id if link.source_id == claim_id else link.source_id for link in links])
        slot = work.claims.find(where=ClaimFilter(slots=frozenset({found[0].slot})), limit=100)
        acts = work.governance.of([claim_id])
    texts = {item.claim.id: item.claim.text for item in others}
    return answer(
        "why",
        {},
        **bare_claim_form(found[0]),
        event_ids=event_ids(proofs, engine),
        proofs=[proof_form(proof) for proof in proofs],
        checks=[check_form(check) for check in checks],
        links=[
            {
                "kind": str(link.kind),
                "source": link.source_id,
                "target": link.target_id,
                "rule": link.source_rule,
                "text": texts.get(link.target_id if link.source_id == claim_id else link.source_id, ""),
            }
            for link in links
        ],
        history=[bare_claim_form(item) for item in slot if item.claim.id != claim_id],
        decisions=[act_form(act) for act in acts],
    )


def _passage_form(stored: StoredPassage, check: ProofCheck) -> dict[str, Any]:
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


def _claim_text(form: dict[str, Any]) -> str:
    until = f" until {form['valid_to']}" if form["valid_to"] else ", still holds"
    reason = f" ({form['status_reason']})" if form["status_reason"] else ""
    lines = [
        f"{form['id']}: {form['type']}, {form['status']}{reason}",
        f"  > {form['text']}",
        f"slot      {form['subject'] or 'none'} / {form['attribute'] or 'none'} = {form['value'] or 'none'}",
        f"holds     from {form['valid_from']}{until}; known since {form['recorded_at']}",
        f"authority {form['authority']}, confidence {form['confidence']:.2f}, {form['governance']}",
    ]
    checks = {check["proof"]: check for check in form["checks"]}
    for proof in form["proofs"]:
        now = checks.get(proof["id"])
        lines.append(f"proof     {proof['source_ref']} ({proof['authority']}, {proof['observed_at']})")
        lines.append(f"          > {proof['excerpt'][:200]}")
        if now:
            lines.append(f"          now {now['liveness']}: {now['reason']}")
    lines += [f"{link['kind']:10}{link['text'][:120]} ({link['rule']})" for link in form["links"]]
    lines += [f"decision  {act['at']} {act['actor']}: {act['after']} {act['reason']}" for act in form["decisions"]]
    return "\n".join(lines)


def _passage_text(form: dict[str, Any]) -> str:
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
