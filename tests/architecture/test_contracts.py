"""The import contracts name every package that is on disk, and the code keeps the house rules they cannot say."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(folder.name.replace("-", "_") for folder in (ROOT / "packages").iterdir() if folder.is_dir())
ADAPTERS = [package for package in PACKAGES if package.startswith("pckc_adapters_")]
WORKSPACE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINTER = WORKSPACE["tool"]["importlinter"]
CONTRACTS = {contract["name"]: contract for contract in LINTER["contracts"]}
MODULES = sorted(ROOT.glob("packages/*/src/**/*.py"))


def test_every_package_is_under_contract() -> None:
    assert sorted(LINTER["root_packages"]) == PACKAGES
    assert sorted(WORKSPACE["tool"]["mypy"]["packages"]) == PACKAGES
    assert sorted(CONTRACTS["Adapters know the domain, never each other nor the app"]["modules"]) == ADAPTERS
    assert sorted(CONTRACTS["Nothing imports the app"]["source_modules"]) == sorted(["pckc_domain", *ADAPTERS])
    assert set(ADAPTERS) <= set(CONTRACTS["The domain does no I/O"]["forbidden_modules"])


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_what_a_package_needs(package: str) -> None:
    folder = ROOT / "packages" / package.replace("_", "-")
    for name in ("README.md", "CHANGELOG.md", "pyproject.toml", f"src/{package}/py.typed", "tests"):
        assert (folder / name).exists(), name
    assert tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT / "packages")))
def test_a_module_has_a_docstring_and_a_telling_name(path: Path) -> None:
    assert path.stem not in {"utils", "util", "common", "shared", "helpers", "misc"}
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), "a module says what it holds"


@pytest.mark.parametrize("path", sorted((ROOT / "packages/pckc-domain/src/pckc_domain/ports").glob("*.py")))
def test_a_port_is_small_and_abstract(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        if not any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases):
            continue
        methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
        is_bundle = all(any(_name(d) == "property" for d in method.decorator_list) for method in methods)
        assert len(methods) <= 5 or is_bundle, f"{node.name} has more than five methods"
        for method in methods:
            assert any(_name(decorator) == "abstractmethod" for decorator in method.decorator_list), method.name
            assert method.args.kwarg is None, "no **kwargs on a port"


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def test_the_lock_names_only_the_public_index() -> None:
    lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    assert "registry" in lock
    for line in lock.splitlines():
        if "://" in line:
            assert "https://pypi.org/" in line or "https://files.pythonhosted.org/" in line, line
