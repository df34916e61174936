"""``grounded import``: compile a draft and put it into n8n, checked on the way and after."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Annotated, Any

import typer

from grounded_builder.cli.environment import UnusableError, Workbench, clear_errors, workbench
from grounded_builder.cli.inputs import Document, decoded, documents
from grounded_builder.cli.output import Format, write_json, write_line
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.diagnostics.render import Judged, as_text
from grounded_builder.diagnostics.report import as_json
from grounded_builder.domains.n8n.admission import Admission, Guard, admit_draft, key_of
from grounded_builder.domains.n8n.client import N8nClient, N8nError, diagnose
from grounded_builder.domains.n8n.importer import ImportResult, import_workflow
from grounded_builder.domains.n8n.job import Order
from grounded_builder.storage.imports import ImportLedger


def import_(
    file: Annotated[str, typer.Argument(help="A draft, or - for standard input.")],
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    key: Annotated[str, typer.Option(help="Repeat with the same key: one workflow.")] = "",
    workflow_id: Annotated[str, typer.Option(help="The workflow to replace.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
    *,
    publish: Annotated[bool, typer.Option(help="Publish it too.")] = False,
) -> None:
    """Correct, compile and import a draft into the n8n of GROUNDED_N8N_URL."""
    bench = workbench("n8n", catalog, "publish" if publish else "import")
    document = next(documents([file]))
    if isinstance(document, OSError):
        raise UnusableError(f"{file}: {document.strerror}")
    settings = bench.store.settings
    if settings.n8n_url is None or settings.n8n_api_key is None:
        raise UnusableError("set GROUNDED_N8N_URL and GROUNDED_N8N_API_KEY to import into n8n")
    draft = decoded(document.raw)
    named = key or key_of(draft if not isinstance(draft, bytes) else draft.hex(), workflow_id)
    with clear_errors(), N8nClient(settings.n8n_url, settings.n8n_api_key) as client:
        admission = _admitted(draft, bench, client, named)
        ledger = ImportLedger(bench.store.engine, settings.n8n_url)
        order = Order(named, publish=publish, workflow_id=workflow_id or None)
        result = import_workflow(admission, client, ledger, order)
    if form is Format.text:
        _tell(document, result)
    else:
        write_json(as_record(result))
    raise typer.Exit(0 if result.outcome == "imported" else 1)


def as_record(result: ImportResult) -> dict[str, Any]:
    """What became of an import, as plain JSON."""
    return {
        "outcome": result.outcome,
        "key": result.key,
        "workflow_id": result.workflow_id,
        "url": result.url,
        "published": result.published,
        "live": result.live,
        "todo": list(result.todo),
        "diagnostics": [as_json(diagnostic) for diagnostic in result.diagnostics],
        "receipt": result.receipt,
    }


def _admitted(draft: Any, bench: Workbench, client: N8nClient, key: str) -> Admission:
    """Compile against the catalog and the credentials that n8n has, if it tells them."""
    try:
        credentials = client.credentials()
    except N8nError as error:
        return Admission(None, None, "wrong", (diagnose(error),))
    secrets = bench.store.secrets()
    guard = Guard(
        bench.registry,
        replace(bench.setting, credentials=credentials, seed=key),
        secrets.signer,
        secrets.instance,
        bench.store.settings.receipt_seconds,
        bench.references,
    )
    return admit_draft(draft, guard, now=time.time())


def _tell(document: Document, result: ImportResult) -> None:
    text = document.raw.decode("utf-8", "replace")
    shown: tuple[Diagnostic, ...] = result.diagnostics
    judged = Judged(document.source, text, "ok" if result.url else "wrong", shown)
    for line in as_text(judged).splitlines()[:-1]:
        write_line(line)
    if result.outcome != "imported":
        write_line(f"{document.source}: {result.outcome}, nothing was left in n8n")
        return
    state = "published" if result.published else "not published"
    write_line(f"{document.source}: imported, {state}: {result.url}")
    for point in result.todo:
        write_line(f"  to do: {point}")
