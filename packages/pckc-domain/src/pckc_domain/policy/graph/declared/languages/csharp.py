"""C#: namespaces, partial types, extension methods, and the collections of the standard library."""

from pckc_domain.policy.graph.declared.rules import How, Rules

_HOLDERS = "Task ValueTask Lazy Nullable IGrouping IEnumerator WeakReference ThreadLocal AsyncLocal".split()
_BUILTINS = frozenset(
    "Console Math String Convert Environment Task Enumerable Array Guid DateTime TimeSpan Exception "
    "ArgumentException ArgumentNullException InvalidOperationException NotImplementedException "
    "NotSupportedException Interlocked Thread Path File Directory Debug Activator Enum Type".split()
)

CSHARP = Rules(
    languages=frozenset(("csharp",)),
    operators={"operator close": "Dispose"},
    invokers=frozenset(("Invoke",)),
    builtins=_BUILTINS,
    searches_outer=True,
    has_relative_imports=True,
    holders=dict.fromkeys(_HOLDERS, 0),
    methods={
        **dict.fromkeys(
            "Where OrderBy OrderByDescending ThenBy ThenByDescending Take Skip TakeWhile SkipWhile Distinct Reverse "
            "ToList ToArray ToHashSet AsEnumerable AsQueryable Concat Union Except Intersect Append Prepend "
            "GetEnumerator FindAll GetRange DefaultIfEmpty WithCancellation ConfigureAwait".split(),
            How.SAME,
        ),
        **dict.fromkeys(
            "First FirstOrDefault Single SingleOrDefault Last LastOrDefault ElementAt ElementAtOrDefault Find FindLast "
            "Max Min MaxBy MinBy Aggregate Dequeue Pop Peek GetValueOrDefault GetOrAdd GetAwaiter GetResult Current "
            "Value Result".split(),
            How.ITEM,
        ),
        "Values": How.ITEMS,
        "Keys": How.KEYS,
        "Select": How.MAPPED,
        "ConvertAll": How.MAPPED,
        "SelectMany": How.FLAT,
    },
)
