"""Kotlin: packages, companions, extension functions, operators, and the collections of the standard library."""

from pckc_domain.policy.graph.declared.rules import How, Rules

_HOLDERS = (
    "Lazy Deferred Result Optional LiveData MutableLiveData MutableStateFlow SharedFlow State WeakReference".split()
)
_BUILTINS = frozenset(
    "println print listOf mutableListOf arrayListOf listOfNotNull emptyList mapOf mutableMapOf hashMapOf "
    "emptyMap setOf mutableSetOf emptySet arrayOf intArrayOf sequenceOf require requireNotNull check "
    "checkNotNull error lazy repeat buildString buildList synchronized maxOf minOf String Int Long Pair Triple "
    "Math System Thread Exception IllegalArgumentException IllegalStateException RuntimeException".split()
)

KOTLIN = Rules(
    languages=frozenset(("kotlin",)),
    invokers=frozenset(("invoke",)),
    builtins=_BUILTINS,
    file_private=frozenset(("private",)),
    call_operator="invoke",
    holders=dict.fromkeys(_HOLDERS, 0),
    methods={
        **dict.fromkeys(
            "filter filterNot filterNotNull sortedBy sortedByDescending sorted reversed distinct distinctBy take drop "
            "takeWhile dropWhile toList toMutableList toSet asSequence onEach plus minus orEmpty asIterable shuffled "
            "subList iterator".split(),
            How.SAME,
        ),
        **dict.fromkeys(
            "first firstOrNull last lastOrNull single singleOrNull find get getOrNull getOrElse getOrDefault getOrPut "
            "getOrThrow elementAt maxBy minBy maxByOrNull minByOrNull random removeAt removeFirst removeLast getValue "
            "next await reduce fold".split(),
            How.ITEM,
        ),
        "values": How.ITEMS,
        "keys": How.KEYS,
        **dict.fromkeys(("map", "mapNotNull", "mapIndexed"), How.MAPPED),
        "flatMap": How.FLAT,
    },
)
