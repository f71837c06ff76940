"""Elixir: modules have global names; aliases shorten them, imports bring their functions."""

from pckc_domain.policy.graph.declared.rules import Rules

ELIXIR = Rules(
    languages=frozenset(("elixir",)),
    modules_are_names=True,
    counts_arguments=True,
    dispatches_types=True,
    has_dotted_spaces=True,
)
