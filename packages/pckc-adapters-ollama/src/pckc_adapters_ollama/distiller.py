"""The distiller and judge: ``/api/chat`` with a strict schema, every answer checked."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs
from pckc_domain.errors import BackendError, BackendUnavailableError
from pckc_domain.model.claim import ClaimType, Polarity
from pckc_domain.model.distillation import Distilled, DistilledClaim, RefusedClaim, SourceChunk
from pckc_domain.model.identity import normalize
from pckc_domain.model.verdict import Judgement, VerdictKind
from pckc_domain.policy.citing import as_quoted, why_unsupported
from pckc_domain.policy.distillation.distil import distil
from pckc_domain.policy.judging.judge import compare, differs_in_substance
from pckc_domain.policy.subjects import attribute_name, normalize_subject, normalize_value
from pckc_domain.ports.distiller import Distiller
from pckc_domain.ports.service import Service

from pckc_adapters_ollama.answers import (
    READ_BY_MODEL,
    AnswerError,
    ClaimAnswer,
    claims_schema,
    read_claims,
    read_verdict,
    verdict_schema,
)
from pckc_adapters_ollama.client import Ollama, UnusableError
from pckc_adapters_ollama.prompts import DISTIL, JUDGE, REPAIR

REASONS = {
    VerdictKind.NEW: "the model found no claim that says the same or the opposite",
    VerdictKind.DUPLICATE: "the model found that both say the same",
    VerdictKind.CORROBORATES: "the model found that one of the two supports the other",
    VerdictKind.CONTRADICTS: "the model found that both cannot hold",
}
"""A model's own words may repeat the claims', so they are not kept."""

MAX_REPEATED = 8_000
"""Characters of a refused answer that the model is shown."""

T = TypeVar("T")


class OllamaDistiller(Distiller, Service):
    """
    Reads facts, definitions and statements with a model; tables, code and rules by PCKC's own rules.

    Args:
        ollama: The model.
        max_claims: Of one chunk.
    """

    def __init__(self, ollama: Ollama, *, max_claims: int) -> None:
        self._ollama = ollama
        self._max_claims = max_claims

    @property
    def name(self) -> str:
        return f"ollama:{self._ollama.model}"

    def describe(self) -> str:
        return self._ollama.describe()

    def distil(self, chunk: SourceChunk, /) -> Distilled:
        by_rules = distil(chunk)
        if not any(map(str.isalpha, chunk.text)):
            return by_rules
        data = {"title": chunk.title, "heading": chunk.heading, "text": chunk.text}
        answers = self._ask(
            DISTIL,
            data,
            claims_schema(self._max_claims),
            lambda content: read_claims(content, max_claims=self._max_claims),
        )
        found = [claim for claim in by_rules.claims if claim.type not in READ_BY_MODEL]
        refused = list(by_rules.refused)
        for checked in self._checked(answers, chunk):
            if isinstance(checked, RefusedClaim):
                refused.append(checked)
            else:
                found.append(checked)
        return Distilled(
            claims=tuple(sorted(found, key=lambda claim: chunk.text.index(claim.quote))), refused=tuple(refused)
        )

    def judge(self, claim: str, others: Sequence[str], /) -> Judgement | None:
        if not others:
            return Judgement(kind=VerdictKind.NEW, reason="there is no other claim")
        data = {"claim": claim, "others": {str(number): other for number, other in enumerate(others, 1)}}
        answer = self._ask(
            JUDGE, data, verdict_schema(len(others)), lambda content: read_verdict(content, others=len(others))
        )
        kind = VerdictKind(answer.verdict)
        if kind is VerdictKind.NEW:
            return Judgement(kind=kind, reason=REASONS[kind])
        other = others[answer.against - 1]
        if kind is VerdictKind.DUPLICATE and differs_in_substance(claim, other):
            by_rules = compare(claim, other)
            against = None if by_rules.kind is VerdictKind.NEW else answer.against - 1
            return Judgement(kind=by_rules.kind, against=against, reason=by_rules.reason)
        return Judgement(kind=kind, against=answer.against - 1, reason=REASONS[kind])

    def _ask(self, instruction: str, data: Mapping[str, Any], schema: Mapping[str, Any], read: Callable[[str], T]) -> T:
        """Return what *read* makes of the model's answer to *data*; the model may mend its answer once."""
        messages = [
            {"role": "system", "content": instruction},
            {"role": "user", "content": _quoted(data)},
        ]
        content = self._chat(messages, schema)
        try:
            return read(content)
        except AnswerError as error:
            messages += [
                {"role": "assistant", "content": _sendable(content[:MAX_REPEATED]) or "(nothing)"},
                {"role": "user", "content": REPAIR.format(error=_sendable(str(error)))},
            ]
        try:
            return read(self._chat(messages, schema))
        except AnswerError as error:
            raise BackendError(
                f"the model {self._ollama.model} gave no usable answer, even when asked again: {error}",
                remedy="try again later, or choose a model that follows a JSON schema",
            ) from error

    def _chat(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any]) -> str:
        try:
            return self._ollama.chat(messages, schema=schema)
        except UnusableError as error:
            raise BackendUnavailableError(error.message, remedy=error.remedy) from error

    def _checked(self, answers: Sequence[ClaimAnswer], chunk: SourceChunk) -> Iterator[DistilledClaim | RefusedClaim]:
        seen: set[tuple[str, str]] = set()
        for answer in answers:
            quote = as_quoted(answer.quote, chunk.text)
            if quote is None:
                yield RefusedClaim(text=answer.text, reason="its quote does not stand in the chunk")
                continue
            claim = _claim(answer, quote, self.name)
            if reason := why_unsupported(claim, chunk):
                yield RefusedClaim(text=claim.text, reason=reason)
            elif claim.text and (claim.type, claim.text) not in seen:
                seen.add((claim.type, claim.text))
                yield _comparable(claim)


def _claim(answer: ClaimAnswer, quote: str, rule: str) -> DistilledClaim:
    is_fact = answer.type == ClaimType.FACT
    return DistilledClaim(
        type=ClaimType(answer.type),
        text=" ".join(answer.text.split()),
        quote=quote,
        subject=answer.subject.strip(),
        attribute=answer.attribute.strip() if is_fact else "",
        value=answer.value.strip() if is_fact else "",
        polarity=Polarity(answer.polarity),
        confidence=answer.confidence,
        rule=rule,
    )


def _comparable(claim: DistilledClaim) -> DistilledClaim:
    """Return *claim* with its slot spelt as PCKC's rules spell theirs; without a slot when it is not a whole one."""
    subject = normalize_subject(claim.subject)
    attribute, value = attribute_name(normalize(claim.attribute)), normalize_value(claim.value)
    if not (subject and attribute and value):
        attribute = value = ""
    return attrs.evolve(claim, subject=subject, attribute=attribute, value=value)


def _quoted(data: Mapping[str, Any]) -> str:
    """Return *data* as JSON: no text in it can end its own quotation."""
    return _sendable(json.dumps(data, ensure_ascii=False, indent=1))


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
