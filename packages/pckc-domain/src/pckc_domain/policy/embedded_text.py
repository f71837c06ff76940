"""What stands for a thing in the embedding space, and in which typed partition it stands."""

from pckc_domain.model.claim import Claim, ClaimType
from pckc_domain.model.passage import Layer, Paragraph, Proposition, PropositionType, StoredPassage
from pckc_domain.model.session import Evidence

EMBEDDED_LAYERS = frozenset({Layer.PARAGRAPH, Layer.PROPOSITION, Layer.SUMMARY})
"""Chunks repeat their paragraphs: embedding them too would double the cost and find nothing new."""

EMBEDDED_CHARACTERS = 600
"""How much of a text is embedded: the time grows with it, and sentence models say most with a text's beginning."""

_EVIDENCE = "evidence"
DIRECTIVE_PARTITION = "evidence:directive"
EVIDENCE_PARTITIONS = frozenset({_EVIDENCE, DIRECTIVE_PARTITION})


def passage_partition(layer: Layer, kind: PropositionType | None = None) -> str:
    """Return the partition of passages of *layer*; propositions have one for each type."""
    return f"{layer}:{kind}" if layer is Layer.PROPOSITION and kind else str(layer)


def claim_partition(kind: ClaimType) -> str:
    """Return the partition of claims of *kind*."""
    return f"claim:{kind}"


def passage_text(stored: StoredPassage) -> str:
    """Return the text that stands for a passage: its subject first, then what it is for, where that is known."""
    passage = stored.passage
    subject, purpose = "", ""
    if isinstance(passage, Proposition):
        subject = passage.subject
    elif isinstance(passage, Paragraph):
        subject, purpose = " > ".join(passage.heading_path) or stored.document.title, passage.summary
    opening = f"{subject}: " if subject else ""
    return " ".join(filter(None, (f"{opening}{purpose}".rstrip(), passage.text)))[:EMBEDDED_CHARACTERS]


def claim_text(claim: Claim) -> str:
    """Return the text that stands for a claim."""
    return claim.text[:EMBEDDED_CHARACTERS]


def evidence_partition(evidence: Evidence) -> str:
    """Return the partition of a passage of a session; standing instructions have their own."""
    from pckc_domain.policy.directives import is_directive  # its patterns cost a search of passages 15 ms of start-up

    return DIRECTIVE_PARTITION if is_directive(evidence) else _EVIDENCE


def evidence_text(evidence: Evidence) -> str:
    """Return the text that stands for a passage of a session. Who speaks is a signal of its own, not part of it."""
    return evidence.text[:EMBEDDED_CHARACTERS]
