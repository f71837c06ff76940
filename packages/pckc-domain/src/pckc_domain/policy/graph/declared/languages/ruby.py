"""Ruby: constants and top-level methods are seen everywhere once they are loaded; classes can be opened again."""

from collections.abc import Sequence

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Rules, World

_BUILTINS = frozenset(
    "puts print p pp raise fail require require_relative load loop lambda proc format sprintf printf gets exit "
    "abort at_exit catch throw block_given? binding caller rand srand sleep system exec fork spawn open Integer "
    "Float String Array Hash Rational Complex warn freeze frozen? nil? is_a? kind_of? instance_of? respond_to? "
    "instance_variable_get instance_variable_set define_method instance_eval class_eval module_eval instance_exec "
    "method methods public_send object_id hash inspect to_s dup clone tap then itself extend include prepend attr "
    "attr_reader attr_writer attr_accessor private public protected module_function alias_method private_constant "
    "private_class_method File Dir IO Kernel Object BasicObject Module Class Comparable Enumerable Enumerator "
    "Range Set Symbol Proc Method Struct Time Date DateTime Regexp MatchData Exception StandardError "
    "ArgumentError TypeError NameError NoMethodError RuntimeError KeyError IndexError IOError Errno LoadError "
    "NotImplementedError StopIteration SystemExit Interrupt Math Random Process Signal Thread Mutex Queue Fiber "
    "Marshal ObjectSpace GC ENV ARGV STDIN STDOUT STDERR RUBY_VERSION RUBY_PLATFORM JSON YAML ERB URI Net Socket "
    "Logger Pathname FileUtils Tempfile StringIO OpenStruct OptionParser SecureRandom Digest Base64 CSV Timeout "
    "Benchmark Shellwords Forwardable Singleton Observable BigDecimal Gem Rails RSpec Minitest".split()
)


def _modules(_: str, __: str, ___: World) -> Sequence[str]:
    """Return nothing: what is required binds no name."""
    return ()


RUBY = Rules(
    languages=frozenset(("ruby",)),
    leaves_open=True,
    invokers=frozenset(("call", "()")),
    modules=_modules,
    searches_outer=True,
    has_overloads=False,
    tells_statics=True,
    builtins=_BUILTINS,
    makers=frozenset(("new",)),
    constructors=frozenset(("initialize",)),
    methods=METHODS,
    backing="@",
    sealed=frozenset(),
)
