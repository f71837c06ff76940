"""Java: packages, imports of types and of static members, and the collections of the standard library."""

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Rules

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
JVM_HOLDERS = {**dict.fromkeys(_LISTS, 0), **dict.fromkeys(_MAPS, -1)}

JAVA = Rules(languages=frozenset(("java",)), separates_calls=True, holders=JVM_HOLDERS, methods=METHODS)
