"""Defines API errors and their JSON shape, and installs the handlers that convert exceptions."""

from __future__ import annotations

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.interfaces.http.client_capabilities import is_plain
from grounded_builder.interfaces.http.schemas.base import fault_message
from grounded_builder.redaction.own_secrets import remove_own_secrets
from grounded_builder.services.isolation.bounds import CompileLimitError, Excess
from grounded_builder.storage import DiskFullError, NoSuchCatalogError, StorageError

_LOG = logging.getLogger("grounded_builder.interfaces.http")

_LIMITS: dict[Excess, HTTPStatus] = {
    "busy": HTTPStatus.TOO_MANY_REQUESTS,
    "deadline-exceeded": HTTPStatus.SERVICE_UNAVAILABLE,
    "memory-exceeded": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "ended": HTTPStatus.SERVICE_UNAVAILABLE,
}


class ApiError(Exception):
    """A request that cannot be served; ``at`` is the place of the fault in it.

    ``retry_after`` is the number of seconds after which to retry, where that helps.
    """

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        message: str,
        help_text: str = "",
        *,
        at: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.help = help_text
        self.at = at
        self.retry_after = retry_after


def install(app: FastAPI) -> None:
    """Registers handlers that turn every exception into the error shape."""

    @app.exception_handler(ApiError)
    async def _handle_api_error(request: Request, error: ApiError) -> JSONResponse:
        return _respond(request, error)

    @app.exception_handler(CompileLimitError)
    async def _handle_compile_limit(request: Request, error: CompileLimitError) -> JSONResponse:
        _LOG.warning("%s: %s", error.code, error)
        facts = (_LIMITS[error.code], error.code, str(error), error.help)
        return _respond(request, ApiError(*facts, retry_after=error.retry_after))

    @app.exception_handler(StorageError)
    async def _handle_storage(request: Request, error: StorageError) -> JSONResponse:
        _LOG.warning("%s: %s", error.code, error)
        full = isinstance(error, DiskFullError)
        status = HTTPStatus.INSUFFICIENT_STORAGE if full else HTTPStatus.SERVICE_UNAVAILABLE
        return _respond(
            request,
            ApiError(status, error.code, str(error), error.help, retry_after=error.retry_after_s),
        )

    @app.exception_handler(CatalogError)
    async def _handle_catalog(request: Request, error: CatalogError) -> JSONResponse:
        line = next((problem.line for problem in error.problems if problem.line), None)
        at = None if line is None else f"line {line}"
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _respond(request, ApiError(status, "unsound-catalog", str(error), error.help, at=at))

    @app.exception_handler(NoSuchCatalogError)
    async def _handle_missing_catalog(request: Request, error: NoSuchCatalogError) -> JSONResponse:
        help_text = "GET /v1/{domain}/catalogs lists the stored catalogs"
        return _respond(
            request, ApiError(HTTPStatus.NOT_FOUND, "no-such-catalog", str(error), help_text)
        )

    @app.exception_handler(RequestValidationError)
    async def _handle_arguments(request: Request, error: RequestValidationError) -> JSONResponse:
        fault = error.errors()[0]
        place = "/".join(str(part) for part in fault["loc"])
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _respond(
            request, ApiError(status, "bad-argument", f"{place}: {fault_message(fault)}", at=place)
        )

    @app.exception_handler(HTTPException)
    async def _handle_http(request: Request, error: HTTPException) -> JSONResponse:
        status = HTTPStatus(error.status_code)
        code = status.phrase.lower().replace(" ", "-")
        message = f"{request.method} {request.url.path}: {status.phrase}"
        answered = _respond(request, ApiError(status, code, message, "GET /docs lists the routes"))
        answered.headers.update(error.headers or {})
        return answered

    @app.exception_handler(Exception)
    async def _handle_internal(request: Request, error: Exception) -> JSONResponse:
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        message = f"an internal error of the sidecar ({type(error).__name__})"
        return _respond(
            request, ApiError(status, "internal", message, "the log has the details; report it")
        )


def _respond(request: Request, error: ApiError) -> JSONResponse:
    """Returns the error response; for plain clients it is a success with ``ok`` false."""
    if not is_plain(request):
        return answer(error)
    facts = {"code": error.code, "message": remove_own_secrets(error.message), "help": error.help}
    return JSONResponse({"ok": False, "error": facts})


def answer(error: ApiError) -> JSONResponse:
    """Returns an error as a response."""
    message = remove_own_secrets(error.message)
    content: dict[str, str] = {"code": error.code, "message": message, "help": error.help}
    if error.at is not None:
        content["at"] = remove_own_secrets(error.at)
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    if error.status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"error": content}, error.status, headers)
