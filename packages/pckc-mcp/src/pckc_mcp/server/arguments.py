"""
The kinds of tool arguments, and the model that checks them.

Schemas stay flat, since some hosts enforce neither references nor unions: a list or text that may be left out has an
empty default, never ``None``.
"""

import inspect
import reprlib
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.claim import ClaimStatus, ClaimType
from pckc_domain.model.gap import GapPriority, GapStatus
from pckc_domain.model.graph import EdgeKind
from pckc_domain.model.intent import TaskIntent
from pckc_domain.model.passage import Layer, PropositionType
from pckc_domain.model.session import EventKind
from pckc_domain.model.trace import TraceKind
from pydantic import Field, ValidationError, WithJsonSchema, create_model, model_validator

from pckc_mcp.requests import ROLES

PROGRESS = "progress"
"""Parameter of a long tool's function: a `ProgressListener`, which is no argument."""

PROBLEMS = 5
"""Most problems named in one error."""


def _one_of(names: Sequence[str]) -> Any:
    """Return the schema of a text that the request checks itself, with a better message than a schema could give."""
    return Field(json_schema_extra={"enum": [str(name) for name in names]})


Query: TypeAlias = Annotated[str, Field(description="Any text: words, a symbol, a path, an error message")]
Task: TypeAlias = Annotated[str, Field(description="What you want to do, in your words")]
Intent: TypeAlias = Annotated[
    str, _one_of(tuple(TaskIntent)), Field(description="What you are about to do; unknown: decided by the words")
]
Layers: TypeAlias = Annotated[
    Sequence[Annotated[str, _one_of(tuple(Layer))]],
    Field(description="Layers in order of preference; empty: the intent's"),
]
Types: TypeAlias = Annotated[
    Sequence[Annotated[str, _one_of(tuple(PropositionType))]],
    Field(description="Keep propositions of these types; empty: the intent's"),
]
Files: TypeAlias = Annotated[Sequence[str], Field(description="Paths the task is about, from the project's root")]
Symbols: TypeAlias = Annotated[Sequence[str], Field(description="Functions, classes, settings the task is about")]
Paths: TypeAlias = Annotated[Sequence[str], Field(description="Keep what stands under these paths, such as src/api/")]
TokenBudget: TypeAlias = Annotated[int, Field(ge=0, le=100_000, description="Tokens the text may cost")]
SearchLayers: TypeAlias = Annotated[
    Sequence[Annotated[str, _one_of(("claims", "evidence", "passages", *Layer))]],
    Field(description="What to search; empty: everything that can answer"),
]
SearchTypes: TypeAlias = Annotated[
    Sequence[Annotated[str, _one_of(tuple(dict.fromkeys([*map(str, ClaimType), *map(str, PropositionType)])))]],
    Field(description="Keep claims and propositions of these types"),
]
ClaimTypes: TypeAlias = Annotated[
    Sequence[Annotated[str, _one_of(tuple(ClaimType))]], Field(description="Keep claims of these types")
]
Statuses: TypeAlias = Annotated[
    Sequence[Annotated[str, _one_of(tuple(ClaimStatus))]], Field(description="Keep claims with this status")
]
Sessions: TypeAlias = Annotated[Sequence[str], Field(description="Keep what comes from these sessions")]
AsOf: TypeAlias = Annotated[str, Field(description="What held then: ISO time, or an age such as 7d")]
KnownAt: TypeAlias = Annotated[str, Field(description="What was known then")]
Identity: TypeAlias = Annotated[str, Field(description="An id as a search answers it")]
Identities: TypeAlias = Annotated[Sequence[str], Field(description="Ids as a search answers them")]
Decision: TypeAlias = Annotated[Literal["pin", "archive", "reject", "undo"], Field(description="What the user decided")]
Reason: TypeAlias = Annotated[str, Field(description="Why, for the history")]
Host: TypeAlias = Annotated[str, Field(description="Who runs it: claude, codex, gemini, dsh …")]
SourceId: TypeAlias = Annotated[str, Field(description="The host's own session id; empty: a new one")]
Folder: TypeAlias = Annotated[str, Field(description="Working directory")]
Branch: TypeAlias = Annotated[str, Field(description="Git branch")]
Title: TypeAlias = Annotated[str, Field(description="Name for people")]
SessionId: TypeAlias = Annotated[str, Field(description="As session_start answers it")]
SessionOfEvidence: TypeAlias = Annotated[
    str, Field(description="Session of the events and quotes, as session_start or a search answers it")
]
EventKindName: TypeAlias = Annotated[
    str, _one_of((*EventKind, *ROLES)), Field(description="What happened, or the role of who speaks")
]
EventText: TypeAlias = Annotated[str, Field(description="What was said or done")]
EventId: TypeAlias = Annotated[str, Field(description="The host's id of the event")]
EventTime: TypeAlias = Annotated[str, Field(description="ISO time; empty: now")]
Speaker: TypeAlias = Annotated[str, Field(description="Who spoke, among several people")]
ToolName: TypeAlias = Annotated[str, Field(description="Tool that was called")]
ExitCode: TypeAlias = Annotated[
    int | None,
    WithJsonSchema({"type": "integer", "minimum": -(2**31), "maximum": 2**32 - 1}),
    Field(ge=-(2**31), le=2**32 - 1, description="Of a command or test"),
]
EventPath: TypeAlias = Annotated[str, Field(description="File it is about")]
IsSidechain: TypeAlias = Annotated[bool, Field(description="Said by or to a sub-agent")]
Item: TypeAlias = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": [str(kind) for kind in ClaimType]},
                "text": {"type": "string", "description": "One statement, in full"},
                "subject": {"type": "string", "description": "The thing spoken of: path, symbol, setting, component"},
                "attribute": {"type": "string", "description": "What is said of it, such as port"},
                "value": {"type": "string"},
                "is_negative": {"type": "boolean", "description": "It denies"},
                "is_standing": {"type": "boolean", "description": "A rule for all work from now on"},
                "event_ids": {"type": "array", "items": {"type": "string"}},
                "quote": {"type": "string", "description": "The words that say so, verbatim"},
                "path": {"type": "string"},
                "start_line": {"type": "integer"},
                "end_line": {"type": "integer"},
            },
            "required": ["type", "text"],
            "additionalProperties": False,
        }
    ),
]
ClaimTypeName: TypeAlias = Annotated[str, _one_of(tuple(ClaimType)), Field(description="What it asserts")]
ClaimText: TypeAlias = Annotated[str, Field(description="One statement, in full")]
ClaimContent: TypeAlias = Annotated[
    str,
    Field(description='The code or table itself; of a rule its JSON, such as {"if": "imports", "then": "depends_on"}'),
]
ClaimSubject: TypeAlias = Annotated[str, Field(description="The thing spoken of, such as the term that is defined")]
ClaimSource: TypeAlias = Annotated[str, Field(description="Ingested document that says so, as memory_ingest names it")]
ClaimQuote: TypeAlias = Annotated[str, Field(description="The words of that document that say so, verbatim")]
SourceName: TypeAlias = Annotated[str, Field(description="An address, or a file inside of the allowed folders")]
SourceText: TypeAlias = Annotated[str, Field(description="Text to ingest instead of a place to read from")]
SourceTitle: TypeAlias = Annotated[str, Field(description="What the text is known by; ingested again, it is replaced")]
Snippet: TypeAlias = Annotated[str, Field(description="What a search showed of the page: kept when it cannot be read")]
CheckedIds: TypeAlias = Annotated[Sequence[str], Field(description="Claims to check; empty: new ones of documents")]
CheckLimit: TypeAlias = Annotated[int, Field(ge=1, le=200, description="Most claims to check")]
Question: TypeAlias = Annotated[str, Field(description="What is not known, as one question")]
QuestionOrNot: TypeAlias = Annotated[str, Field(description="New words of the question; empty: as it is")]
GapReason: TypeAlias = Annotated[str, Field(description="Why it matters")]
GapId: TypeAlias = Annotated[str, Field(description="A gap's id")]
PriorityName: TypeAlias = Annotated[str, _one_of(("", *GapPriority)), Field(description="How much it matters")]
GapStatusName: TypeAlias = Annotated[str, _one_of(("", *GapStatus)), Field(description="What became of it; empty: any")]
ClosedBy: TypeAlias = Annotated[Sequence[str], Field(description="Claims that answer it; this closes it")]
RaisesGaps: TypeAlias = Annotated[bool, Field(description="Register as gaps what nothing proven was found for")]
TraceKindName: TypeAlias = Annotated[str, _one_of(tuple(TraceKind)), Field(description="What it is")]
TraceKinds: TypeAlias = Annotated[
    Sequence[Annotated[str, _one_of(tuple(TraceKind))]], Field(description="Keep traces of these kinds")
]
TraceText: TypeAlias = Annotated[str, Field(description="What you planned, did, saw or learnt")]
TraceSession: TypeAlias = Annotated[str, Field(description="The session it belongs to; empty: none")]
TraceSessionOrAny: TypeAlias = Annotated[str, Field(description="Keep traces of this session; empty: all")]
Offset: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000, description="Results to pass over")]
Items: TypeAlias = Annotated[Sequence[Item], Field(description="What to remember")]
Limit: TypeAlias = Annotated[int, Field(ge=1, le=50, description="Most results")]
Cursor: TypeAlias = Annotated[str, Field(description="next_cursor of the previous page")]
GraphOperation: TypeAlias = Annotated[
    Literal[
        "search", "hub_nodes", "neighbors", "shortest_path", "callers", "callees", "impact", "communities",
        "goal_directed", "dead_code", "cycles", "sessions",
    ],
    Field(description="What to ask"),
]  # fmt: skip
GraphSymbol: TypeAlias = Annotated[str, Field(description="A symbol: qualified name, the end of one (Cart.add), or id")]
GraphTarget: TypeAlias = Annotated[str, Field(description="Symbol that the path leads to")]
SymbolWords: TypeAlias = Annotated[str, Field(description="Words to search symbols by")]
Goal: TypeAlias = Annotated[str, Field(description="What to get to, in words")]
Diff: TypeAlias = Annotated[str, Field(description="A unified diff, or a git revision to compare the files with")]
GraphDepth: TypeAlias = Annotated[int, Field(ge=0, le=5, description="How far to go; 0: the operation's own")]
GraphLayerName: TypeAlias = Annotated[Literal["repository", "session"], Field(description="Which graph")]
GraphLevel: TypeAlias = Annotated[int, Field(ge=0, le=1, description="0: coarse, 1: within the large ones")]
GraphLimit: TypeAlias = Annotated[int, Field(ge=1, le=200, description="Most results")]
CommunityName: TypeAlias = Annotated[str, Field(description="Id or name of a community")]
ExportFormat: TypeAlias = Annotated[Literal["json", "graphml", "cypher", "html"], Field(description="Form of the file")]
ExportFile: TypeAlias = Annotated[str, Field(description="New file, from the project's root")]
CodePath: TypeAlias = Annotated[str, Field(description="A source file, from the project's root")]
StoredPath: TypeAlias = Annotated[str, Field(description="A file or folder, from the project's root; empty: all")]
Anew: TypeAlias = Annotated[bool, Field(description="Read every file again")]
EdgeKindName: TypeAlias = Annotated[
    str, Field(description=f"Keep edges of this kind: {', '.join(EdgeKind)}, or one that a rule concludes; empty: all")
]
InferenceGraph: TypeAlias = Annotated[
    Literal["repository", "session", "claims"], Field(description="Which graph to apply the rules to")
]
DryRun: TypeAlias = Annotated[bool, Field(description="Store nothing")]
EdgeDirection: TypeAlias = Annotated[
    Literal["out", "in", "both"], Field(description="out: from the symbol, in: to the symbol")
]
ResponseFormat: TypeAlias = Annotated[
    Literal["concise", "detailed"], Field(description="detailed adds full texts, proofs and score breakdowns")
]


class Arguments(ArgModelBase, extra="forbid"):
    """The arguments of a tool. ``null`` means the default, as models are fond of it; unknown names are refused."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in given.items() if value is not None or name not in cls.model_fields}


def arguments_of(function: Callable[..., Any]) -> type[Arguments]:
    """Return the model of a tool's arguments: the function's parameters after the first, without `PROGRESS`."""
    parameters = [one for one in inspect.signature(function).parameters.values() if one.name != PROGRESS][1:]
    fields: dict[str, Any] = {
        parameter.name: (parameter.annotation, ... if parameter.default is parameter.empty else parameter.default)
        for parameter in parameters
    }
    return create_model(f"{function.__name__}_arguments", __base__=Arguments, **fields)


def schema_of(model: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of *model* without the titles, which only repeat the names."""
    schema = model.model_json_schema()
    schema.pop("title", None)
    for described in schema.get("properties", {}).values():
        described.pop("title", None)
        if described.get("default", "") is None:  # left out, it has no value
            del described["default"]
    return schema


def refusal(error: ValidationError, model: type[ArgModelBase]) -> InvalidInputError:
    """Return what is wrong with the arguments, and which there are."""
    problems = error.errors(include_url=False, include_context=False)
    shown = "; ".join(_problem(problem) for problem in problems[:PROBLEMS])
    return InvalidInputError(shown, remedy=f"arguments: {', '.join(model.model_fields) or 'none'}")


def _problem(problem: Any) -> str:
    name = ".".join(str(part) for part in problem["loc"])
    match problem["type"]:
        case "extra_forbidden":
            return f"unknown argument {reprlib.repr(name)}"
        case "missing":
            return f"the argument {name!r} is missing"
        case "sequence_str" | "list_type":
            return f"{name}: must be a list, not {reprlib.repr(problem['input'])}"
        case _:
            return f"{name}: {problem['msg'][:1].lower()}{problem['msg'][1:]}, not {reprlib.repr(problem['input'])}"
