"""Configuration: ``pckc.toml``, ``[tool.pckc]`` in pyproject.toml and ``PCKC_*`` variables, nearest wins."""

import os
import re
import tomllib
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

import attrs
import cattrs
from attrs import validators
from pckc_domain.errors import ConfigurationError, PckcError
from pckc_domain.model.inference import MOST_EDGES
from pckc_domain.model.retention import RetentionRules
from pckc_domain.policy.scoring import PassageWeights

from pckc_mcp.locations import CONFIG_NAME, config_directory

Table = Mapping[str, Any]

TENANT_NAME = re.compile(r"\w(?:[\w.@-]{0,98}\w)?")
"""It stands in stores, logs and backups, so it may lead nowhere."""

SLOTS = (
    "canonical", "vector", "graph_index", "embedder", "embedding_cache", "code_parser", "code_reader", "communities",
    "source", "transcripts", "documents", "distiller",
)  # fmt: skip


@attrs.frozen(kw_only=True)
class Slot:
    """
    The backend chosen for a port.

    Attributes:
        backend: Name of an installed backend, ``auto`` (the default one if it is installed) or ``none``.
        settings: The rest of the table, structured into the backend's own settings.
        origin: Where it was set.
    """

    backend: str
    settings: Table = attrs.field(factory=dict)
    origin: str = "default"


@attrs.frozen(kw_only=True)
class SearchConfig:
    """
    How searches score and wait.

    Attributes:
        weights: Of the passage score.
        embedder_wait_seconds: How long a query waits for the embedder before it goes on without.
    """

    weights: PassageWeights = attrs.field(factory=PassageWeights)
    embedder_wait_seconds: float = attrs.field(default=0.6, validator=validators.ge(0))


@attrs.frozen(kw_only=True)
class GraphConfig:
    """
    The repository graph.

    Attributes:
        enabled: Whether index and sync keep the graph of the source code up to date.
    """

    enabled: bool = True


INFERENCE_ENGINES = ("embedded", "graph_index")


@attrs.frozen(kw_only=True)
class InferenceConfig:
    """
    What rules conclude from the edges of graphs.

    Attributes:
        limit: Edges that are concluded of one graph; a graph of which more follow says so.
        engine: What applies the rules: ``embedded``, or the ``graph_index`` where it can and is in step.
    """

    limit: int = attrs.field(default=MOST_EDGES, validator=validators.ge(0))
    engine: str = attrs.field(default="embedded", validator=validators.in_(INFERENCE_ENGINES))


def checked_tenant(name: object) -> str:
    """
    Return *name* when it can be a tenant's.

    Raises:
        ConfigurationError: It is no such name.
    """
    if not isinstance(name, str) or not TENANT_NAME.fullmatch(name):
        raise ConfigurationError(
            f"a tenant must be a name, not {str(name)[:100]!r}",
            remedy='letters, digits and . _ @ - between them, 100 at most, such as tenant = "team-a"',
        )
    return name


@attrs.frozen(kw_only=True)
class AccessConfig:
    """
    Who may ask over HTTP.

    Attributes:
        variable: Environment variable that holds the bearer secret; the secret itself is never written down here.
        tenant: Whose memory its holder sees.
    """

    variable: str
    tenant: str = attrs.field(default="local", validator=lambda _, __, name: checked_tenant(name))


@attrs.frozen(kw_only=True)
class HttpConfig:
    """
    The HTTP server.

    Attributes:
        host: Address to listen on; one that others can reach needs *access*.
        port: Port to listen on; 0 takes a free one.
        hosts: Names under which browsers and proxies reach it, besides loopback ones.
        access: Bearers and their tenants; none means everybody on this machine.
        body_bytes: Largest request body.
        requests_per_second: What one client may ask in the long run; twice as many at once.
        shutdown_seconds: How long requests in flight may take to end after a signal.
    """

    host: str = "127.0.0.1"
    port: int = attrs.field(default=8730, validator=[validators.ge(0), validators.le(65_535)])
    hosts: tuple[str, ...] = ()
    access: tuple[AccessConfig, ...] = ()
    body_bytes: int = attrs.field(default=4_194_304, validator=validators.ge(1024))
    requests_per_second: float = attrs.field(default=200.0, validator=validators.gt(0))
    shutdown_seconds: float = attrs.field(default=10.0, validator=validators.ge(0))


@attrs.frozen(kw_only=True)
class CurationConfig:
    """
    What documents give.

    Attributes:
        same_cosine: How near two claims of a type are that may say the same, as the cosine of their meanings.
    """

    same_cosine: float = attrs.field(default=0.9, validator=[validators.ge(0), validators.le(1)])


DEFAULT_SLOTS = {
    "canonical": Slot(backend="sqlite"),
    "vector": Slot(backend="sqlite"),
    "graph_index": Slot(backend="none"),
    "embedder": Slot(backend="auto"),
    "embedding_cache": Slot(backend="auto"),
    "code_parser": Slot(backend="auto"),
    "code_reader": Slot(backend="auto"),
    "communities": Slot(backend="auto"),
    "source": Slot(backend="repository"),
    "transcripts": Slot(backend="transcripts"),
    "documents": Slot(backend="documents"),
    "distiller": Slot(backend="rules"),
}


@attrs.frozen(kw_only=True)
class Config:
    """
    Everything that can be configured.

    Attributes:
        slots: Backend of each port.
        search: How searches score and wait.
        graph: The repository graph.
        inference: What rules conclude.
        http: The HTTP server.
        curation: What documents give.
        retention: How long what is no belief is kept.
        tools: The MCP tool set.
        tenant: Whose projects these are; only a shared store has more than one.
        files: The files that were read, nearest last.
        origins: Key, such as ``search.weights``, to the file or variable that set it; slots have their own.
    """

    slots: Mapping[str, Slot] = attrs.field(factory=lambda: dict(DEFAULT_SLOTS))
    search: SearchConfig = attrs.field(factory=SearchConfig)
    graph: GraphConfig = attrs.field(factory=GraphConfig)
    inference: InferenceConfig = attrs.field(factory=InferenceConfig)
    http: HttpConfig = attrs.field(factory=HttpConfig)
    curation: CurationConfig = attrs.field(factory=CurationConfig)
    retention: RetentionRules = attrs.field(factory=RetentionRules)
    tools: str = "core"
    tenant: str = "local"
    files: tuple[str, ...] = ()
    origins: Mapping[str, str] = attrs.field(factory=dict)


TABLES: Mapping[str, type[Any]] = {
    "search": SearchConfig,
    "graph": GraphConfig,
    "inference": InferenceConfig,
    "http": HttpConfig,
    "curation": CurationConfig,
    "retention": RetentionRules,
}
"""Tables besides those of the slots."""

TOOL_SETS = ("core", "pegas", "chum", "engine", "full")

ENVIRONMENT = {
    "PCKC_STORE": "path of the embedded store, like --store",
    "PCKC_PROJECT": "project folder, like --project",
    "PCKC_CANONICAL": "name of the canonical backend",
    "PCKC_VECTOR": "name of the vector backend",
    "PCKC_GRAPH_INDEX": "name of the graph index backend, or none; PCKC then answers from the canonical store alone",
    "PCKC_EMBEDDER": "name of the embedder backend, or none",
    "PCKC_CODE_PARSER": "name of the code parser backend, or none",
    "PCKC_CODE_READER": "name of the code reader backend, or none; without one the graph is of Python alone",
    "PCKC_DISTILLER": "name of the distiller backend; rules needs no model",
    "PCKC_COMMUNITIES": "name of the communities backend, or none",
    "PCKC_TENANT": "whose projects these are, in a store that several share",
    "PCKC_LOG": "plain (the default) or json: what is said on stderr, as lines for people or objects for machines",
    "PCKC_LOG_LEVEL": "debug, info, warning or error: say nothing less; by default what people are told, and warnings",
    "PCKC_TRACES": "otlp, console or global: OpenTelemetry spans around use cases, with the extra pckc-mcp[otel]",
    "PROXY_URL": "proxy to fetch documents through, when [documents] names none: http, https, socks5 or socks5h",
    "PCKC_TOOLS": "MCP tool set; with an unknown one the server stays up as core, and every answer says what is wrong",
}
"""Variables that PCKC reads, and what they mean."""


def load_config(root: Path, environ: Mapping[str, str] = os.environ) -> Config:
    """
    Read the user's, then the project's configuration, then the environment.

    Raises:
        ConfigurationError: A file is no TOML, or has a key that is not known.
    """
    config = Config()
    for file, table in _tables(root):
        config = _merge(config, table, str(file))
    return _with_environment(config, environ)


def read_config(file: Path) -> Config:
    """
    Read one file alone.

    Raises:
        ConfigurationError: It is no TOML, or has a key that is not known.
    """
    return _merge(Config(), _read(file) or {}, str(file))


def structure(table: Table, into: type[Any], where: str) -> Any:
    """
    Structure *table* into an attrs class.

    Raises:
        ConfigurationError: A key is unknown or a value has the wrong type; lists what is allowed.
    """
    try:
        return _converter().structure(table, into)
    except (cattrs.BaseValidationError, TypeError, ValueError) as error:
        problems = map(_with_key, cattrs.transform_error(error, path="", format_exception=_problem))
        said = "; ".join(problems)
        remedy = _own_remedy(error) or _ranges(said) or "correct what is set there"
        raise ConfigurationError(f"{where}: {said}", remedy=remedy) from error


def _ranges(said: str) -> str:
    """Return the numbers that attrs' validators would take, in words; ``""`` when they said nothing of any."""
    words = {">=": "{} or more", "<=": "{} or less", ">": "more than {}", "<": "less than {}"}
    found = re.findall(r"(\w+) must be ([<>]=?) (-?[\d.]+)", said)
    return ", ".join(f"{key}: {words[sign].format(number)}" for key, sign, number in found)


def _own_remedy(error: BaseException) -> str:
    """Return what to do, when the error knows: a backend refused its settings, or a key is unknown or missing."""
    if isinstance(error, cattrs.errors.ForbiddenExtraKeysError):
        return f"allowed keys: {', '.join(attribute.name for attribute in attrs.fields(error.cl)) or 'none'}"
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_own_remedy, error.exceptions)), "")
    if isinstance(error, KeyError):
        return f"set {error.args[0]}"
    return error.remedy if isinstance(error, PckcError) else ""


def _problem(error: BaseException, kind: type | None) -> str:
    """Return what is wrong with a value that should be a *kind*, in words."""
    if isinstance(error, cattrs.errors.ForbiddenExtraKeysError):
        return f"unknown key {', '.join(map(repr, sorted(error.extra_fields)))}"
    if isinstance(error, KeyError):
        return "is required"
    if kind is not None and attrs.has(kind):
        return "expected a table"
    message = str(error.args[0]) if error.args else str(error)
    return re.sub(r"^'(\w+)' must", r"\1 must", message)  # attrs' validators quote the key


def _with_key(problem: str) -> str:
    """Return a problem as cattrs places it, ``what @ .key``, with the key in front."""
    what, _, place = problem.rpartition(" @ ")
    return f"{place.removeprefix('.')}: {what}" if place else what


def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    converter.register_structure_hook(str, _strict(str))
    converter.register_structure_hook(bool, _strict(bool))
    converter.register_structure_hook(int, _strict(int))
    converter.register_structure_hook(float, lambda value, _: _number(value))
    converter.register_structure_hook_func(
        lambda kind: getattr(kind, "__origin__", None) is tuple, lambda value, kind: _listed(converter, value, kind)
    )
    converter.register_structure_hook_func(lambda kind: getattr(kind, "__origin__", None) is Literal, _chosen)
    converter.register_structure_hook(Path, lambda value, _: Path(_strict(str)(value, str)))
    return converter


def _listed(converter: cattrs.Converter, value: Any, kind: Any) -> tuple[Any, ...]:
    """Structure a list; cattrs alone would take a text for the list of its letters."""
    if not isinstance(value, list):
        raise TypeError(f"expected a list, got {value!r}")
    return tuple(converter.structure(item, get_args(kind)[0]) for item in value)


def _chosen(value: Any, kind: Any) -> Any:
    if value not in get_args(kind):
        raise ValueError(f"expected one of {', '.join(map(repr, get_args(kind)))}, got {value!r}")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not isfinite(value):
        raise TypeError(f"expected a number, got {value!r}")
    return float(value)


IN_WORDS = {str: "a text", bool: "true or false", int: "a whole number"}


def _strict(kind: type[Any]) -> Any:
    def structure_exactly(value: Any, _: type[Any]) -> Any:
        if type(value) is not kind:
            raise TypeError(f"expected {IN_WORDS[kind]}, got {value!r}")
        return value

    return structure_exactly


def _tables(root: Path) -> list[tuple[Path, Table]]:
    found = []
    for file in (config_directory() / CONFIG_NAME, root / CONFIG_NAME):
        if (table := _read(file)) is not None:
            found.append((file, table))
    pyproject = root / "pyproject.toml"
    if _mentions_pckc(pyproject) and (table := _tool_table(_read(pyproject))) is not None:
        found.insert(-1 if found and found[-1][0].parent == root else len(found), (pyproject, table))
    return found


def _tool_table(pyproject: Table | None) -> Table | None:
    tools = (pyproject or {}).get("tool")
    table = tools.get("pckc") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None


def _mentions_pckc(pyproject: Path) -> bool:
    try:
        return b"[tool.pckc" in pyproject.read_bytes()
    except OSError:
        return False


def _read(file: Path) -> Table | None:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}", remedy="check its permissions") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} is not valid TOML: {error}", remedy="mend the file at that place") from error


def _merge(config: Config, table: Table, origin: str) -> Config:
    known = {*SLOTS, *TABLES, "tools", "tenant"}
    if unknown := sorted(table.keys() - known):
        raise ConfigurationError(
            f"{origin}: unknown key {unknown[0]!r}", remedy=f"known keys: {', '.join(sorted(known))}"
        )
    slots = dict(config.slots)
    for name in SLOTS:
        if name in table:
            slots[name] = _slot(name, slots[name], table[name], f"{origin}, [{name}]")
    tables = {
        name: structure(table[name], kind, f"{origin}, [{name}]") for name, kind in TABLES.items() if name in table
    }
    tools, tenant = table.get("tools", config.tools), table.get("tenant", config.tenant)
    return attrs.evolve(
        config,
        slots=slots,
        **tables,
        tools=tools,
        tenant=tenant,
        files=(*config.files, origin),
        origins=_origins(config, table, origin),
    )


def _origins(config: Config, table: Table, origin: str) -> dict[str, str]:
    """Return where each key was set, after *table* took the place of whole tables that were set before."""
    before = {key: where for key, where in config.origins.items() if key.partition(".")[0] not in table}
    set_here = {f"{name}.{key}": origin for name in TABLES if name in table for key in table[name]}
    return before | set_here | {name: origin for name in ("tools", "tenant") if name in table}


def _slot(name: str, default: Slot, table: Any, origin: str) -> Slot:
    if not isinstance(table, dict):
        raise ConfigurationError(
            f"{origin} must be a table", remedy=f'write [{name}], and below it such as backend = "{default.backend}"'
        )
    settings = {key: value for key, value in table.items() if key != "backend"}
    backend = table.get("backend", default.backend)
    if not isinstance(backend, str):
        raise ConfigurationError(
            f"{origin}: backend must be a name in quotes, not {backend!r}", remedy='such as backend = "sqlite"'
        )
    _check_tenants(settings.get("tenants", []), origin)
    return Slot(backend=backend, settings=settings, origin=origin)


def _check_tenants(names: Any, origin: str) -> None:
    """Refuse what are no names of tenants, whichever backend is to walk them."""
    if not isinstance(names, list):
        raise ConfigurationError(
            f"{origin}: tenants must be a list of names, not {str(names)[:100]!r}",
            remedy='such as tenants = ["team-a", "team-b"]',
        )
    try:
        for name in names:
            checked_tenant(name)
    except ConfigurationError as error:
        raise ConfigurationError(f"{origin}, tenants: {error.message}", remedy=error.remedy) from error


def _with_environment(config: Config, environ: Mapping[str, str]) -> Config:
    slots = dict(config.slots)
    for name in SLOTS:
        variable = f"PCKC_{name.upper()}"
        if variable in ENVIRONMENT and (backend := environ.get(variable)):
            same = backend == slots[name].backend
            slots[name] = Slot(backend=backend, settings=slots[name].settings if same else {}, origin=variable)
    tools = environ.get("PCKC_TOOLS") or config.tools
    if tools not in TOOL_SETS:
        raise ConfigurationError(f"unknown tool set {tools!r}", remedy=f"one of: {', '.join(TOOL_SETS)}")
    tenant = checked_tenant(environ.get("PCKC_TENANT") or config.tenant)
    variables = {name: f"PCKC_{name.upper()}" for name in ("tools", "tenant") if environ.get(f"PCKC_{name.upper()}")}
    return attrs.evolve(config, slots=slots, tools=tools, tenant=tenant, origins={**config.origins, **variables})
