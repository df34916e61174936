"""Serves the route that imports a built workflow, or compiles and imports a draft, into n8n."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field
from starlette.responses import Response

from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import body_of, refusals, switches_of
from grounded_builder.interfaces.http.request_body import (
    WORKFLOW,
    as_shape,
    decode_body,
    encode_json,
    read_body,
)
from grounded_builder.interfaces.http.schemas.base import Shape
from grounded_builder.interfaces.http.schemas.bodies import (
    DiagnosticShape,
    PolicyBody,
    ReceiptShape,
)
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.services.import_workflow import WorkflowImport, result_json, run_import

router = APIRouter(tags=["import"])

_Approval = Annotated[str, Field(min_length=1, max_length=1_000)]


class ImportRequest(Shape):
    """Either `workflow` with the `receipt` that it was built with, or a `draft` to compile first.

    Requests with the same `key` make one workflow; without a key, equal content is the same import.
    """

    workflow: dict[str, Any] | None = None
    receipt: Any = Field(None, description="The artifact of `build`, unchanged.")
    draft: Any = Field(None, description="A document, or text that holds one.")
    key: str = Field("", max_length=200)
    publish: bool = Field(False, description="Publish when nothing is missing.")
    workflow_id: str | None = Field(
        None, min_length=1, max_length=64, description="A workflow in n8n to replace."
    )
    lists: bool = Field(
        True, description="Look up names in the lists of the account, if there is a login."
    )
    policy: PolicyBody | None = None
    approve: list[_Approval] = Field(
        [],
        max_length=500,
        description="The findings that a person approved, each as CODE/NODE@DIGEST.",
    )


class Import(BaseModel):
    """The result of an import; a refused or failed one left nothing behind, or reports it.

    `published`: n8n runs this version. `live`: its triggers run. `todo`: what a person has to
    supply.
    """

    outcome: Literal["imported", "refused", "failed"]
    key: str
    workflow_id: str | None
    url: str | None
    published: bool
    live: bool | None
    diagnostics: list[DiagnosticShape]
    errors: list[dict[str, Any]]
    todo: list[str]
    receipt: ReceiptShape | None


@router.post(
    "/v1/n8n/import",
    response_model=Import,
    responses=refusals(409, 413),
    openapi_extra=body_of(ImportRequest),
    dependencies=[requires("import", "waiting")],
)
async def import_(request: HttpRequest) -> Response:
    """Import a workflow into n8n: checked, read back, and published if asked."""
    state = state_of(request)
    registry = state.registry("n8n")
    raw = await read_body(request, state.settings.body_bytes)
    body = await decode_body(raw, WORKFLOW)
    order = _order(body, len(raw))
    store = state.store.narrow(switches_of(body.get("policy")))
    facts = (order, store, registry, state.references("n8n"), state.compiler)

    def import_document() -> tuple[str, bytes]:
        result = run_import(*facts)
        return result.outcome, encode_json(result_json(result))

    outcome, content = await state.imports.run(import_document)
    state.counts[f"import:n8n:{outcome}"] += 1
    return Response(content, media_type="application/json")


def _order(body: dict[str, Any], size: int) -> WorkflowImport:
    present = [key for key in ("workflow", "draft") if body.get(key) is not None]
    if len(present) != 1:
        reason = "both workflow and draft" if present else "neither workflow nor draft"
        message = f"the body has {reason}: exactly one is expected"
        hint = 'send {"workflow": {...}, "receipt": {...}} or {"draft": ...}'
        raise ApiError(HTTPStatus.BAD_REQUEST, "no-draft", message, hint)
    content = body[present[0]]
    # The content itself is checked by the compiler.
    asked = as_shape({**body, present[0]: {}}, ImportRequest)
    return WorkflowImport(
        content,
        receipt=asked.receipt,
        signed=present[0] == "workflow",
        key=asked.key,
        publish=asked.publish,
        workflow_id=asked.workflow_id,
        approvals=tuple(asked.approve),
        lists=asked.lists,
        size=size,
    )
