from __future__ import annotations

from pathlib import Path

import pytest

from grounded_builder.domains.known import read_settings
from grounded_builder.settings import SettingsError


def test_unset_settings_have_safe_defaults(tmp_path: Path) -> None:
    """Without variables the sidecar listens on loopback, uses SQLite and calls no other host."""
    settings = read_settings({"GROUNDED_STATE": str(tmp_path)})
    assert settings.host == "127.0.0.1"
    assert settings.port == 8377
    assert settings.database_url == f"sqlite:///{tmp_path}/grounded.db"
    assert settings.n8n_url is None
    assert not settings.policy.allow_host_access


def test_the_state_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A named folder wins, then a `.state` folder right here, then the folder of the user."""
    monkeypatch.chdir(tmp_path)
    assert "grounded-builder" in str(read_settings({}).state)
    (tmp_path / ".state").mkdir()
    assert read_settings({}).state == tmp_path / ".state"
    assert read_settings({"GROUNDED_STATE": "elsewhere"}).state == tmp_path / "elsewhere"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GROUNDED_PORT", "http"),
        ("GROUNDED_REHEARSAL_PACKAGES", "/nowhere"),
        ("GROUNDED_PORT", "70000"),
        ("GROUNDED_WORKERS", "0"),
        ("GROUNDED_DRAFT_DEPTH", "9999"),
        ("GROUNDED_ALLOW_HOST_ACCESS", "perhaps"),
        ("GROUNDED_N8N_URL", "localhost:5678"),
        ("GROUNDED_N8N_URL", "ftp://host"),
        ("GROUNDED_N8N_URL", "http://me:secret@host"),
        ("GROUNDED_N8N_URL", "http://host/?x=1"),
    ],
)
def test_a_bad_variable_is_named(name: str, value: str) -> None:
    """A value that cannot be used is refused with the name of its variable, not with a secret."""
    with pytest.raises(SettingsError, match=name) as caught:
        read_settings({name: value})
    assert "secret" not in str(caught.value)


def test_secrets_do_not_show() -> None:
    """Printing settings gives no secret away."""
    settings = read_settings(
        {
            "GROUNDED_STATE": "s",
            "GROUNDED_N8N_API_KEY": "hush-1",
            "GROUNDED_RECEIPT_KEY": "hush-2",
            "GROUNDED_DATABASE_URL": "postgresql://me:hush-3@db/x",
        }
    )
    assert "hush" not in repr(settings)
