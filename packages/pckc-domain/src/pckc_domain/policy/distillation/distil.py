"""From one chunk to its claims."""

from collections.abc import Iterator

import attrs

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import Distilled, DistilledClaim, RefusedClaim, SourceChunk
from pckc_domain.model.identity import normalize
from pckc_domain.policy.cutting.markdown_outline import BlockKind
from pckc_domain.policy.distillation.definitions import find_definition, find_definition_list
from pckc_domain.policy.distillation.exhibits import find_code, find_table, is_indented, is_tabbed
from pckc_domain.policy.distillation.facts import find_fact
from pckc_domain.policy.distillation.pieces import Found, Piece, pieces, sentences
from pckc_domain.policy.distillation.rules import find_rules, without_rules
from pckc_domain.policy.distillation.skipping import is_noise
from pckc_domain.policy.distillation.statements import find_statement

MAX_SENTENCE = 1_000
"""Characters: a longer stretch without an end is no sentence."""

_EXHIBITS = frozenset({ClaimType.TABLE, ClaimType.CODE})


def distil(chunk: SourceChunk) -> Distilled:
    """Return the claims that the rules find in *chunk*, in reading order, each content once."""
    found: list[Found] = []
    refused: list[RefusedClaim] = []
    for rule in find_rules(chunk.text):
        if isinstance(rule, RefusedClaim):
            refused.append(rule)
        else:
            found.append(rule)
    follows_item = False
    for piece in pieces(chunk, without_rules(chunk.text)):
        found += _read(piece, follows_item=follows_item)
        follows_item = piece.kind is BlockKind.ITEM or (follows_item and is_indented(piece))
    return Distilled(claims=_once(found, chunk.text), refused=tuple(refused))


def _read(piece: Piece, *, follows_item: bool) -> Iterator[Found]:
    if piece.kind is BlockKind.FENCE:
        yield from find_code(piece)
    elif piece.kind is BlockKind.TABLE or is_tabbed(piece):
        yield from find_table(piece)
    elif is_indented(piece) and not follows_item:  # under an item it is the item's next paragraph
        yield from tuple(find_code(piece)) or _in_sentences(piece)
    else:
        yield from tuple(find_definition_list(piece)) or _in_sentences(piece)


def _in_sentences(piece: Piece) -> Iterator[Found]:
    for sentence in sentences(piece):
        if len(sentence.raw) > MAX_SENTENCE or is_noise(sentence.raw, sentence.text):
            continue
        if found := find_fact(sentence) or find_definition(sentence) or find_statement(sentence):
            yield found


def _once(found: list[Found], text: str) -> tuple[DistilledClaim, ...]:
    """Return the claims in order of their quotes, which are taken from *text* as it was before rules were blanked."""
    claims: dict[tuple[str, str], DistilledClaim] = {}
    for at, claim in sorted(found, key=lambda one: one.at):
        quote = text[at : at + len(claim.quote)]
        verbatim = quote if claim.type in _EXHIBITS else claim.text
        claims.setdefault((claim.type, normalize(verbatim)), attrs.evolve(claim, quote=quote, text=verbatim))
    return tuple(claims.values())
