"""Creates the ASGI application of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from grounded_builder import __version__
from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.gc_tuning import freeze_gc
from grounded_builder.interfaces.http import (
    errors,
    index_page,
    routes_aliases,
    routes_analytics,
    routes_catalog_upload,
    routes_catalogs,
    routes_compile,
    routes_edit,
    routes_health,
    routes_import,
    routes_jobs,
    routes_mcp,
    routes_overlay,
    routes_rehearsal,
    routes_runs,
    routes_sessions,
    routes_tokens,
    routes_tool_routing,
    routes_tools,
    routes_trial,
)
from grounded_builder.interfaces.http.admission import Admission, Lane
from grounded_builder.interfaces.http.metrics import Timed
from grounded_builder.interfaces.http.preload import Preloaded, preload
from grounded_builder.interfaces.http.state import State, follow, unfollow
from grounded_builder.ir.domain import Domain
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.isolation.compiler import Compiler
from grounded_builder.services.isolation.service import CompileProcesses
from grounded_builder.services.stage_keeper import StageKeeper
from grounded_builder.settings import Settings
from grounded_builder.storage.clean_stored import start_cleaning

# Routes are tried in this order: the most frequent come first.
_ROUTERS = (
    routes_compile.router,
    routes_health.router,
    index_page.router,
    routes_tokens.router,
    routes_import.router,
    routes_trial.router,
    routes_rehearsal.router,
    routes_runs.router,
    routes_sessions.router,
    routes_jobs.router,
    routes_catalog_upload.router,
    routes_tool_routing.router,
    routes_edit.router,
    routes_catalogs.router,
    routes_tools.router,
    routes_overlay.router,
    routes_aliases.router,
    routes_analytics.router,
)


def create_app(
    settings: Settings,
    domains: Mapping[str, Domain] = DOMAINS,
    preloaded: Preloaded | None = None,
    processes: CompileProcesses | None = None,
) -> FastAPI:
    """Returns the application; it opens its database when it starts and closes it when it ends.

    ``preloaded`` data and compile ``processes`` inherited by a fork are used instead of new ones.
    """
    endpoint = routes_mcp.McpEndpoint()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state = await asyncio.to_thread(_open_state, settings, domains, preloaded, processes)
        app.state.grounded = state
        endpoint.open(state)
        freeze_gc()
        state.compiler.prepare(partial(_prepare, state))
        task = asyncio.create_task(follow(state))
        end_cleaning = start_cleaning(state.store.engine, settings.state)
        try:
            yield
        finally:
            await asyncio.to_thread(end_cleaning)
            await asyncio.to_thread(state.stages.close)
            await endpoint.close()
            await unfollow(task, state)
            state.compiler.close()
            state.store.close()

    app = FastAPI(
        title="Grounded Builder",
        version=__version__,
        description="Compiles drafts of automation graphs against the installed tools.",
        lifespan=lifespan,
        # A redirect would reveal to clients without a token that a path exists.
        redirect_slashes=False,
        # Its own route is below: making the document takes long enough to delay other answers.
        openapi_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Timed)
    errors.install(app)
    for router in _ROUTERS:
        app.include_router(router)
    app.router.routes.append(Route(routes_mcp.PATH, endpoint))
    app.router.routes.append(Route("/openapi.json", _answer_openapi, include_in_schema=False))
    return app


async def _answer_openapi(request: Request) -> Response:
    """Returns the description of the API, made in a thread when it is first asked for."""
    app: FastAPI = request.app
    return JSONResponse(app.openapi_schema or await asyncio.to_thread(app.openapi))


def _open_state(
    settings: Settings,
    domains: Mapping[str, Domain],
    preloaded: Preloaded | None,
    processes: CompileProcesses | None,
) -> State:
    if preloaded is None:
        preloaded = preload(open_domains_store(settings, domains), domains, with_search=False)
    state = State(
        settings,
        preloaded.store,
        domains,
        preloaded.secrets,
        Compiler(processes or CompileProcesses(settings, (__name__,))),
        Admission(settings.token_requests, settings.requests),
        Admission(settings.token_waiting, settings.waiting),
        Lane("generate", settings.generations),
        StageKeeper(settings),
        registries=dict(preloaded.registries),
        seen=dict(preloaded.seen),
    )
    state.refresh()
    return state


def _prepare(state: State) -> None:
    """Builds the indexes that the first draft with a wrong name needs; readiness does not wait for
    it.
    """
    for registry in state.registries.values():
        registry.search.has_stem("")
