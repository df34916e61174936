"""Serves the route that takes the facts of a MATLAB in pieces and stores them as a catalog."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.domains.simulink.matlab.installed_catalog import FactsError, catalog_of_facts
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.octave_client import always_200, read_shaped
from grounded_builder.interfaces.http.openapi_params import body_of, refusals
from grounded_builder.interfaces.http.schemas.base import Shape
from grounded_builder.interfaces.http.state import State, state_of
from grounded_builder.storage import NoSuchCatalogError
from grounded_builder.storage.catalogs import StoredCatalog
from grounded_builder.storage.chunked_uploads import MOST_PIECES, UploadError, UploadStore

router = APIRouter(tags=["jobs"])

_DOMAIN = "simulink"
_BODY_BYTES = 20_000_000


class PieceBody(Shape):
    """One piece of an upload, counted from 1: whole lines of facts about an installation."""

    upload: str = Field(pattern=r"^[A-Za-z0-9-]{1,64}$")
    number: int = Field(ge=1, le=MOST_PIECES)
    total: int = Field(ge=1, le=MOST_PIECES)
    lines: str


class PieceAnswer(Shape):
    """The missing pieces, at most a hundred; the environment's fingerprint when none is missing."""

    ok: Literal[True]
    missing: list[int]
    environment: str
    blocks: int


@router.post(
    "/v1/simulink/catalog/pieces",
    openapi_extra=body_of(PieceBody),
    response_model=PieceAnswer,
    responses=refusals(409, 413),
)
async def take_piece(request: Request) -> Response:
    """Take a piece; the last one makes an environment, which is stored but not activated."""

    async def work() -> dict[str, Any]:
        piece = await read_shaped(request, PieceBody, _BODY_BYTES)
        return await asyncio.to_thread(_take, state_of(request), piece)

    return await always_200(request, "admin", work, {"missing": [], "environment": "", "blocks": 0})


def _take(state: State, piece: PieceBody) -> dict[str, Any]:
    box = UploadStore(state.store.engine, state.settings.bounds.file_bytes)
    try:
        upload = box.put(piece.upload, piece.number, piece.total, piece.lines.encode())
        known = _environment(state, upload.result)
        if upload.result is not None and known is None:
            # The environment was removed since: the upload starts again.
            box.drop(piece.upload)
            upload = box.put(piece.upload, piece.number, piece.total, piece.lines.encode())
    except UploadError as error:
        raise ApiError(HTTPStatus.CONFLICT, "other-piece", str(error), error.help) from error
    if known is not None:
        return known
    if upload.missing:
        return {"missing": list(upload.missing), "environment": "", "blocks": 0}
    return _join(box, state, piece.upload)


def _join(box: UploadStore, state: State, upload: str) -> dict[str, Any]:
    facts = box.join(upload)
    if facts is None:  # another sender finished it first
        known = _environment(state, box.find_result(upload))
        return known or {"missing": [1], "environment": "", "blocks": 0}
    try:
        loaded = state.store.load_catalog(catalog_of_facts(facts), _DOMAIN, reference=True)
    except (FactsError, CatalogError) as error:
        box.drop(upload)
        message, help_text = str(error)[:2_000], "run grounded.sync again"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-catalog", message, help_text) from error
    box.finish(upload, loaded.fingerprint)
    return _answer_for(loaded.catalog)


def _environment(state: State, fingerprint: str | None) -> dict[str, Any] | None:
    """Returns the environment of this fingerprint; None where it is no longer stored."""
    if fingerprint is None:
        return None
    try:
        return _answer_for(state.store.catalog(fingerprint))
    except NoSuchCatalogError:
        return None


def _answer_for(stored: StoredCatalog) -> dict[str, Any]:
    return {"missing": [], "environment": stored.fingerprint, "blocks": stored.tools}
