"""C and C++: one namespace, of which a file sees what it includes."""

from collections.abc import Sequence

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Rules, World

_HOLDERS = (
    "vector list deque set unordered_set multiset array optional unique_ptr shared_ptr weak_ptr stack queue span "
    "initializer_list future atomic forward_list priority_queue QList QVector QPointer QSharedPointer"
).split()
_POINTERS = "unique_ptr shared_ptr weak_ptr QPointer QSharedPointer optional".split()

_BUILTINS = frozenset(
    "std printf fprintf sprintf snprintf vprintf vfprintf vsnprintf puts fputs putchar getchar fgets scanf sscanf "
    "fopen fclose fread fwrite fseek ftell fflush feof ferror perror remove rename tmpfile malloc calloc realloc "
    "free abort exit atexit getenv system abs labs atoi atol atof strtol strtoul strtoull strtod qsort bsearch "
    "rand srand memcpy memmove memset memcmp memchr strlen strcpy strncpy strcat strncat strcmp strncmp strchr "
    "strrchr strstr strtok strdup strndup strerror strcasecmp isalpha isdigit isalnum isspace isupper islower "
    "toupper tolower isxdigit isprint assert static_assert offsetof va_start va_end va_arg va_copy time clock "
    "difftime mktime localtime gmtime strftime sqrt pow exp log sin cos tan floor ceil fabs fmod round open close "
    "read write lseek stat fstat unlink mkdir getpid fork execvp waitpid kill signal pipe dup2 socket bind listen "
    "accept connect send recv select poll pthread_create pthread_join pthread_mutex_lock pthread_mutex_unlock "
    "setjmp longjmp defined __builtin_expect dlopen dlsym".split()
)


def _modules(module: str, _: str, __: World) -> Sequence[str]:
    is_path = "/" in module or module.rpartition(".")[2] in ("h", "hh", "hpp", "hxx", "inc", "c", "cc", "cpp", "ipp")
    return () if is_path else (module,)


C_FAMILY = Rules(
    languages=frozenset(("c", "cpp")),
    modules=_modules,
    modules_are_names=True,
    includes=True,
    builtins=_BUILTINS,
    hidden=frozenset(("static",)),
    pointee="->",
    searches_outer=True,
    holders={
        **dict.fromkeys(_HOLDERS, 0),
        **dict.fromkeys((f"std.{name}" for name in _HOLDERS), 0),
        **dict.fromkeys("map unordered_map multimap QMap QHash".split(), -1),
    },
    wrappers=frozenset(_POINTERS),
    methods={**METHODS},
    call_operator="operator()",
    says_virtual=True,
    has_free_operators=True,
    sealed=frozenset(),
)
