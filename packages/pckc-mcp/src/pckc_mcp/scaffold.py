"""The skeleton of an adapter package, written from the port itself."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.plugin import GROUPS


@attrs.frozen(kw_only=True)
class Port:
    """Where a slot's port and its contract are."""

    module: str
    name: str
    contract_module: str
    contract: str
    fixture: str


PORTS = {
    "canonical": Port(
        module="canonical",
        name="Canonical",
        contract_module="canonical_contract",
        contract="CanonicalContract",
        fixture="canonical",
    ),
    "vector": Port(
        module="vector",
        name="VectorIndex",
        contract_module="vector_contract",
        contract="VectorContract",
        fixture="index",
    ),
    "graph_index": Port(
        module="graph_index",
        name="GraphIndex",
        contract_module="graph_index_contract",
        contract="GraphIndexContract",
        fixture="graphs",
    ),
    "embedder": Port(
        module="embedder",
        name="Embedder",
        contract_module="embedder_contract",
        contract="EmbedderContract",
        fixture="embedder",
    ),
    "code_parser": Port(
        module="code_parser",
        name="CodeParser",
        contract_module="code_parser_contract",
        contract="CodeParserContract",
        fixture="parser",
    ),
    "communities": Port(
        module="communities",
        name="CommunityDetector",
        contract_module="communities_contract",
        contract="CommunitiesContract",
        fixture="detector",
    ),
    "source": Port(
        module="sources",
        name="RepositorySource",
        contract_module="repository_source_contract",
        contract="RepositorySourceContract",
        fixture="tree",
    ),
}


def write_adapter(slot: str, name: str, into: Path) -> list[Path]:
    """
    Write the package ``pckc-adapters-NAME`` into the folder *into* and return its files.

    Raises:
        InvalidInputError: The slot is unknown, the name is no identifier, or the package exists.
    """
    if slot not in PORTS:
        raise InvalidInputError(f"unknown slot {slot!r}", remedy=f"one of: {', '.join(PORTS)}")
    if not re.fullmatch(r"[a-z][a-z0-9]*", name):
        raise InvalidInputError(
            f"{name!r} is no adapter name", remedy="use lower-case letters and digits, such as faiss"
        )
    folder = into / f"pckc-adapters-{name}"
    if folder.exists():
        raise InvalidInputError(f"{folder} exists already", remedy="choose another name or remove the folder")
    files = _files(slot, name, PORTS[slot])
    written = []
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return written


def _files(slot: str, name: str, port: Port) -> dict[str, str]:
    module = f"pckc_adapters_{name}"
    title = name.capitalize()
    source = f"src/{module}"
    return {
        "pyproject.toml": _pyproject(slot, name, module),
        "README.md": f"# pckc-adapters-{name}\n\n{title} as PCKC's {slot} backend.\n",
        "CHANGELOG.md": "# Changelog\n\n## 0.1.0 (unreleased)\n\n- First version.\n",
        f"{source}/__init__.py": f'"""{title} as PCKC\'s {slot} backend."""\n',
        f"{source}/py.typed": "",
        f"{source}/{port.module}.py": _adapter(port, title),
        f"{source}/backend.py": _backend(slot, module, port, title),
        "tests/test_contract.py": _test(module, port, title),
    }


def _pyproject(slot: str, name: str, module: str) -> str:
    return f"""\
[project]
name = "pckc-adapters-{name}"
version = "0.1.0"
description = "{name.capitalize()} as PCKC's {slot} backend."
readme = "README.md"
requires-python = ">=3.11"
license = "MIT"
dependencies = ["attrs>=24.2", "pckc-domain>=0.1,<0.2"]

[project.entry-points."{GROUPS[slot]}"]
{name} = "{module}.backend:BACKEND"

[tool.uv.sources]
pckc-domain = {{ workspace = true }}

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["src/{module}"]
"""


def _adapter(port: Port, title: str) -> str:
    """Return a module whose class has every method of the port, still to be written."""
    module = import_module(f"pckc_domain.ports.{port.module}")
    tree = ast.parse(inspect.getsource(module))
    protocol = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == port.name)
    methods = [_stub(node) for node in protocol.body if isinstance(node, ast.FunctionDef)]
    body = "\n\n".join(_indented(ast.unparse(method)) for method in methods)
    imports = _imports(tree, body, port)
    return (
        f'"""{title} behind the {port.name} port."""\n\n{imports}\n\n\n'
        f'class {title}({port.name}):\n    """Not written yet: every method says so."""\n\n{body}\n'
    )


def _stub(method: ast.FunctionDef) -> ast.FunctionDef:
    method.decorator_list = [
        node for node in method.decorator_list if isinstance(node, ast.Name) and node.id == "property"
    ]
    documentation = ast.get_docstring(method) or method.name
    first = documentation.strip().splitlines()[0]
    method.body = [ast.Expr(ast.Constant(first)), *ast.parse("raise NotImplementedError").body]
    return method


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())


def _imports(tree: ast.Module, body: str, port: Port) -> str:
    """Return the port module's imports that the stubs use, and the port itself with its module's own classes."""
    lines = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            used = [alias for alias in node.names if re.search(rf"\b{alias.name}\b", body)]
            if used:
                lines.append(ast.unparse(ast.ImportFrom(module=node.module, names=used, level=0)))
    own = [node.name for node in tree.body if isinstance(node, ast.ClassDef) and re.search(rf"\b{node.name}\b", body)]
    names = ", ".join(sorted({port.name, *own}))
    lines.append(f"from pckc_domain.ports.{port.module} import {names}")
    standard = [line for line in lines if "pckc_domain" not in line]
    domain = sorted(line for line in lines if "pckc_domain" in line)
    return "\n".join(standard) + ("\n\n" if standard else "") + "\n".join(domain)


def _backend(slot: str, module: str, port: Port, title: str) -> str:
    return f'''\
"""What this package offers through its entry point."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from pckc_domain.plugin import Backend
from pckc_domain.ports.{port.module} import {port.name}

from {module}.{port.module} import {title}


@attrs.frozen(kw_only=True)
class {title}Settings:
    """The keys of `[{slot}]` in pckc.toml, beside `backend`."""


@contextmanager
def open_{slot}(_: {title}Settings) -> Iterator[{port.name}]:
    """Open the backend."""
    yield {title}()


BACKEND = Backend(settings={title}Settings, open=open_{slot})
'''


def _test(module: str, port: Port, title: str) -> str:
    return f'''\
"""The adapter keeps the port's contract."""

from collections.abc import Iterator

import pytest
from {module}.backend import BACKEND
from pckc_domain.testing.{port.contract_module} import {port.contract}


@pytest.mark.skip(reason="not written yet: remove this line, and the contract tells what is missing")
class Test{title}({port.contract}):
    @pytest.fixture
    def {port.fixture}(self) -> Iterator[object]:
        with BACKEND.open(BACKEND.settings()) as opened:
            yield opened


def test_the_entry_point_opens() -> None:
    with BACKEND.open(BACKEND.settings()) as opened:
        assert opened is not None
'''
