"""What stands for a thing in the embedding space, and in which typed partition it stands."""

from pckc_domain.model.claim import Claim, ClaimType
from pckc_domain.model.passage import Layer, Paragraph, Passage, Proposition, PropositionType, StoredPassage
from pckc_domain.model.session import Evidence

EMBEDDED_LAYERS = frozenset({Layer.PARAGRAPH, Layer.PROPOSITION, Layer.SUMMARY})
"""Chunks repeat their paragraphs: embedding them too would double the cost and find nothing new."""

EMBEDDED_CHARACTERS = 600
"""How much of a text is embedded: the time grows with it, and sentence models say most with a text's beginning."""

EVIDENCE_PARTITION = "evidence"


def passage_partition(layer: Layer, kind: PropositionType | None = None) -> str:
    """Return the partition of passages of *layer*; propositions have one for each type."""
    return f"{layer}:{kind}" if layer is Layer.PROPOSITION and kind else str(layer)


def claim_partition(kind: ClaimType) -> str:
    """Return the partition of claims of *kind*."""
    return f"claim:{kind}"


def passage_text(stored: StoredPassage) -> str:
    """Return the text that stands for a passage: its subject first."""
    heading = _heading(stored.passage) or (stored.document.title if isinstance(stored.passage, Paragraph) else "")
    return (
        f"{heading}: {stored.passage.text}"[:EMBEDDED_CHARACTERS]
        if heading
        else stored.passage.text[:EMBEDDED_CHARACTERS]
    )


def claim_text(claim: Claim) -> str:
    """Return the text that stands for a claim."""
    return claim.text[:EMBEDDED_CHARACTERS]


def evidence_text(evidence: Evidence) -> str:
    """Return the text that stands for a passage of a session: who speaks first, when more than user and agent do."""
    speaker = f"{evidence.speaker}: " if evidence.speaker else ""
    return f"{speaker}{evidence.text}"[:EMBEDDED_CHARACTERS]


def _heading(passage: Passage) -> str:
    if isinstance(passage, Proposition):
        return passage.subject
    return passage.section_heading if isinstance(passage, Paragraph) else ""
