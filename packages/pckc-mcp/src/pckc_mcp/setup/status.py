"""What of PCKC stands in the configuration of each host, for `pckc doctor`."""

import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
from pckc_domain.errors import InvalidInputError

from pckc_mcp.setup import files, json_document, toml_document, yaml_document
from pckc_mcp.setup.wanted import HOSTS, SERVER, Wanted, wanted


@attrs.frozen(kw_only=True)
class Connection:
    """
    What one host knows of PCKC at one level.

    Attributes:
        host: Its name.
        level: user or project.
        has_server: It starts the server.
        hooks: Commands of the hooks that it runs.
        problems: What is wrong with its files or with what stands in them.
    """

    host: str
    level: str
    has_server: bool = False
    hooks: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """Return such as "server and 7 hooks"; ``""`` when it knows nothing."""
        count = len(self.hooks)
        parts = ["server"] * self.has_server + [f"{count} hook{'' if count == 1 else 's'}"] * bool(count)
        return " and ".join(parts)


def connections(project: Path, environ: Mapping[str, str]) -> Iterator[Connection]:
    """Yield what each host knows, at the level of the user and at that of the *project*."""
    for host in HOSTS:
        for level, root in (("user", None), ("project", project)):
            try:
                asked = wanted(host, root, environ, command=SERVER)
            except InvalidInputError:
                continue  # it has no such level, or its file cannot be read, which the next line would say again
            yield _connection(host, level, asked)


def _connection(host: str, level: str, asked: list[Wanted]) -> Connection:
    has_server, hooks, problems = False, list[str](), list[str]()
    for each in asked:
        try:
            text = files.find(each.path).text
            has_server |= _has_server(each, text)
            hooks += _hooks(each, text)
        except InvalidInputError as error:
            problems.append(error.message)
    problems += sorted({f"no program at {name}" for name in map(_program, hooks) if not shutil.which(name)})
    return Connection(
        host=host, level=level, has_server=has_server, hooks=tuple(hooks), problems=tuple(dict.fromkeys(problems))
    )


def _has_server(each: Wanted, text: str) -> bool:
    if each.kind == "yaml":
        return not set(each.rows).isdisjoint(yaml_document.rows_in(text, each.path))
    if each.server is None:
        return False
    document = toml_document if each.kind == "toml" else json_document
    return document.own_server(text, each.path) is not None


def _hooks(each: Wanted, text: str) -> list[str]:
    if each.kind == "yaml" or not each.hooks:
        return []
    document = toml_document if each.kind == "toml" else json_document
    found: list[str] = document.own_hooks(text, each.path)
    return found


def _program(command: str) -> str:
    return shlex.split(command)[0]
