"""The one shape of an error, and what becomes one."""

from __future__ import annotations

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.interfaces.http.client_capabilities import is_plain
from grounded_builder.interfaces.http.schemas.base import said_of
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
    """A request that cannot be served as it is; ``at`` says where in it the fault lies.

    ``retry_after`` are the seconds after which it may be, where that is a matter of time.
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
    """Makes every failure of the app an answer of the one shape."""

    @app.exception_handler(ApiError)
    async def _refused(request: Request, error: ApiError) -> JSONResponse:
        return _told(request, error)

    @app.exception_handler(CompileLimitError)
    async def _limited(request: Request, error: CompileLimitError) -> JSONResponse:
        _LOG.warning("%s: %s", error.code, error)
        facts = (_LIMITS[error.code], error.code, str(error), error.help)
        return _told(request, ApiError(*facts, retry_after=error.retry_after))

    @app.exception_handler(StorageError)
    async def _storage(request: Request, error: StorageError) -> JSONResponse:
        _LOG.warning("%s: %s", error.code, error)
        full = isinstance(error, DiskFullError)
        status = HTTPStatus.INSUFFICIENT_STORAGE if full else HTTPStatus.SERVICE_UNAVAILABLE
        return _told(
            request,
            ApiError(status, error.code, str(error), error.help, retry_after=error.retry_after_s),
        )

    @app.exception_handler(CatalogError)
    async def _catalog(request: Request, error: CatalogError) -> JSONResponse:
        line = next((problem.line for problem in error.problems if problem.line), None)
        at = None if line is None else f"line {line}"
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _told(request, ApiError(status, "unsound-catalog", str(error), error.help, at=at))

    @app.exception_handler(NoSuchCatalogError)
    async def _no_catalog(request: Request, error: NoSuchCatalogError) -> JSONResponse:
        help_text = "GET /v1/{domain}/catalogs lists the kept ones"
        return _told(
            request, ApiError(HTTPStatus.NOT_FOUND, "no-such-catalog", str(error), help_text)
        )

    @app.exception_handler(RequestValidationError)
    async def _arguments(request: Request, error: RequestValidationError) -> JSONResponse:
        fault = error.errors()[0]
        place = "/".join(str(part) for part in fault["loc"])
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _told(
            request, ApiError(status, "bad-argument", f"{place}: {said_of(fault)}", at=place)
        )

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        status = HTTPStatus(error.status_code)
        code = status.phrase.lower().replace(" ", "-")
        message = f"{request.method} {request.url.path}: {status.phrase}"
        answered = _told(request, ApiError(status, code, message, "GET /docs lists the routes"))
        answered.headers.update(error.headers or {})
        return answered

    @app.exception_handler(Exception)
    async def _ours(request: Request, error: Exception) -> JSONResponse:
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        message = f"a fault in the sidecar itself ({type(error).__name__})"
        return _told(
            request, ApiError(status, "internal", message, "the log has the details; report it")
        )


def _told(request: Request, error: ApiError) -> JSONResponse:
    """Returns the response, which is a success with ``ok`` false for who reads no other."""
    if not is_plain(request):
        return answer(error)
    entries = {"code": error.code, "message": remove_own_secrets(error.message), "help": error.help}
    return JSONResponse({"ok": False, "error": entries})


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
