"""Serves the routes that list names and proposals, and record decisions about names."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import body_of, refusals
from grounded_builder.interfaces.http.request_body import (
    as_shape,
    fields_of,
    json_answer,
    read_object,
)
from grounded_builder.interfaces.http.schemas.base import (
    Shape,
    with_fields_of,
)
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.services import aliases
from grounded_builder.services.alias_impact import ResolutionChange
from grounded_builder.services.alias_proposals import LEAST, OFTEN, Proposal
from grounded_builder.storage import StorageError, Token
from grounded_builder.storage.aliases import Decision, Verb
from grounded_builder.storage.name_stats import NameCount

router = APIRouter(tags=["aliases"])

_SMALL_BODY = 400_000
_VERBS: dict[str, Verb] = {
    "accept": "alias",
    "refuse": "none",
    "reject": "rejected",
    "drop": "dropped",
}
_STATUS = {
    "no-catalog": HTTPStatus.CONFLICT,
    "exact-name": HTTPStatus.CONFLICT,
    "changes-names": HTTPStatus.CONFLICT,
    "decided-meanwhile": HTTPStatus.CONFLICT,
    "unknown-alias": HTTPStatus.NOT_FOUND,
}


class AliasBody(Shape):
    """A decision about a name.

    `accept`: it means `tool`. `refuse`: there is no such tool, and optionally `instead` names the
    one to use. `reject`: do not propose it again. `drop`: remove the decision. `preview` only
    reports what would change; `override` decides even where other names change meaning.
    """

    domain: str = Field("n8n", max_length=64)
    name: str
    action: Literal["accept", "refuse", "reject", "drop"]
    tool: str | None = None
    instead: str | None = None
    preview: bool = False
    override: bool = False


@with_fields_of(Decision)
class DecisionShape(Shape):
    """A decision in force: `alias`, `none` (no such tool) or `rejected` (as a proposal)."""


class ListedShape(DecisionShape):
    """A decision with the reason why it has no effect now, such as a removed tool."""

    dormant: str | None


@with_fields_of(Proposal)
class ProposalShape(Shape):
    """A proposed decision; without `tool`: that there is no such tool."""


class Aliases(Shape):
    """The decisions, proposals and counts of names that are not a tool's own."""

    aliases: list[ListedShape]
    proposals: list[ProposalShape]
    counts: list[NameCount]


@with_fields_of(ResolutionChange)
class ChangeShape(Shape):
    """A name that resolves differently under a decision, and the runs that contain it."""


@with_fields_of(aliases.DecisionResult)
class Decided(Shape):
    """The result of a decision; `taken` is false for a preview."""

    decision: DecisionShape
    changes: list[ChangeShape]


@router.get(
    "/v1/aliases",
    response_model=Aliases,
    responses=refusals(409),
    dependencies=[requires("draft")],
)
async def list_aliases(
    request: Request,
    domain: Annotated[str, Query(max_length=64)] = "n8n",
    limit: Annotated[int, Query(ge=0, le=1_000, description="Maximum number of names.")] = 100,
    least: Annotated[
        int, Query(ge=1, le=1_000, description="Minimum number of runs that corrected a name.")
    ] = LEAST,
    often: Annotated[
        int, Query(ge=1, le=1_000_000, description="Minimum number of times a name was unknown.")
    ] = OFTEN,
) -> Response:
    """Decisions in force, proposals with their evidence, and the most frequent names."""
    state = state_of(request)
    known = state.domain(domain)

    def read() -> dict[str, Any]:
        store = state.store
        with contextlib.suppress(StorageError):
            # Counts that cannot be written now are read later.
            state.flush()
        proposals = aliases.list_proposals(store, known, least=least, often=often)
        return {
            "aliases": aliases.list_names(store, known),
            "proposals": [dataclasses.asdict(proposal) for proposal in proposals],
            "counts": aliases.count_names(store, known, limit),
        }

    return json_answer(await _run(read))


@router.post(
    "/v1/aliases",
    response_model=Decided,
    responses=refusals(409, 413),
    openapi_extra=body_of(AliasBody),
)
async def decide_alias(request: Request, token: Annotated[Token, requires("admin")]) -> Response:
    """Decide about a name; refused where it would change a tool's own name."""
    state = state_of(request)
    body = await read_object(request, _SMALL_BODY, fields_of(AliasBody))
    asked = as_shape(body, AliasBody)
    known = state.domain(asked.domain)
    accepts = asked.action == "accept"
    wish = aliases.AliasDecisionRequest(
        name=asked.name,
        verb=_VERBS[asked.action],
        tool=asked.tool if accepts else None,
        instead=asked.instead if asked.action == "refuse" else None,
        by=token.label,
        preview=asked.preview,
        override=asked.override,
    )
    made = await _run(lambda: aliases.decide(state.store, known, wish).as_json())
    await asyncio.to_thread(state.refresh)
    return json_answer(made)


async def _run(work: Any) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = await asyncio.to_thread(work)
    except aliases.AliasError as error:
        status = _STATUS.get(error.code, HTTPStatus.BAD_REQUEST)
        raise ApiError(status, error.code, str(error), error.help) from error
    return answer
