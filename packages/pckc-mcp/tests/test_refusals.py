"""What people type wrong is refused with what to do about it."""

import json
from pathlib import Path
from typing import Any

import pytest
from pckc_domain.errors import ConfigurationError, InvalidInputError, NotFoundError
from pckc_mcp import stores
from pckc_mcp.cli.main import run
from pckc_mcp.cli.parser import build_parser
from pckc_mcp.config import load_config


def test_the_folder_of_an_archive_must_exist(tmp_path: Path) -> None:
    unasked: Any = None
    with pytest.raises(NotFoundError, match="no folder") as refused:
        stores.write_archive(unasked, [], tmp_path / "missing" / "a.pckc", lambda _: None, is_packed=False)
    assert "make it" in refused.value.remedy


def test_a_folder_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="is a folder") as refused:
        stores.check_file(tmp_path)
    assert "backup" in refused.value.remedy


def test_a_number_out_of_range_is_told_the_range(project: Path) -> None:
    (project / "pckc.toml").write_text("[retention]\ncandidate_days = 0\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="candidate_days") as refused:
        load_config(project)
    assert refused.value.remedy == "candidate_days: 1 or more"


@pytest.mark.parametrize(
    "arguments", [["watch", "--poll", "abc"], ["serve", "--port", "abc"], ["watch", "--poll", "0"]]
)
def test_a_number_is_asked_for_in_words(arguments: list[str]) -> None:
    with pytest.raises(InvalidInputError, match="must be") as refused:
        build_parser().parse_args(arguments)
    assert "_" not in refused.value.message


@pytest.mark.parametrize("option", [["--port", "8731"], ["--host", "127.0.0.1"]])
def test_an_address_without_http_is_told_so(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", *option]) == 2
    assert "--http" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a b/../c", "", " ", "../x", "-x", "x.", "a\nb", "x" * 101, 5])
@pytest.mark.parametrize("text", ["tenant = {}\n", '[[http.access]]\nvariable = "X"\ntenant = {}\n'])
def test_a_tenant_is_a_name(project: Path, text: str, name: object) -> None:
    (project / "pckc.toml").write_text(text.format(json.dumps(name)), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="tenant") as refused:
        load_config(project, {})
    assert refused.value.remedy


@pytest.mark.parametrize("name", ["local", "team-a", "Команда_1", "ada@example.org", "x" * 100])
def test_names_that_tenants_have(project: Path, name: str) -> None:
    (project / "pckc.toml").write_text(
        f'tenant = "{name}"\n[[http.access]]\nvariable = "X"\ntenant = "{name}"\n', encoding="utf-8"
    )
    config = load_config(project, {})
    assert (config.tenant, config.http.access[0].tenant) == (name, name)
    assert load_config(project, {"PCKC_TENANT": f"{name[:99]}1"}).tenant == f"{name[:99]}1"
    with pytest.raises(ConfigurationError):
        load_config(project, {"PCKC_TENANT": f"{name}/"})


@pytest.mark.parametrize("tenants", ['"team"', "7", '["a", "b/../c"]', '["a", ""]', "[5]", '[["a"]]', "{a = 1}"])
@pytest.mark.parametrize("slot", ["canonical", "vector"])
def test_tenants_are_a_list_of_names(project: Path, slot: str, tenants: str) -> None:
    (project / "pckc.toml").write_text(f'[{slot}]\nbackend = "postgres"\ntenants = {tenants}\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match="tenant") as refused:
        load_config(project, {})
    assert slot in refused.value.message
    assert "team-a" in refused.value.remedy


def test_a_list_of_tenants_is_taken_as_it_is(project: Path) -> None:
    (project / "pckc.toml").write_text(
        '[canonical]\nbackend = "postgres"\ntenants = ["a", "Команда_1"]\n', encoding="utf-8"
    )
    assert load_config(project, {}).slots["canonical"].settings["tenants"] == ["a", "Команда_1"]


@pytest.mark.parametrize("arguments", [["--json", "stats"], ["--store", "x", "stats"], ["--project=x", "stats"]])
def test_an_option_before_the_command_is_told_its_place(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert "after the command" in capsys.readouterr().err
