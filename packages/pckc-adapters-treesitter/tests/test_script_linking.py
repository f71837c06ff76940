"""Any row of edits of JavaScript and TypeScript files gives what linking all files at once gives."""

import re
import textwrap
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.linking import FileChange, FileFacts
from pckc_domain.model.progress import ignore_progress
from pckc_domain.policy.graph.flow_linker import FlowLinker
from pckc_domain.policy.graph.javascript.family import SCRIPT
from pckc_domain.testing.link_memory import DictLinkMemory

PATHS = ("main.js", "lib/index.ts", "lib/a.ts", "lib/b.js", "old.cjs", "lib/a.test.ts", "app/package.json")
CHOICES = {
    "NAME": ("f", "f", "g", "A", "B", "o", "mod"),
    "FUNCTION": ("f", "g"),
    "CLASS": ("A", "B"),
    "MEMBER": ("run", "x", "constructor", "then"),
    "VALUE": (
        "NAME", "NAME()", "NAME(NAME)", "NAME.MEMBER", "NAME.MEMBER()", "new NAME().MEMBER()", "new NAME(NAME)",
        "[NAME, NAME]", "[NAME][0]()", "{ run: NAME }", "({ MEMBER() { return NAME(); } }).MEMBER()",
        "[NAME].map((v) => v(NAME))", "p", "p()", "p.run()", "this", "this.x", "this.run()", "mod.f()", "...rest",
        "NAME.bind(NAME)", "NAME.call(this)", "await NAME()", "new Map([['k', NAME]]).get('k')()", "{ ...NAME }",
        "Object.assign({}, NAME)", "Promise.resolve(NAME).then((v) => v())", "require('MODULE')", "`${NAME()}`",
    ),
    "STATEMENT": (
        "return VALUE;", "return NAME(p);", "o = VALUE;", "p.x = NAME;", "for (const q of NAME) q();", "this.x = NAME;",
        "if (p instanceof CLASS) p.run();", "NAME.prototype.run = function () { return NAME(); };", "yield NAME;",
        "NAME();", "const { x, run = NAME } = p; run(x);",
    ),
    "BODY": ("STATEMENT", "STATEMENT STATEMENT"),
    "MARK": ("", "", "static ", "get ", "async "),
    "METHOD": ("MARKMEMBER(p = NAME) { BODY }\n", "x = NAME;\n"),
    "BASE": ("", " extends CLASS", " extends mod.CLASS"),
    "TOP": (
        "import { NAME } from 'MODULE';\n", "import { NAME as o } from 'MODULE';\n", "import * as mod from 'MODULE';\n",
        "import NAME from 'MODULE';\n", "export * from 'MODULE';\n", "export { NAME } from 'MODULE';\n",
        "export function FUNCTION(p, ...rest) { BODY }\n", "export default function FUNCTION(p) { BODY }\n",
        "export const FUNCTION = async (p = NAME) => { BODY };\n", "export class CLASSBASE {\nMETHODS}\n",
        "class CLASSBASE { run() { return super.run(); } }\n", "module.exports = { f: NAME, run() { BODY } };\n",
        "exports.FUNCTION = function (p) { BODY };\n", "function FUNCTION(p) { BODY }\n", "NAME(NAME);\n",
        "export const mod = { f: NAME, MEMBER(p) { BODY } };\n", "let o = VALUE;\n", "const mod = require('MODULE');\n",
        "function* make(p) { yield p; }\n", "mod.x = NAME;\n", "CLASS.run = NAME;\n",
    ),
}  # fmt: skip
MODULES = ("./a", "./b.js", "./index", "./../main", "./../old.cjs", "app")
BEGINNINGS = (
    "import { f, A } from 'MODULE';\n", "import { g, B } from 'MODULE';\n", "import * as mod from 'MODULE';\n",
    "const { f, A } = require('MODULE');\n", "import f, { B, o } from 'MODULE';\n", "export function f(p) { p(); }\n",
    "export class A { run() { return this.x(); } x() {} }\n", "module.exports = { f() {}, A: class A { run() {} } };\n",
)  # fmt: skip
TYPED = (
    "export interface B { run(): void }\n", "export class A implements B { constructor(private x: B) {} run() {} }\n",
    "export function f(p: CLASS): CLASS { p.run(); return p; }\n", "import type { CLASS } from 'MODULE';\n",
    "export enum o { run = 1 }\n", "namespace make { export const f = () => NAME(); }\n",
)  # fmt: skip
WORD = re.compile("METHODS|" + "|".join(CHOICES))


@st.composite
def lines(draw: st.DrawFn, template: str = "TOP") -> str:
    """Return a template with a choice in the place of each word."""

    def chosen(word: re.Match[str]) -> str:
        if word[0] == "METHODS":
            return textwrap.indent("".join(draw(st.lists(lines("METHOD"), max_size=3))), "  ")
        return WORD.sub(chosen, draw(st.sampled_from(CHOICES[word[0]])))

    return WORD.sub(chosen, template)


@st.composite
def texts_of(draw: st.DrawFn, path: str) -> str:
    """Return what a file may say."""
    if path.endswith(".json"):
        return draw(st.sampled_from(('{"name": "app", "main": "../main.js"}', '{"name": "x"}', "{")))
    written = [draw(lines(one)) for one in draw(st.lists(st.sampled_from(BEGINNINGS), max_size=2))]
    written += draw(st.lists(lines(), max_size=6))
    if path.endswith(".ts"):
        written += [draw(lines(one)) for one in draw(st.lists(st.sampled_from(TYPED), max_size=3))]
    modules = st.sampled_from(MODULES if path.startswith("lib") else [one.replace("./", "./lib/") for one in MODULES])
    return re.sub("MODULE", lambda _: draw(modules).replace("/lib/./lib/", "/"), "".join(written))


READER = TreeSitterCodeReader()


def link(files: Mapping[str, str], changed: Collection[str], gone: Collection[str], memory: DictLinkMemory) -> None:
    """Link what changed."""
    known = {path: _language(path) for path in files if not path.endswith(".json")}
    facts = [_facts(path, files[path]) for path in changed if path in known]
    memory.take(
        FlowLinker(SCRIPT).link(
            [FileChange(facts=one, content_hash=files[one.path]) for one in facts],
            gone=[path for path in gone if not path.endswith(".json")],
            known=known,
            settings={path: text for path, text in files.items() if path.endswith(".json")},
            memory=memory,
            progress=ignore_progress,
        ),
        [path for path in gone if not path.endswith(".json")],
    )


def _language(path: str) -> str:
    if path.endswith(".tsx"):
        return "tsx"
    return "typescript" if path.endswith((".ts", ".mts")) else "javascript"


def _facts(path: str, text: str) -> FileFacts:
    found = READER.facts(path, text, language=_language(path))
    assert found is not None
    return found


def expect_fresh(files: Mapping[str, str], memory: DictLinkMemory, name: str = "") -> None:
    """Check that the graph is that of a linker that never saw these files before."""
    fresh = DictLinkMemory()
    link(files, list(files), (), fresh)
    for path, graph in fresh.graphs.items():
        assert memory.graphs[path] == graph, (name, path)
    assert memory.graphs.keys() == fresh.graphs.keys()


class EditsGiveWhatAFreshIndexGives(RuleBasedStateMachine):
    """Files come, change, go and come back."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}
        self.memory = DictLinkMemory()
        self.past: list[dict[str, str]] = []

    def _edit(self, texts: Mapping[str, str], gone: Collection[str] = ()) -> None:
        self.past.append(dict(self.files))
        for path in gone:
            del self.files[path]
        self.files.update(texts)
        link(self.files, list(texts), gone, self.memory)

    @rule(data=st.data(), paths=st.sets(st.sampled_from(PATHS), min_size=3))
    def write_many(self, data: st.DataObject, paths: set[str]) -> None:
        self._edit({path: data.draw(texts_of(path)) for path in sorted(paths)})

    @rule(data=st.data(), path=st.sampled_from(PATHS))
    def write(self, data: st.DataObject, path: str) -> None:
        self._edit({path: data.draw(texts_of(path))})

    @precondition(lambda self: self.files)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        self._edit({}, [data.draw(st.sampled_from(sorted(self.files)))])

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def revert(self, data: st.DataObject) -> None:
        before = data.draw(st.sampled_from(self.past))
        texts = {path: text for path, text in before.items() if self.files.get(path) != text}
        self._edit(texts, [path for path in self.files if path not in before])

    @invariant()
    def is_fresh(self) -> None:
        expect_fresh(self.files, self.memory)


TestEdits = EditsGiveWhatAFreshIndexGives.TestCase
TestEdits.settings = settings(max_examples=20, stateful_step_count=10, deadline=None)


def programs() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the labelled programs of several files."""
    for language in ("javascript", "typescript"):
        for file in sorted((Path(__file__).parent / "graph_cases" / language).glob("*.toml")):
            for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]:
                if len(case["files"]) > 1:
                    yield f"{file.stem}/{case['name']}", case["files"]


def test_files_of_every_program_come_and_go() -> None:
    for name, files in programs():
        memory, known = DictLinkMemory(), dict[str, str]()
        for path, text in files.items():
            known[path] = text
            link(known, [path], (), memory)
            expect_fresh(known, memory, name)
        for path, text in files.items():
            del known[path]
            link(known, (), [path], memory)
            expect_fresh(known, memory, name)
            known[path] = f"// moved\n{text}" if not path.endswith(".json") else text
            link(known, [path], (), memory)
            expect_fresh(known, memory, name)
