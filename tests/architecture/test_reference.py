"""The reference and the example configuration say what the code does."""

import importlib.util
import tomllib
from pathlib import Path
from typing import Any

import attrs
from pckc_domain.policy.scoring import PassageWeights
from pckc_mcp.config import TABLES, load_config

ROOT = Path(__file__).parents[2]


def _script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert written == _script("reference").reference(), "run `python scripts/reference.py --write`"


def test_every_record_of_an_archive_is_described() -> None:
    written = (ROOT / "docs" / "archive.md").read_text(encoding="utf-8")
    assert written == _script("archive_records").page(), "run `python scripts/archive_records.py --write`"


def test_the_example_configuration_is_accepted_and_holds_the_defaults(tmp_path: Path) -> None:
    example = (ROOT / "pckc.example.toml").read_text(encoding="utf-8")
    assert tomllib.loads(example)
    (tmp_path / "pckc.toml").write_text(example, encoding="utf-8")
    config = load_config(tmp_path, {})
    default = load_config(tmp_path / "elsewhere", {})
    assert config.search == default.search
    listed = tomllib.loads(example)
    assert listed["search"]["weights"].keys() == {field.name for field in attrs.fields(PassageWeights)}
    for name, kind in TABLES.items():
        assert listed[name].keys() >= {field.name for field in attrs.fields(kind)} - {"access"}, name
    assert {name: slot.backend for name, slot in config.slots.items()} == {
        name: slot.backend for name, slot in default.slots.items()
    }
