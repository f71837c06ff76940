"""The distiller that needs no model."""

from collections.abc import Sequence

from pckc_domain.model.distillation import Distilled, SourceChunk
from pckc_domain.model.verdict import Judgement
from pckc_domain.policy.distillation.distil import distil
from pckc_domain.policy.judging.judge import judge
from pckc_domain.ports.distiller import Distiller


class RuleDistiller(Distiller):
    """Reads and judges by rules alone: deterministic, offline, silent where no rule is sure."""

    @property
    def name(self) -> str:
        return "rules"

    def distil(self, chunk: SourceChunk, /) -> Distilled:
        return distil(chunk)

    def judge(self, claim: str, others: Sequence[str], /) -> Judgement | None:
        return judge(claim, others)
