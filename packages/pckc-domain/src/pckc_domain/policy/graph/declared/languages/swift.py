"""Swift: all files of a project are one module; extensions add to types, and conformances to them."""

from collections.abc import Mapping

from pckc_domain.policy.graph.declared.rules import How, Rules


def _namespace(_: str, __: str, ___: Mapping[str, str]) -> str:
    return ""


_BUILTINS = frozenset(
    "print debugPrint dump fatalError precondition preconditionFailure assert assertionFailure min max abs zip "
    "stride type String Int Double Float Bool Array Set Dictionary Character Data Date URL UUID DispatchQueue "
    "NSError NSLog".split()
)

SWIFT = Rules(
    languages=frozenset(("swift",)),
    operators={f"operator{sign}": sign for sign in ("+", "-", "*", "/", "%", "==")},
    builtins=_BUILTINS,
    namespace=_namespace,
    file_private=frozenset(("private", "fileprivate")),
    self_types=frozenset(("Self",)),
    constructors=frozenset(("init",)),
    call_operator="callAsFunction",
    holders=dict.fromkeys(("Result", "Task", "Published", "Binding", "AnyPublisher"), 0),
    methods={
        **dict.fromkeys("filter sorted reversed prefix suffix dropFirst dropLast shuffled lazy".split(), How.SAME),
        **dict.fromkeys(
            "first last randomElement removeLast removeFirst popLast remove max min next value get".split(), How.ITEM
        ),
        "values": How.ITEMS,
        "keys": How.KEYS,
        **dict.fromkeys(("map", "compactMap"), How.MAPPED),
        "flatMap": How.FLAT,
    },
)
