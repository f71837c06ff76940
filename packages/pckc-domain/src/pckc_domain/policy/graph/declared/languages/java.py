"""Java: packages, imports of types and of static members, and the collections of the standard library."""

from pckc_domain.policy.graph.declared.rules import How, Rules

_LISTS = (
    "Iterable Collection List ArrayList LinkedList Set HashSet LinkedHashSet TreeSet SortedSet NavigableSet Queue "
    "Deque ArrayDeque PriorityQueue Vector Stack Iterator ListIterator Stream Optional Supplier Future "
    "CompletableFuture AtomicReference WeakReference ThreadLocal BlockingQueue LinkedBlockingQueue "
    "CopyOnWriteArrayList Callable EnumSet CompletionStage Class ImmutableList ImmutableSet"
).split()
_MAPS = (
    "Map HashMap LinkedHashMap TreeMap SortedMap NavigableMap ConcurrentMap ConcurrentHashMap EnumMap WeakHashMap "
    "Entry Map.Entry ImmutableMap"
).split()

JAVA = Rules(
    languages=frozenset(("java",)),
    separates_calls=True,
    holders={**dict.fromkeys(_LISTS, 0), **dict.fromkeys(_MAPS, -1)},
    methods={
        **dict.fromkeys(
            "stream parallelStream filter sorted distinct limit skip peek iterator listIterator descendingIterator "
            "toList subList reversed collect parallel sequential unmodifiableList takeWhile dropWhile descendingSet "
            "whenComplete exceptionally tailSet headSet subSet".split(),
            How.SAME,
        ),
        **dict.fromkeys(
            "get getFirst getLast first last next previous orElse orElseGet orElseThrow remove removeFirst removeLast "
            "poll pollFirst pollLast peekFirst peekLast element pop take put getOrDefault computeIfAbsent "
            "computeIfPresent compute merge putIfAbsent getValue join elementAt firstElement lastElement "
            "getNow call set replace cast newInstance".split(),
            How.ITEM,
        ),
        **dict.fromkeys("findFirst findAny min max reduce".split(), How.OPTION),
        **dict.fromkeys(("getKey", "firstKey", "lastKey"), How.KEY),
        "values": How.ITEMS,
        "keySet": How.KEYS,
        "entrySet": How.ENTRIES,
        "map": How.MAPPED,
        "thenApply": How.MAPPED,
        "flatMap": How.FLAT,
        "thenCompose": How.FLAT,
    },
)
