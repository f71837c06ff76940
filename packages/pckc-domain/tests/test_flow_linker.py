"""Any row of edits gives what linking all files at once gives, and an edit costs what depends on it."""

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pckc_domain.model.linking import FileChange, LinkedFile
from pckc_domain.model.progress import ignore_progress
from pckc_domain.policy.graph.flow_linker import FlowLinker
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.policy.graph.python.family import PYTHON
from pckc_domain.testing.link_memory import DictLinkMemory


class Project:
    """Files that are edited, and what a linker makes of them."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.memory = DictLinkMemory()

    def edit(self, texts: Mapping[str, str], gone: Collection[str] = ()) -> list[str]:
        """Write and remove files, link, and return the paths that were linked again."""
        for path in gone:
            del self.files[path]
        self.files.update(texts)
        return self.memory.take(_link(self.files, texts, gone, self.memory), gone)

    def expect_fresh(self) -> None:
        """Check that the graph is that of a linker that never saw these files before."""
        fresh = DictLinkMemory()
        fresh.take(_link(self.files, self.files, (), fresh), ())
        for path in self.files:
            assert self.memory.graphs[path] == fresh.graphs[path], path
        assert self.memory.graphs.keys() == self.files.keys()


def _link(
    files: Mapping[str, str], changed: Iterable[str], gone: Collection[str], memory: DictLinkMemory
) -> Iterable[LinkedFile]:
    return FlowLinker(PYTHON).link(
        [FileChange(facts=python_facts(path, files[path]), content_hash=files[path]) for path in changed],
        gone=gone,
        known=dict.fromkeys(files, "python"),
        settings={},
        memory=memory,
        progress=ignore_progress,
    )


PATHS = (
    "main.py", "app/__init__.py", "app/a.py", "app/b.py", "app/sub/__init__.py", "app/sub/c.py", "lib/d.py",
    "tests/test_a.py", "tests/helpers.py",
)  # fmt: skip
CHOICES = {
    "MODULE": ("main", "app", "app.a", "app.b", "app.sub", "app.sub.c", "lib.d", "lib", "json", "tests.helpers"),
    "PART": ("a", "b", "sub"),
    "NAME": ("f", "g", "make", "deco", "A", "B", "C"),
    "FUNCTION": ("f", "g", "make", "deco"),
    "CLASS": ("A", "B", "C"),
    "MEMBER": ("run", "x", "y", "__init__", "__call__"),
    "VALUE": (
        "NAME", "NAME()", "NAME(NAME)", "NAME.MEMBER", "NAME.MEMBER()", "NAME().MEMBER", "NAME().MEMBER(NAME)",
        "[NAME, NAME]", "[NAME][0]()", "{'k': NAME}['k']", "partial(NAME, NAME)", "lambda v=None: NAME(v)",
        "dict(x=NAME, y=NAME)", "p", "p()", "p.run()", "p[0]", "self", "self.x", "self.y()", "mod.f()",
        "mod.A().run(f)", "rest[0](*rest)",
    ),
    "STATEMENT": (
        "return VALUE", "return VALUE", "VALUE", "NAME = VALUE", "p.x = VALUE", "for q in VALUE: q()", "yield VALUE",
        "from MODULE import NAME; NAME()", "if isinstance(p, CLASS): p.run()", "self.x = VALUE", "super().run()",
    ),
    "BODY": ("STATEMENT", "STATEMENT\n    STATEMENT", "STATEMENT\n    STATEMENT\n    STATEMENT"),
    "HEAD": ("", "", "@NAME\n"),
    "MARK": ("", "", "", "@property\n", "@staticmethod\n", "@classmethod\n"),
    "METHOD": ("MARKdef MEMBER(self, p=None):\n    BODY\n",),
    "BASE": ("", "(CLASS)", "(mod.CLASS)"),
    "TOP": (
        "from MODULE import NAME\n", "from MODULE import NAME\n", "from MODULE import *\n", "import MODULE as mod\n",
        "from . import PART\n", "HEADdef FUNCTION(p=None, *rest):\n    BODY\n",
        "def FUNCTION(p, q: 'CLASS' = NAME):\n    BODY\n    return q.run()\n",
        "class CLASSBASE:\n    y = NAME\nMETHODS",
        "class CLASSBASE: pass\n", "class CLASSBASE: pass\nMETHODS", "NAME = VALUE\n", "VALUE\n", "mod.x = NAME\n",
    ),
}  # fmt: skip
WORD = re.compile("METHODS|" + "|".join(CHOICES))


@st.composite
def lines(draw: st.DrawFn, template: str = "TOP") -> str:
    """Return a template with a choice in the place of each word."""

    def chosen(word: re.Match[str]) -> str:
        if word[0] == "METHODS":
            methods = draw(st.lists(lines("METHOD"), max_size=3))
            return textwrap.indent("".join(methods), "    ")
        return WORD.sub(chosen, draw(st.sampled_from(CHOICES[word[0]])))

    return WORD.sub(chosen, template)


_text = st.builds("from functools import partial\n{}".format, st.lists(lines(), max_size=6).map("".join))


class EditsGiveWhatAFreshIndexGives(RuleBasedStateMachine):
    """Files come, change, move, go and come back."""

    def __init__(self) -> None:
        super().__init__()
        self.project = Project()
        self.past: list[dict[str, str]] = []

    def _edit(self, texts: Mapping[str, str], gone: Collection[str] = ()) -> None:
        self.past.append(dict(self.project.files))
        self.project.edit(texts, gone)

    @rule(texts=st.dictionaries(st.sampled_from(PATHS), _text, min_size=3))
    def write_many(self, texts: dict[str, str]) -> None:
        self._edit(texts)

    @rule(path=st.sampled_from(PATHS), text=_text)
    def write(self, path: str, text: str) -> None:
        self._edit({path: text})

    @precondition(lambda self: self.project.files)
    @rule(data=st.data(), line=st.one_of(lines(), st.just("# a comment\n")))
    def add_lines(self, data: st.DataObject, line: str) -> None:
        path = data.draw(st.sampled_from(sorted(self.project.files)))
        text = self.project.files[path]
        self._edit({path: line + text if data.draw(st.booleans()) else text + line})

    @precondition(lambda self: self.project.files)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        self._edit({}, [data.draw(st.sampled_from(sorted(self.project.files)))])

    @precondition(lambda self: self.project.files)
    @rule(data=st.data(), to=st.sampled_from(PATHS))
    def rename(self, data: st.DataObject, to: str) -> None:
        path = data.draw(st.sampled_from(sorted(self.project.files)))
        if path != to:
            self._edit({to: self.project.files[path]}, [path])

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def revert(self, data: st.DataObject) -> None:
        before = data.draw(st.sampled_from(self.past))
        now = self.project.files
        texts = {path: text for path, text in before.items() if now.get(path) != text}
        self._edit(texts, [path for path in now if path not in before])

    @invariant()
    def is_fresh(self) -> None:
        self.project.expect_fresh()


TestEdits = EditsGiveWhatAFreshIndexGives.TestCase
TestEdits.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)


def _files() -> Iterator[tuple[str, str]]:
    yield "base.py", "class Base:\n    def save(self):\n        return self.check()\n\n    def check(self): pass\n"
    yield (
        "user.py",
        "from base import Base\n\nclass User(Base):\n    def check(self): pass\n\ndef run():\n    User().save()\n",
    )
    yield "other.py", "def alone():\n    return 1\n"
    yield "tests/test_user.py", "from user import run\n\ndef test_run():\n    run()\n"


class TestReach:
    def project(self) -> Project:
        project = Project()
        project.edit(dict(_files()))
        return project

    def test_a_body_edit_links_its_file_alone(self) -> None:
        project = self.project()
        assert project.edit({"other.py": "def alone():\n    x = alone\n    return 1\n"}) == ["other.py"]
        project.expect_fresh()

    def test_a_test_never_reaches_what_it_tests(self) -> None:
        project = self.project()
        text = "from user import User, run\n\ndef test_run():\n    User().extra = run\n    run()\n"
        assert project.edit({"tests/test_user.py": text}) == ["tests/test_user.py"]

    def test_a_new_function_reaches_nobody(self) -> None:
        project = self.project()
        assert project.edit({"base.py": f"{project.files['base.py']}\ndef fresh(): pass\n"}) == ["base.py"]

    def test_what_failed_to_resolve_is_found_again(self) -> None:
        project = self.project()
        project.edit({"late.py": "from missing import helper\n\ndef go():\n    helper()\n"})
        assert set(project.edit({"missing.py": "def helper(): pass\n"})) == {"missing.py", "late.py"}
        project.expect_fresh()
