"""compose.yaml holds what docs/server.md promises: pinned images, health checks, volumes, loopback, no secrets."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # comes with chromadb, without types

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SERVER_GUIDE = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")


def test_every_engine_is_there() -> None:
    assert SERVICES.keys() == {"postgres", "qdrant", "memgraph", "chroma", "ollama"}


@pytest.mark.parametrize("name", SERVICES)
class TestService:
    """What holds for each."""

    def test_the_image_is_pinned(self, name: str) -> None:
        tag = SERVICES[name]["image"].rpartition(":")[2]
        assert re.fullmatch(r"v?\d+\.\d+\.\d+(-\w+)?(@sha256:[0-9a-f]{64})?", tag), tag

    def test_its_health_is_checked(self, name: str) -> None:
        check = SERVICES[name]["healthcheck"]
        assert check["test"][0] in ("CMD", "CMD-SHELL")
        assert {"interval", "timeout", "retries", "start_period"} <= check.keys()

    def test_its_data_outlives_it(self, name: str) -> None:
        volumes = [volume.partition(":")[0] for volume in SERVICES[name]["volumes"]]
        assert volumes == [name]
        assert name in COMPOSE["volumes"]

    def test_it_listens_on_loopback_alone(self, name: str) -> None:
        assert SERVICES[name]["ports"]
        assert all(port.startswith("127.0.0.1:") for port in SERVICES[name]["ports"])
        assert SERVICES[name].get("network_mode") != "host"

    def test_secrets_come_from_variables(self, name: str) -> None:
        for key, value in SERVICES[name].get("environment", {}).items():
            if re.search(r"PASSWORD|KEY|TOKEN|SECRET", key):
                assert re.fullmatch(r"\$\{\w+:\?[^}]+\}", value), key

    def test_it_is_documented(self, name: str) -> None:
        assert f"`{name}`" in SERVER_GUIDE


def test_every_variable_is_documented() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    variables = set(re.findall(r"\$\{(\w+)", text))
    assert variables
    assert [name for name in sorted(variables) if name not in SERVER_GUIDE] == []
