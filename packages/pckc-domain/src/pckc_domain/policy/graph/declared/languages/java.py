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
_LANG = (
    "Appendable AutoCloseable Boolean Byte CharSequence Character Class ClassLoader Comparable Double Enum Float "
    "Integer Iterable Long Math Number Object Override Process ProcessBuilder Record Runnable Runtime Short "
    "StackTraceElement StrictMath String StringBuffer StringBuilder System Thread ThreadLocal Throwable Void Error "
    "Exception ArithmeticException ArrayIndexOutOfBoundsException ClassCastException ClassNotFoundException "
    "CloneNotSupportedException IllegalAccessException IllegalArgumentException IllegalStateException "
    "IndexOutOfBoundsException InterruptedException NoSuchFieldException NoSuchMethodException NullPointerException "
    "NumberFormatException RuntimeException SecurityException UnsupportedOperationException AssertionError "
    "LinkageError NoClassDefFoundError OutOfMemoryError StackOverflowError Deprecated FunctionalInterface SafeVarargs "
    "SuppressWarnings boolean byte char double float int long short void"
).split()
JVM_HOLDERS = {**dict.fromkeys(_LISTS, 0), **dict.fromkeys(_MAPS, -1)}

JAVA = Rules(
    languages=frozenset(("java",)),
    operators={"operator close": "close"},
    invokers=frozenset(
        "apply accept test get run call compare applyAsInt applyAsLong applyAsDouble getAsInt getAsLong getAsDouble "
        "getAsBoolean".split()
    ),
    separates_calls=True,
    holders=JVM_HOLDERS,
    methods=METHODS,
    builtins=frozenset(_LANG),
)
