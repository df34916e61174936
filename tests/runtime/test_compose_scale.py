"""The profile `scale` of the compose file, as Docker Compose itself reads it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from runtime.paths import ROOT
from tests.support.time_bounds import PATIENCE_S

_COMPOSE = Path(str(files("compose"))) / "docker-compose"
_SECRETS = {
    "N8N_ENCRYPTION_KEY": "key",
    "N8N_OWNER_EMAIL": "owner@example.org",
    "N8N_OWNER_PASSWORD": "Secret-123",
    "POSTGRES_PASSWORD": "secret",
}
_WANTED = ("gateway", "scale-sync")


@pytest.fixture(scope="module")
def started_services() -> dict[str, Any]:
    """The services that the documented command starts: the two it names, and what they need."""
    done = subprocess.run(
        [
            *(str(_COMPOSE), "--project-directory", str(ROOT), "--env-file", os.devnull),
            *("-f", str(ROOT / "docker-compose.yml"), "--profile", "scale"),
            *("config", "--format", "json"),
        ],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **_SECRETS},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    services: dict[str, Any] = json.loads(done.stdout)["services"]
    names, rest = set[str](), list(_WANTED)
    while rest:
        name = rest.pop()
        if name not in names:
            names.add(name)
            rest += services[name].get("depends_on", {})
    return {name: services[name] for name in names}


def test_all_processes_are_there(started_services: dict[str, Any]) -> None:
    """n8n's three kinds, what they share, replicas and what stands before them; no single one."""
    n8n = {"n8n-main", "n8n-worker", "n8n-webhook", "redis"}
    assert set(started_services) == n8n | {"postgres", "replica", *_WANTED}
    several = {
        name
        for name, item in started_services.items()
        if item.get("deploy", {}).get("replicas", 1) > 1
    }
    assert several == {"replica", "n8n-worker", "n8n-webhook"}
    assert started_services["n8n-worker"]["command"] == ["worker"]
    assert started_services["n8n-webhook"]["command"] == ["webhook"]
    assert 'bin/n8n" "${1:-start}"' in (ROOT / "docker" / "n8n-entry.sh").read_text()


def test_n8n_agrees_with_itself(started_services: dict[str, Any]) -> None:
    """Its processes have one key, one database and one queue."""
    shared = (
        "N8N_ENCRYPTION_KEY",
        "DB_POSTGRESDB_HOST",
        "QUEUE_BULL_REDIS_HOST",
        "EXECUTIONS_MODE",
    )
    facts = {
        tuple(item["environment"][name] for name in shared)
        for name, item in started_services.items()
        if name.startswith("n8n-")
    }
    assert facts == {("key", "postgres", "redis", "queue")}
    assert "CREATE DATABASE n8n;" in (ROOT / "docker" / "postgres-databases.sql").read_text()


def test_only_the_gateway_is_published_and_on_loopback(started_services: dict[str, Any]) -> None:
    """Replicas and n8n are reached through it alone."""
    ports = {name: item["ports"] for name, item in started_services.items() if item.get("ports")}
    assert set(ports) == {"gateway"}
    assert {port["host_ip"] for port in ports["gateway"]} == {"127.0.0.1"}


def test_scaled_services_have_limits_and_no_root(started_services: dict[str, Any]) -> None:
    """Users, capabilities, memory and health are stated for each."""
    for name, item in started_services.items():
        assert item["user"].split(":")[0] not in ("", "0", "root"), name
        assert item["cap_drop"] == ["ALL"], name
        assert item["security_opt"] == ["no-new-privileges:true"], name
        assert int(item["mem_limit"]) > 0, name
        assert ("healthcheck" in item) == (name != "scale-sync"), name
        for waited in item.get("depends_on", {}).values():
            assert waited["condition"] == "service_healthy", name


def test_the_gateway_receives_all_that_its_configuration_asks(
    started_services: dict[str, Any],
) -> None:
    """Every name of the template has a value, and nginx's own variables are left alone."""
    template = (ROOT / "docker" / "nginx.conf.template").read_text()
    environment = started_services["gateway"]["environment"]
    names = set(re.findall(r"\$\{(\w+)\}", template))
    assert names <= set(environment)
    # The config command shows a dollar sign doubled.
    chosen = re.compile(environment["NGINX_ENVSUBST_FILTER"].replace("$$", "$"))
    assert all(chosen.match(name) for name in names)
