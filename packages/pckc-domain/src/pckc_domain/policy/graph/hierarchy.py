"""The order in which classes are searched: C3, as Python does it."""

from collections.abc import Mapping, Sequence


def linearize(bases: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """
    Return for every class itself and its ancestors in method resolution order.

    Where C3 has no answer, or a class is its own ancestor, ancestors come depth first.
    """
    orders: dict[int, list[int]] = {}
    for start in bases:
        stack = [start]
        pending: set[int] = set()
        while stack:
            one = stack[-1]
            if one in orders:
                stack.pop()
                continue
            missing = [
                base for base in bases.get(one, ()) if base not in orders and base not in pending and base != one
            ]
            if missing and one not in pending:
                pending.add(one)
                stack.extend(missing)
                continue
            pending.add(one)
            known = [orders[base] for base in bases.get(one, ()) if base in orders]
            orders[one] = [one, *_merge([*known, [order[0] for order in known]])]
            stack.pop()
    return orders


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
