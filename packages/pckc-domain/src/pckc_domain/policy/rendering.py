"""A pack as text: recalled material is quoted data between markers, never instructions."""

from collections.abc import Sequence

from pckc_domain.model.context import CoveredGoal, PackSection
from pckc_domain.model.intent import GranularityPreference
from pckc_domain.model.memory import ClaimResult, EvidenceResult
from pckc_domain.model.passage import Proposition
from pckc_domain.model.recall import PassageResult
from pckc_domain.model.session import EventKind
from pckc_domain.policy.bug_attributes import is_cause
from pckc_domain.policy.quoting import CLOSING as CLOSING  # these are part of how a pack reads
from pckc_domain.policy.quoting import INLINE_CHARACTERS as INLINE_CHARACTERS
from pckc_domain.policy.quoting import NOTICE as NOTICE
from pckc_domain.policy.quoting import OPENING as OPENING
from pckc_domain.policy.quoting import inline as inline
from pckc_domain.policy.quoting import quote as quote
from pckc_domain.policy.quoting import set_apart as set_apart
from pckc_domain.policy.quoting import since_text as since_text
from pckc_domain.policy.quoting import visible as visible

CLAIMS_TITLE = "## What is known\n"

EVIDENCE_TITLE = "## Said earlier, not checked\n"

SECTION_TITLES = {
    PackSection.GRANULAR: "## Facts and passages",
    PackSection.CHUNKS: "## Surrounding context",
}


def render_header(preference: GranularityPreference) -> str:
    """Return the lines that open a pack."""
    return f"{OPENING}\n{NOTICE}\nIntent: {inline(preference.reason)}\n"


def render_lack(rules: int) -> str:
    """Return a line that says how many standing *rules* the budget has no room for; none for none."""
    if not rules:
        return ""
    counted = "1 standing rule does" if rules == 1 else f"{rules} standing rules do"
    return f"{counted} not fit into this budget: ask with a larger one.\n"


def render_passage(result: PassageResult) -> str:
    """Return a passage as a heading with its locator and the quoted text."""
    passage, document = result.stored.passage, result.stored.document
    kind = f"{passage.type} {passage.confidence:.2f}" if isinstance(passage, Proposition) else str(result.layer)
    changed = ", the file has changed since" if result.is_changed else ""
    place = place_text(document.uri, passage.place, passage.start_line, passage.end_line)
    own, foreign = set_apart([place])
    head = " ".join(f"[{name}]" for name in own or ["document"])
    reason = f", {inline(result.reason)}" if result.reason else ""
    about = f"{head} {kind}, score {result.score:.2f}{reason}{changed}"
    return "\n".join([about, *foreign, quote(passage.text)]) + "\n"


def place_text(uri: str, place: str, start_line: int, end_line: int) -> str:
    """Return where a passage stands, for a reader: its lines, or its place in a document that has no lines."""
    return f"{uri}#{place}" if place else f"{uri}:{start_line}-{end_line}"


def render_claim(result: ClaimResult) -> str:
    """
    Return a claim as a heading with its standing, its id and its first proof, and the quoted text.

    A cause or a remedy is told with what it is of: its words may only say `it`.
    """
    claim = result.claim
    since = since_text(claim.valid_from.date().isoformat())
    own, foreign = set_apart([proof.source_ref for proof in result.proofs[:1]])
    proof = own[0] if own else "a document" if foreign else "no proof"
    rule = ", standing rule" if claim.is_standing else ""
    why = f" ({inline(claim.status_reason)})" if claim.status_reason else ""
    of = f", {claim.attribute} of {inline(claim.subject)}" if is_cause(claim.attribute) else ""
    head = f"[{claim.type} {claim.status}{why}, {claim.authority}{rule}{of}, {since}; {claim.id}; {proof}]"
    return "\n".join([head, *foreign, quote(claim.text)]) + "\n"


def render_evidence(result: EvidenceResult, text: str) -> str:
    """Return what was said as a heading with who said it and when, and the quoted text."""
    evidence = result.evidence
    by = "the user" if evidence.kind is EventKind.PROMPT else "the agent"
    when = f" on {evidence.time.date().isoformat()}" if evidence.time else ""
    return f"[{inline(evidence.speaker) or by}{when}; {evidence.id}]\n{quote(text)}\n"


def render_goals(goals: Sequence[CoveredGoal], places: dict[str, str]) -> str:
    """Return a line per sub-goal: where it is proven, or that it is a gap; *places* names ids."""
    lines = []
    for goal in goals:
        where = ", ".join(dict.fromkeys(inline(places[item]) for item in goal.covered_by)) or "nothing found: a gap"
        lines.append(f"- {goal.subgoal.kind} {inline(' '.join(goal.subgoal.goal.split()))}: {where}")
    return "## Sub-goals\n" + "\n".join(lines) + "\n" if lines else ""


def render_verification(steps: Sequence[str]) -> str:
    """Return the recommended verification as a list."""
    return "## Verify\n" + "\n".join(f"- {inline(step)}" for step in steps) + "\n" if steps else ""
