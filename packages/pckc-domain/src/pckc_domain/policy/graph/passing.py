"""What a function returns as it came."""

from collections.abc import Iterable, Sequence

from pckc_domain.model.code_facts import Copy, Parameter, ParameterKind, Step

_RESTS = (ParameterKind.REST, ParameterKind.NAMED_REST)


def passed_through(
    result: int, parameters: Sequence[Parameter], steps: Iterable[Step]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """
    Split what flows into *result*, the variable that a function returns.

    Returns:
        The indexes of *parameters* that it returns as they came, and the variables of everything else; in order.
    """
    sources, others = _flows(steps)
    indexes = {one.variable: index for index, one in enumerate(parameters) if one.kind not in _RESTS}
    passes: set[int] = set()
    leaves: list[int] = []
    seen = {result}
    stack = list(sources.get(result, ()))
    while stack:
        variable = stack.pop()
        if variable in seen:
            continue
        seen.add(variable)
        index = indexes.get(variable)
        if index is not None:
            passes.add(index)
        elif variable in others or variable not in sources:
            leaves.append(variable)
        else:
            stack.extend(sources[variable])
    return tuple(sorted(passes)), tuple(sorted(leaves))


def _flows(steps: Iterable[Step]) -> tuple[dict[int, list[int]], set[int]]:
    """Return what is copied into each variable, and the variables that other steps give something."""
    sources: dict[int, list[int]] = {}
    others: set[int] = set()
    for step in steps:
        if type(step) is Copy:
            sources.setdefault(step.into, []).append(step.source)
        elif hasattr(step, "into"):
            others.add(step[0])
    return sources, others
