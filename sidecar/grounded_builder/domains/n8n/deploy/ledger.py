"""Defines the interface of the import ledger (progress, locks), which storage implements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

State = Literal["started", "created", "read-back", "published", "failed", "rolled-back"]


class Entry(Protocol):
    """The progress of an import.

    ``artifact`` is a SHA-256, ``target`` the workflow to replace, ``earlier`` the ids of workflows
    that looked the same before anything was sent (None: not listed yet), ``previous`` the replaced
    version, ``problem`` why an import stopped, ``interrupted`` whether a program left it without an
    end; ``changed_at`` is ISO 8601.
    """

    @property
    def artifact(self) -> str: ...  # noqa: D102 - described above
    @property
    def state(self) -> State: ...  # noqa: D102
    @property
    def target(self) -> str | None: ...  # noqa: D102
    @property
    def workflow_id(self) -> str | None: ...  # noqa: D102
    @property
    def earlier(self) -> tuple[str, ...] | None: ...  # noqa: D102
    @property
    def previous(self) -> Mapping[str, Any] | None: ...  # noqa: D102
    @property
    def problem(self) -> str | None: ...  # noqa: D102
    @property
    def is_interrupted(self) -> bool: ...  # noqa: D102
    @property
    def changed_at(self) -> str: ...  # noqa: D102


class Ledger(Protocol):
    """The rows of one n8n; a claimed row is a lock until it is released."""

    def claim(self, key: str, artifact: str, target: str | None) -> Entry | None:
        """Takes the import of a key; None while another process holds it."""

    def restart(self, key: str, artifact: str, target: str | None) -> Entry:
        """Starts a claimed import from the beginning."""

    def before(
        self, key: str, earlier: tuple[str, ...], previous: Mapping[str, Any] | None
    ) -> Entry:
        """Records the existing workflows before anything is sent."""

    def record_progress(
        self,
        key: str,
        state: State,
        *,
        workflow_id: str | None,
        version_id: str | None = None,
        problem: str | None = None,
    ) -> Entry:
        """Records the progress of a claimed import."""

    def entry(self, key: str) -> Entry | None:
        """Returns the row of a key."""

    def release(self, key: str) -> None:
        """Releases an import."""

    def others(self, key: str) -> frozenset[str]:
        """Returns the workflows that other imports have made."""
