"""The order in which a class and those above it are searched: C3, as Python does it."""

from collections.abc import Callable, Sequence


def linearize(start: int, bases: Callable[[int], Sequence[int]], known: dict[int, list[int]]) -> list[int]:
    """
    Return *start* and its ancestors in method resolution order.

    Where C3 has no answer, or a class is its own ancestor, ancestors come depth first.

    Args:
        start: The class.
        bases: Return the classes right above one.
        known: Orders found before; new ones are added.
    """
    opened: set[int] = set()
    stack = [start]
    while stack:
        one = stack[-1]
        missing = [base for base in bases(one) if base not in known]
        if one in known or not missing:
            stack.pop()
            if one not in known:
                known[one] = [one, *_merge([*(known[base] for base in bases(one)), list(bases(one))])]
        elif one in opened:
            return _depth_first(start, bases)  # a class above it is still open: they are above each other
        else:
            opened.add(one)
            stack.extend(missing)
    return known[start]


def _depth_first(start: int, bases: Callable[[int], Sequence[int]]) -> list[int]:
    found: dict[int, None] = {}
    stack = [start]
    while stack:
        one = stack.pop()
        if one not in found:
            found[one] = None
            stack.extend(reversed(bases(one)))
    return list(found)


def _merge(sequences: list[list[int]]) -> list[int]:
    rest = [list(sequence) for sequence in sequences if sequence]
    merged: list[int] = []
    while rest:
        for sequence in rest:
            head = sequence[0]
            if not any(head in other[1:] for other in rest):
                break
        else:
            return list(dict.fromkeys([*merged, *(one for sequence in rest for one in sequence)]))
        merged.append(head)
        rest = [tail for sequence in rest if (tail := [one for one in sequence if one != head])]
    return merged
