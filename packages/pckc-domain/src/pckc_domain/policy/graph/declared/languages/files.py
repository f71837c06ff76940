"""Lua, Zig, Julia and what is read by patterns, where a file is a module of its own, named by its path."""

from collections.abc import Mapping, Sequence

from pckc_domain.policy.graph.declared.languages.holding import METHODS
from pckc_domain.policy.graph.declared.rules import Calling, Rules, World
from pckc_domain.policy.graph.fallback import FALLBACK_LANGUAGES

_LUA = frozenset(
    "assert collectgarbage dofile error getmetatable ipairs load loadfile loadstring next pairs pcall print "
    "rawequal rawget rawlen rawset select setmetatable tonumber tostring type unpack xpcall require module "
    "setfenv getfenv string table io os math coroutine debug package utf8 bit bit32 jit ffi arg "
    "_G _VERSION _ENV".split()
)
_JULIA = frozenset(
    "print println printstyled show display error throw rethrow length size push! pop! append! insert! deleteat! "
    "pushfirst! popfirst! splice! empty! isempty in map map! filter filter! reduce foldl foldr mapreduce sum prod "
    "maximum minimum extrema abs sqrt exp log sin cos tan floor ceil round trunc div rem mod fld cld gcd lcm min "
    "max clamp zeros ones fill fill! similar copy copyto! deepcopy reshape permutedims transpose adjoint cat hcat "
    "vcat collect enumerate zip eachindex axes ndims eltype typeof isa convert promote string repr parse tryparse "
    "split join strip lstrip rstrip replace occursin startswith endswith uppercase lowercase first last get get! "
    "haskey keys values pairs merge merge! delete! union intersect setdiff unique sort sort! sortperm findfirst "
    "findall findlast any all count iterate open close read write readline readlines eachline isfile isdir "
    "joinpath basename dirname mkpath rm cp mv pwd cd rand randn time sleep nothing missing ismissing isnothing "
    "something identity eval include Base Core Main Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64 "
    "Float16 Float32 Float64 Bool Char String Symbol Vector Matrix Array Dict Set Tuple NamedTuple Pair Ref Regex "
    "Complex Rational BigInt BigFloat ArgumentError ErrorException BoundsError DimensionMismatch KeyError "
    "MethodError DomainError AssertionError Task Channel @assert @test @testset @info @warn @error @debug @printf "
    "@sprintf @view @views @show @time @threads @doc @deprecate @eval @kwdef".split()
)


def _by_path(path: str, _: str, __: Mapping[str, str]) -> str:
    return path.rpartition(".")[0].replace(".", "_")


def _key(path: str) -> str:
    return _by_path(path, "", {})


def _relative(module: str, importer: str, world: World) -> Sequence[str]:
    """Return the file that a path means beside the importing one."""
    name = module.rpartition("/")[2]
    parts = importer.split("/")[:-1]
    for part in module.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    path = "/".join(parts)
    return (_key(path),) if "." in name and path in world.files_named(name) else ()


def _lua_modules(module: str, _: str, world: World) -> Sequence[str]:
    """Return the file that a dotted name means, below whatever folder."""
    inner = module.replace(".", "/")
    for ending in (f"{inner}.lua", f"{inner}/init.lua"):
        found = world.files_named(ending)
        if found:
            return (_key(min(found, key=lambda path: (path.count("/"), path))),)
    return ()


PLAIN = Rules(languages=FALLBACK_LANGUAGES, namespace=_by_path)
"""Languages without calls: their files have symbols alone."""

LUA = Rules(
    languages=frozenset(("lua",)),
    leaves_open=True,
    namespace=_by_path,
    modules=_lua_modules,
    has_module_results=True,
    local="local",
    builtins=_LUA,
    has_implicit_members=False,
    has_dotted_spaces=False,
    has_overloads=False,
    call_operator="__call",
    methods={},
)

ZIG = Rules(
    languages=frozenset(("zig",)),
    namespace=_by_path,
    modules=_relative,
    modules_are_names=True,
    modules_are_types=True,
    builtins=frozenset(("std", "builtin")),
    has_dotted_spaces=False,
    has_overloads=False,
    calling=Calling.CONVERTS,
    self_types=frozenset(("@This",)),
    holders={"ArrayList": 0, "ArrayListUnmanaged": 0, "AutoHashMap": -1, "StringHashMap": -1, "HashMap": -1},
    methods={},
)

JULIA = Rules(
    languages=frozenset(("julia",)),
    namespace=_by_path,
    modules=_relative,
    modules_are_names=True,
    is_included=True,
    builtins=_JULIA,
    counts_arguments=True,
    has_implicit_members=False,
    has_dotted_spaces=False,
    holders={"Vector": 0, "Array": 0, "Set": 0, "Dict": -1, "AbstractVector": 0, "Ref": 0},
    methods=METHODS,
)
