"""Serves the routes that load, show, list, compare and activate catalogs."""

from __future__ import annotations

import asyncio
import dataclasses
import tempfile
from http import HTTPStatus
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import body_of, file_body, refusals
from grounded_builder.interfaces.http.request_body import json_answer, read_file, read_object
from grounded_builder.interfaces.http.schemas import catalog as catalog_shapes
from grounded_builder.interfaces.http.state import State, state_of
from grounded_builder.ir.domain import Domain, convert_catalog
from grounded_builder.storage import Loaded
from grounded_builder.storage.errors import translate_errors

router = APIRouter(tags=["catalog"])

_SMALL_BODY = 10_000


@router.put(
    "/v1/{domain}/catalog",
    response_model=catalog_shapes.LoadedShape,
    responses=refusals(413, 507),
    openapi_extra=file_body("application/x-ndjson"),
    dependencies=[requires("admin")],
)
async def load_catalog(
    domain: str,
    request: Request,
    reference: Annotated[bool, Query(description="Store it for comparison only.")] = False,
) -> Response:
    """Load a catalog file and make it the active one; whole or not at all."""
    state = state_of(request)
    known = state.domain(domain)
    with translate_errors(), tempfile.TemporaryFile(dir=state.settings.state) as file:
        await read_file(request, state.settings.bounds.file_bytes, file)
        file.seek(0)
        loaded = await asyncio.to_thread(_load, state, known, file, reference=reference)
    await asyncio.to_thread(state.refresh)
    return json_answer(_loaded_json(loaded))


@router.get(
    "/v1/{domain}/catalog",
    response_model=catalog_shapes.CatalogShape,
    responses=refusals(409),
    dependencies=[requires("validate")],
)
async def show_catalog(domain: str, request: Request) -> Response:
    """The active catalog."""
    state = state_of(request)
    fingerprint = state.registry(domain).fingerprint
    stored = await asyncio.to_thread(state.store.catalog, fingerprint)
    return json_answer(dataclasses.asdict(stored))


@router.get(
    "/v1/{domain}/catalogs",
    response_model=catalog_shapes.Catalogs,
    responses=refusals(),
    dependencies=[requires("validate")],
)
async def list_catalogs(domain: str, request: Request) -> Response:
    """The stored catalogs, most recently loaded or used first."""
    state = state_of(request)
    state.domain(domain)
    listed = await asyncio.to_thread(state.store.catalogs, domain)
    return json_answer({"catalogs": [dataclasses.asdict(stored) for stored in listed]})


@router.get(
    "/v1/{domain}/catalog/diff",
    response_model=catalog_shapes.DiffShape,
    responses=refusals(),
    dependencies=[requires("validate")],
)
async def compare_catalogs(
    domain: str,
    request: Request,
    old: Annotated[str, Query(description="Fingerprint of the older catalog.", max_length=64)],
    new: Annotated[str, Query(description="Fingerprint of the newer catalog.", max_length=64)],
) -> Response:
    """The changes between two stored catalogs."""
    state = state_of(request)
    state.domain(domain)
    catalog_diff = await asyncio.to_thread(state.store.diff, old, new)
    return json_answer(dataclasses.asdict(catalog_diff))


@router.post(
    "/v1/{domain}/catalog/use",
    response_model=catalog_shapes.CatalogShape,
    responses=refusals(413),
    openapi_extra=body_of(catalog_shapes.UseBody),
    dependencies=[requires("admin")],
)
async def use_catalog(domain: str, request: Request) -> Response:
    """Make a stored catalog the active one, for example the one before."""
    state = state_of(request)
    state.domain(domain)
    body = await read_object(request, _SMALL_BODY, 'send {"fingerprint": "..."}')
    fingerprint = body.get("fingerprint")
    if not isinstance(fingerprint, str):
        message = "fingerprint is not a text"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/fingerprint")
    used = await asyncio.to_thread(state.store.use, domain, fingerprint)
    await asyncio.to_thread(state.refresh)
    return json_answer(dataclasses.asdict(used))


def _load(state: State, domain: Domain, file: BinaryIO, *, reference: bool) -> Loaded:
    source = convert_catalog(file, domain)
    return state.store.load_catalog(source, domain.name, reference=reference)


def _loaded_json(loaded: Loaded) -> dict[str, Any]:
    return {
        "fingerprint": loaded.fingerprint,
        "is_new": loaded.is_new,
        "added": len(loaded.diff.added),
        "changed": len(loaded.diff.changed),
        "removed": len(loaded.diff.removed),
        "catalog": dataclasses.asdict(loaded.catalog),
    }
