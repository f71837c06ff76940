"""What setup makes of a host's configuration, and uninstall takes back."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pckc_domain.errors import InvalidInputError
from pckc_mcp.setup import block, json_document, toml_document, yaml_document
from pckc_mcp.setup.wanted import EVENTS, HOSTS, Wanted, dsh_rows, hooks, program, server, wanted

PATH = Path("settings")
JSON = Wanted(path=PATH, kind="json", server=server("pckc"), hooks=hooks("claude", "pckc"))
TOML = Wanted(path=PATH, kind="toml", server=server("pckc"), hooks=hooks("codex", "pckc"))
YAML = Wanted(path=PATH, kind="yaml", rows=dsh_rows("pckc", '"/home/u/.dsh/pckc-hooks.json"'))
CASES: list[tuple[Any, Wanted]] = [(json_document, JSON), (toml_document, TOML), (yaml_document, YAML)]

THEIRS = {
    "json": json.dumps(
        {
            "z": [1, 2.5, None],
            "mcpServers": {"other": {"command": "x"}},
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say pckc hook"}]}], "Own": []},
            "a": "é",
        },
        indent=4,
        ensure_ascii=False,
    ),
    "toml": '# mine\nmodel = "m" # why\n\n[mcp_servers.other]\ncommand = "x"\n\n[[hooks.Stop]]\nmatcher = "a"\n',
    "yaml": "# mine\n- insert:\n    - {id: a, name: 'b'} # why\n    - id: c\n      config: {cwd: !!js process.cwd()}\n",
}


@pytest.mark.parametrize(("document", "asked"), CASES, ids=["json", "toml", "yaml"])
class TestAnyDocument:
    """Whatever its language."""

    def test_nothing_else_changes(self, document: Any, asked: Wanted) -> None:
        """Each line that stood there still does, in the same order."""
        before = THEIRS[asked.kind]
        after, notes = document.add(before, asked)
        lines = iter(after.splitlines())
        assert all(line.rstrip(",") in (other.rstrip(",") for other in lines) for line in before.splitlines())
        assert notes == []

    @pytest.mark.parametrize("is_empty", [True, False])
    def test_adding_twice_is_adding_once(self, document: Any, asked: Wanted, is_empty: bool) -> None:
        """Byte for byte."""
        once, _ = document.add("" if is_empty else THEIRS[asked.kind], asked)
        assert document.add(once, asked) == (once, [])

    def test_what_was_added_is_taken_back(self, document: Any, asked: Wanted) -> None:
        """And no more."""
        before = THEIRS[asked.kind]
        assert document.remove(document.add(before, asked)[0], asked) == (before, [])
        assert document.remove(before, asked) == (before, [])
        assert document.remove("", asked) == ("", [])

    def test_what_is_older_is_replaced(self, document: Any, asked: Wanted) -> None:
        """Another installation's."""
        older = document.add(THEIRS[asked.kind], _of("/old/bin/pckc", asked.kind))[0]
        newer = document.add(older, asked)[0]
        assert "/old/bin/pckc" not in newer
        assert newer == document.add(THEIRS[asked.kind], asked)[0]

    @pytest.mark.parametrize("broken", ["{", "[[[", "a: b: c: {", "\x00"])
    def test_what_is_malformed_is_refused(self, document: Any, asked: Wanted, broken: str) -> None:
        """With what to do."""
        for act in (document.add, document.remove):
            with pytest.raises(InvalidInputError, match="nothing was changed") as raised:
                act(broken, asked)
            assert raised.value.remedy


def _of(command: str, kind: str) -> Wanted:
    if kind == "yaml":
        return Wanted(path=PATH, kind=kind, rows=dsh_rows(command, '"/h"'))
    return Wanted(
        path=PATH, kind=kind, server=server(command), hooks=hooks("claude" if kind == "json" else "codex", command)
    )


class TestJson:
    """Claude Code, Gemini CLI, Codex's hooks."""

    def test_others_hooks_stay_where_they_are(self) -> None:
        """Also beside PCKC's in one group, and those that only look like them."""
        theirs = [
            {"type": "command", "command": "pckc hook"},
            {"type": "command", "command": "mypckc hook Stop --host claude"},
            {"type": "command", "command": "pckc hook Stop --host claude; rm -rf x"},
            {"type": "prompt", "prompt": "x"},
        ]
        own = {"type": "command", "command": "/x/pckc hook Stop --host claude", "timeout": 1}
        before = {"hooks": {"Stop": [{"matcher": "", "hooks": [theirs[0], own, *theirs[1:]]}, "odd", {"hooks": "odd"}]}}
        left = json.loads(json_document.remove(json.dumps(before), JSON)[0])
        assert left == {"hooks": {"Stop": [{"matcher": "", "hooks": theirs}, "odd", {"hooks": "odd"}]}}

    def test_a_server_that_was_changed_stays(self) -> None:
        """It is somebody's own."""
        changed = {"mcpServers": {"pckc": {"command": "pckc", "args": ["serve"], "env": {"PCKC_TOOLS": "full"}}}}
        for act in (json_document.add, json_document.remove):
            text, notes = act(json.dumps(changed), Wanted(path=PATH, kind="json", server=server("pckc")))
            assert json.loads(text) == changed
            assert len(notes) == 1

    @pytest.mark.parametrize(
        "text",
        [
            '{"a": 1, "a": 2}', "[]", "3", '{"hooks": []}', '{"mcpServers": 1}', '{"hooks": {"Stop": {}}}',
            '{"a": NaN}', "// why\n{}", '{"a": 1,}',
        ],
    )  # fmt: skip
    def test_nothing_is_lost_by_misreading(self, text: str) -> None:
        """A key that stands there twice, comments, other shapes."""
        with pytest.raises(InvalidInputError, match="nothing was changed"):
            json_document.add(text, JSON)

    @pytest.mark.parametrize(
        "text",
        ['{"a":1}', '{"a": 1, "b": [1, 2]}\n', '{\n\t"a": 1\n}\n', '{\n   "a": 1\n}', '{"a": "\\ud800 \\u00e9"}'],
    )
    def test_it_is_spelled_as_it_was(self, text: str) -> None:
        """Indentation, its last line, escapes."""
        added = json_document.add(text, JSON)[0]
        assert json_document.remove(added, JSON)[0] == text
        assert added.encode()

    @given(
        st.dictionaries(
            st.text(max_size=5),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
                max_leaves=8,
            ),
            max_size=5,
        ),
        st.sampled_from([None, 1, 2, 4, "\t"]),
    )
    def test_any_object_comes_back(self, document: dict[str, Any], indent: Any) -> None:
        """What it held, in its order."""
        text = json.dumps(document, indent=indent, ensure_ascii=True)
        try:
            added = json_document.add(text, JSON)[0]
        except InvalidInputError:
            assert {"hooks", "mcpServers"} & document.keys()
            return
        left = json.loads(json_document.remove(added, JSON)[0])
        assert json.dumps(left) == json.dumps(document)


class TestToml:
    """Codex."""

    def test_it_is_what_codex_reads(self) -> None:
        """Tables of the same content as hooks.json."""
        read = tomllib.loads(toml_document.add("", TOML)[0])
        assert read["mcp_servers"]["pckc"] == server("pckc")
        assert read["hooks"] == hooks("codex", "pckc")
        assert len(toml_document.own_hooks(toml_document.add("", TOML)[0], PATH)) == len(EVENTS["codex"])

    def test_a_server_of_another_hand_stays(self) -> None:
        """Such as one that `codex mcp add` wrote."""
        text = '[mcp_servers.pckc]\ncommand = "pckc"\nargs = ["serve"]\n'
        asked = Wanted(path=PATH, kind="toml", server=server("pckc"))
        for act in (toml_document.add, toml_document.remove):
            same, notes = act(text, asked)
            assert (same, len(notes)) == (text, 1)

    @pytest.mark.parametrize("text", ['mcp_servers = {other = {command = "x"}}\n', "mcp_servers = 3\n", "hooks = 3\n"])
    def test_what_no_table_can_be_added_to_is_refused(self, text: str) -> None:
        """Rather than written anew."""
        with pytest.raises(InvalidInputError, match="nothing was changed"):
            toml_document.add(text, TOML)

    def test_a_last_line_without_an_end(self) -> None:
        """And what the user wrote behind the block stays there."""
        added = toml_document.add('model = "m"', TOML)[0]
        assert tomllib.loads(added)["model"] == "m"
        more = f"{added}\n[mine]\na = 1\n"
        assert tomllib.loads(toml_document.remove(more, TOML)[0]) == {"model": "m", "mine": {"a": 1}}


class TestYaml:
    """dsh."""

    @pytest.mark.parametrize(
        "text", ["", "# only this\n", "[]\n", "# a\n[ ]\n", "---\n", "  - insert:\n      - id: a\n"]
    )
    def test_rows_are_added_to_any_list(self, text: str) -> None:
        """An empty one, one that is indented."""
        added = yaml_document.add(text, YAML)[0]
        assert set(yaml_document.rows_in(added, PATH)) >= set(YAML.rows)

    @pytest.mark.parametrize("text", ["a: 1\n", "[{insert: [{id: a}]}]\n", "- a\n...\n", "- a\n---\n- b\n", "text\n"])
    def test_what_no_rows_can_be_added_to_is_refused(self, text: str) -> None:
        """Rather than written anew."""
        with pytest.raises(InvalidInputError, match="nothing was changed"):
            yaml_document.add(text, YAML)

    @pytest.mark.parametrize("form", ["- insert:\n    - id: memory-pckc\n", "- id: memory-pckc\n"])
    def test_a_row_of_another_hand_stays(self, form: str) -> None:
        """The other one is added."""
        added, notes = yaml_document.add(form, YAML)
        assert yaml_document.rows_in(added, PATH) == ["memory-pckc", "memory-pckc-hooks"]
        assert len(notes) == 1
        assert yaml_document.remove(added, YAML)[0] == form


TEXTS = st.lists(st.sampled_from(["# >>> pckc >>>", "# <<< pckc <<<", "a", "", " "]), max_size=6).map("\n".join)


@given(TEXTS, st.text(alphabet="xy\n", min_size=1, max_size=9))
@example("# <<< pckc <<<", "x")
@example("# >>> pckc >>>", "x")
def test_a_block_comes_and_goes(text: str, lines: str) -> None:
    """And leaves the text as it was, but for an end of its last line: stray marks, too."""
    assume(not block.has_block(text))
    added = block.with_block(text, lines)
    assert block.has_block(added)
    left = block.without_block(added)
    assert left.rstrip("\n") == text.rstrip("\n")
    assert block.with_block(added, lines) == added


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_s_own_places_are_meant(host: str, tmp_path: Path) -> None:
    """Below its home, or where its variable says."""
    environ = {"HOME": str(tmp_path / "home")}
    assert all(each.path.is_relative_to(tmp_path / "home") for each in wanted(host, None, environ, command="pckc"))
    chosen = {name: str(tmp_path / "chosen") for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "DSH_HOME")}
    if host != "gemini":
        found = wanted(host, None, environ | chosen, command="pckc")
        assert all(each.path.is_relative_to(tmp_path / "chosen") for each in found)
    if host == "dsh":
        with pytest.raises(InvalidInputError, match="project"):
            wanted(host, tmp_path, environ, command="pckc")
    else:
        found = wanted(host, tmp_path / "p", environ, command="pckc")
        assert all(each.path.is_relative_to(tmp_path / "p") for each in found)


def test_a_shared_file_names_no_path_of_one_machine() -> None:
    """Others have PCKC elsewhere."""
    assert program(is_shared=True) == "pckc"


def test_a_path_with_a_space_is_one_word() -> None:
    """In a command line; and it is known again."""
    own = hooks("claude", "/My Programs/pckc")["Stop"][0]["hooks"][0]
    assert own["command"] == '"/My Programs/pckc" hook Stop --host claude'
    assert json_document.is_own_hook(own)
