"""How a token budget is shared: exact, and what one side leaves goes to the other."""

import attrs

from pckc_domain.errors import InvalidInputError

DEFAULT_BUDGET_TOKENS = 6_000
MEMORY_PERCENT = 60
CHUNK_PERCENT = 75


@attrs.frozen(kw_only=True)
class BudgetSplit:
    """Shares of a budget in tokens; ``memory + chunks + granular == total``."""

    total: int
    memory: int
    chunks: int
    granular: int

    @property
    def knowledge(self) -> int:
        """The share of repository and document knowledge."""
        return self.chunks + self.granular


def split_budget(total_tokens: int) -> BudgetSplit:
    """
    Split *total_tokens*: 60% memory, 40% knowledge; of that 75% chunks and 25% multi-granular passages.

    Raises:
        InvalidInputError: *total_tokens* is negative.
    """
    if total_tokens < 0:
        raise InvalidInputError(f"a token budget cannot be negative: {total_tokens}")
    memory = total_tokens * MEMORY_PERCENT // 100
    knowledge = total_tokens - memory
    chunks = knowledge * CHUNK_PERCENT // 100
    return BudgetSplit(total=total_tokens, memory=memory, chunks=chunks, granular=knowledge - chunks)
