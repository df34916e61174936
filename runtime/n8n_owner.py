"""Creates the owner and an API key of a running n8n through the routes of its editor."""

from __future__ import annotations

import subprocess
import time
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests

from runtime import paths
from runtime.secret_files import made_once, write_secret

EMAIL = "owner@grounded.local"
_LABEL = "grounded-builder"
_TIMEOUT_S = 60
_CALLED = ("workflow", "credential", "execution")
# n8n requires a digit and a capital letter in a password.
_PASSWORD_PREFIX = "Gb1-"  # noqa: S105 the random part follows it


def owner_password(state: Path) -> str:
    """Returns the owner's password, and creates it on first use."""
    return made_once(state / "n8n-password", _PASSWORD_PREFIX)


def password_hash(password: str) -> str:
    """Hashes with n8n's own bcryptjs; passes the password by stdin, never on a command line."""
    done = subprocess.run(
        [str(paths.node()), str(paths.ROOT / "runtime" / "bcrypt.cjs"), str(paths.n8n_home())],
        input=password,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def api_key(url: str, email: str, password: str, file: Path) -> str:
    """Returns a key for n8n's public API: the stored one if n8n accepts it, otherwise a new one."""
    if file.exists():
        key = file.read_text()
        if _accepts_key(url, key):
            return key
    with requests.Session() as http:
        _login(http, url, email, password)
        key = _create_key(http, url)
    write_secret(file, key)
    return key


def _accepts_key(url: str, key: str) -> bool:
    """Returns whether n8n accepts the key for all routes in use; old keys read no executions."""
    return all(
        requests.get(
            f"{url}/api/v1/{listed}",
            params={"limit": 1},
            headers={"X-N8N-API-KEY": key},
            timeout=_TIMEOUT_S,
        ).status_code
        == HTTPStatus.OK
        for listed in ("workflows", "executions")
    )


def _login(http: requests.Session, url: str, email: str, password: str) -> None:
    answer = http.post(
        f"{url}/rest/login",
        json={"emailOrLdapLoginId": email, "password": password},
        timeout=_TIMEOUT_S,
    )
    _expect_ok(answer, f"log in to n8n at {url} as {email}")


def _create_key(http: requests.Session, url: str) -> str:
    scopes = http.get(f"{url}/rest/api-keys/scopes", timeout=_TIMEOUT_S)
    _expect_ok(scopes, "ask n8n for the scopes of API keys")
    wanted = [s for s in scopes.json()["data"] if s.split(":")[0] in _CALLED]
    made = http.post(
        f"{url}/rest/api-keys",
        # Labels are unique: a key whose file was lost remains listed under its own date.
        json={"label": f"{_LABEL} {int(time.time())}", "expiresAt": None, "scopes": wanted},
        timeout=_TIMEOUT_S,
    )
    _expect_ok(made, "make an API key in n8n")
    body: dict[str, Any] = made.json()
    return str(body["data"]["rawApiKey"])


def _expect_ok(answer: requests.Response, what: str) -> None:
    if not answer.ok:
        raise SystemExit(f"could not {what}: {answer.status_code} {answer.text[:300]}")
