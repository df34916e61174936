"""Runs imports as the command line and the server do, each with a separate state."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.receipt import Receipt, ReceiptClaims, make_receipt
from grounded_builder.domains.n8n.deploy.import_workflow import ImportResult
from grounded_builder.ir.options import Policy
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.import_workflow import WorkflowImport, run_import
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage.imports import ImportLedger
from grounded_builder.storage.store import Store
from runtime.n8n_server import N8nServer


class Desk:
    """Imports into an n8n, by default the real one; ``url`` may be a proxy in front of it.

    Test servers run on this machine, so by default their addresses need no approval.
    """

    def __init__(
        self,
        state: Path,
        server: N8nServer,
        registry: Registry,
        url: str | None = None,
        policy: Policy | None = None,
    ) -> None:
        self.settings = Settings(
            state=state,
            database_url=sqlite_url(state),
            n8n_url=url or server.url,
            n8n_api_key=server.api_key,
            policy=Policy(opened=("local-address",)) if policy is None else policy,
        )
        self.registry = registry
        self.store: Store = open_domains_store(self.settings)

    def draft(self, content: Any, **options: Any) -> ImportResult:
        """Imports a draft."""
        return self._perform(WorkflowImport(content, **options))

    def artifact(self, content: Any, receipt: Any, **options: Any) -> ImportResult:
        """Imports an artifact with the given receipt."""
        return self._perform(WorkflowImport(content, receipt=receipt, signed=True, **options))

    def receipt(self, artifact: Any, *, catalog: str = "", age_s: float = 0) -> Receipt:
        """Returns a receipt as ``build`` issues it."""
        secrets = self.store.secrets()
        terms = ReceiptClaims(
            catalog or self.registry.fingerprint, self.settings.policy.hash, secrets.instance
        )
        return make_receipt(
            artifact, "ok", terms, secrets.signer, now=time.time() - age_s, lifetime_s=3600
        )

    def ledger(self) -> ImportLedger:
        """Returns the import ledger, as another program sees it."""
        return ImportLedger(self.store.engine, self.settings.n8n_url or "")

    def at(self, url: str) -> Desk:
        """Returns a desk with the same state and secrets, and another address of n8n."""
        return self._with(replace(self.settings, n8n_url=url))

    def with_login(self, email: str, password: str) -> Desk:
        """Returns a desk with the same state and secrets that may log in to n8n."""
        return self._with(replace(self.settings, n8n_email=email, n8n_password=password))

    def with_shared_lists(self) -> Desk:
        """Returns a desk that may show entries of lists to a model."""
        return self._with(replace(self.settings, share_lists=True))

    def _with(self, settings: Settings) -> Desk:
        other = object.__new__(Desk)
        other.settings = settings
        other.registry = self.registry
        other.store = Store(settings, self.store.engine, {})
        return other

    def _perform(self, request: WorkflowImport) -> ImportResult:
        return run_import(request, self.store, self.registry, tuple)


def codes_of(result: ImportResult) -> set[str]:
    """Returns the codes of all findings."""
    return {diagnostic.code for diagnostic in result.diagnostics}
