"""Routes requests to tools in stored sessions: open, take replies and results, give statistics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import orjson

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import occurrences_in
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions, is_denied
from grounded_builder.llm.fallback_chain import drafter_chain
from grounded_builder.routing.next_call import next_call, take_result
from grounded_builder.routing.prompt import VERSION, make_response_schema
from grounded_builder.routing.request import RouteInput, RouteRequest
from grounded_builder.routing.responses import (
    ask_answer,
    call_answer,
    done_answer,
    drop_large_outputs,
    shorten_output,
)
from grounded_builder.routing.select_calls import (
    ReplyResult,
    route_without_model,
    start_route,
    take_reply,
)
from grounded_builder.routing.state import RouteState, read_route_state
from grounded_builder.services.adhoc_catalogs import registry_for_tool_list
from grounded_builder.services.conversation_record import Answer, record_draft
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.services.route_history import hints_for, record_calls, statistics_of
from grounded_builder.services.session_lookup import ROUTE, ConversationError
from grounded_builder.services.session_runner import SessionRunner, Step, compile_timed
from grounded_builder.settings import PLANNER
from grounded_builder.storage import runs
from grounded_builder.storage.sessions import Session
from grounded_builder.storage.store import Store

_AWAITED = {"ask": "a reply of the model", "call": "the result of a call", "done": "nothing"}


class ToolRoutingSessions:
    """Routes requests over tool lists and stored catalogs; every step is recorded.

    ``stored`` returns the registry of a fingerprint, or of the active catalog for "".
    """

    def __init__(
        self,
        store: Store,
        domain: Domain,
        stored: Callable[[str], Registry],
        compiling: Compiling = compile_here,
    ) -> None:
        self._store = store
        self._domain = domain
        self._stored = stored
        self._compiling = compiling

    def open(self, order: RouteRequest) -> Answer:
        """Begins a route: returns messages for a model, the first call to make, or the end."""
        runner = self._runner()
        return self._ask_drafters(runner, runner.open(order, self._begin), order.drafter)

    def take(self, identity: str, given: RouteInput) -> Answer:
        """Takes a reply or a result: returns the next messages, the next call, or the end."""
        runner = self._runner(given.present)
        session = runner.find(identity)
        if given.result is not None:
            task = runner.resume(session)
            answer = runner.save(session, task, task.take_result(given.result))
        else:
            answer = runner.submit_reply(session, reply=given.reply, failed=given.failed)
        return self._ask_drafters(runner, answer, session.state["drafter"])

    def session(self, identity: str) -> Session:
        """Returns a stored route; raises ConversationError when no route has this id."""
        return self._runner().find(identity)

    def statistics(self, limit: int) -> Answer:
        """Returns the most frequent unknown names, the states of calls, and the failures with
        reasons.
        """
        return statistics_of(self._store, self._domain, limit)

    def _runner(self, present: frozenset[str] | None = None) -> SessionRunner[RouteTask]:
        """Returns the runner of routes; ``present`` are the tools connected now, if known."""

        def resume(session: Session) -> RouteTask:
            state, status = session.state, str(session.answer["status"])
            registry, tools = self._registry(state["tools"], state["catalog"])
            facts = _RouteFacts(session.id, tools, state["catalog"], state["drafter"], status)
            route = read_route_state(state["route"])
            return RouteTask(self._setup, facts, registry, route, present)

        def record(session_id: str, task: RouteTask) -> None:
            record_calls(session_id, task.route, task.registry, self._store)

        return SessionRunner(self._store, ROUTE, resume, record)

    def _begin(self, session_id: str, order: RouteRequest) -> RouteTask:
        registry, tools = self._registry(order.tools, order.catalog)
        facts = _RouteFacts(session_id, tools, order.catalog, order.drafter)
        return RouteTask(self._setup, facts, registry, order)

    def _ask_drafters(
        self, runner: SessionRunner[RouteTask], answer: Answer, drafter: str
    ) -> Answer:
        """Collects replies from the configured drafters until a call is due or the route ends."""
        if drafter != "auto" or answer["status"] != "ask":
            return answer
        with drafter_chain(self._store.settings) as chain:
            return runner.run(answer, chain)

    @property
    def _setup(self) -> RoutingSetup:
        return RoutingSetup(self._store, self._domain, self._compiling)

    def _registry(self, tools: Any, catalog: str) -> tuple[Registry, Any]:
        """Returns the registry of a list of tools or of a stored catalog, and the list to store."""
        if tools is None:
            registry = self._stored(catalog)
            if registry.domain != self._domain.name:
                message = f"the catalog {catalog[:12]} is of domain {registry.domain}, not of tools"
                raise ConversationError("unknown-session", message, "name a catalog of tools")
            return registry, None
        return registry_for_tool_list(tools, self._domain, self._store, self._compiling), tools


@dataclass(frozen=True, slots=True)
class RoutingSetup:
    """What requests are routed with."""

    store: Store
    domain: Domain
    compiling: Compiling


@dataclass(frozen=True, slots=True)
class _RouteFacts:
    """The constant facts of a route: its id, its tools or its catalog, and its drafter.

    ``status`` is that of the latest answer, "" before the first one.
    """

    id: str
    tools: Any
    catalog: str
    drafter: str
    status: str = ""


class RouteTask:
    """Routes a request to calls of tools; ``work`` is the request, or the route in progress.

    ``present`` are the tools that are connected now, where that is known.
    """

    def __init__(
        self,
        setup: RoutingSetup,
        facts: _RouteFacts,
        registry: Registry,
        work: RouteRequest | RouteState,
        present: frozenset[str] | None = None,
    ) -> None:
        self._setup = setup
        self._facts = facts
        self.registry = registry
        self._work = work
        self._present = present
        self.drafter = facts.drafter

    @property
    def route(self) -> RouteState:
        """The route in its current state."""
        if isinstance(self._work, RouteRequest):
            raise TypeError("the task was not started")
        return self._work

    def start(self) -> tuple[runs.NewRun, Step]:
        """Writes the first messages; routes at once without a model or without tools to show."""
        order, setup, registry = self._work, self._setup, self.registry
        if not isinstance(order, RouteRequest):
            raise TypeError("the task was started before")
        hints = hints_for(order.request, registry, setup.domain, setup.store)
        work = partial(
            start_route,
            order.request,
            registry,
            rounds=order.rounds,
            answers=order.answer and order.drafter != "none",
            denied=self._denied_ids(order.forbid),
            hints=hints,
        )
        self._work = setup.compiling(work, _size(registry, order.request))
        has_model = order.drafter == "external" or (
            order.drafter == "auto" and setup.store.settings.drafters[0] != PLANNER
        )
        if not has_model or not self.route.shown:
            self._work = self._without_model()
        step = self._advance()
        route = {"caller": shorten_output(order.caller), "parent_call": order.parent_call}
        run = runs.NewRun(
            id=self._facts.id,
            domain=setup.domain.name,
            request=order.request,
            constraints={"route": route},
            drafter=order.drafter,
            catalog=registry.fingerprint,
            prompt_version=VERSION,
            shown=self.route.shown,
        )
        return run, step

    def step(self, reply: Any, drafter: str, *, has_fallback: bool) -> Step:
        """Compiles a reply; returns the next messages, a call to make, or the end."""
        del has_fallback  # a reply that stays wrong uses the fallback by itself
        self._expect("ask")
        registry, asked = self.registry, self.route.messages
        work = partial(take_reply, self.route, reply, self._setup.domain, registry, self._options)
        chosen: ReplyResult
        chosen, ms = compile_timed(self._setup.compiling, work, _size(registry, reply))
        self._work = chosen.route
        compilation = chosen.compilation
        names = () if compilation is None else occurrences_in(compilation, registry)
        draft = record_draft(drafter, list(asked), _to_text(reply), compilation, ms, names)
        if chosen.reply is not None:
            draft = replace(draft, parsed=asdict(chosen.reply))
        return self._advance(draft)

    def take_result(self, result: Mapping[str, Any]) -> Step:
        """Takes the result of a call; returns the next call, messages for an answer, or the end."""
        self._expect("call")
        failure = result.get("error")
        error = None if failure is None else _to_text(failure)
        kind = str(result.get("error_type") or "")[:60]
        identity = str(result["call"])
        try:
            self._work = take_result(self.route, identity, result.get("output"), error, kind)
        except ValueError as fault:
            hint = f"GET {ROUTE.path} answers with the call that is under way"
            raise ConversationError("stale-draft", str(fault), hint) from fault
        call = self.route.call(identity)
        assert call is not None  # noqa: S101 - take_result has checked it
        asked = {"id": call.id, "tool": call.tool, "arguments": call.sent}
        output = None if error is not None else _to_text(result.get("output"))
        draft = runs.Draft(1, f"tool:{call.tool}", [asked], output, error, verdict=call.state)
        return self._advance(draft)

    def fallback(self, why: str, *, drafts: bool) -> Step:
        """Routes by the request alone, without a model."""
        del why, drafts  # the record has the reason; routing by words needs no model
        self._expect("ask")
        self._work = self._without_model()
        return self._advance()

    def to_json(self) -> dict[str, Any]:
        """Returns the route with the order that opened it."""
        facts = self._facts
        return {
            "kind": ROUTE.mark,
            "domain": self._setup.domain.name,
            "route": drop_large_outputs(self.route).as_json(),
            "tools": facts.tools,
            # An empty fingerprint means the catalog that is active when a call is due.
            "catalog": facts.catalog,
            "drafter": facts.drafter,
        }

    def _expect(self, wanted: str) -> None:
        """Raises ConversationError where the route waits for another kind of input."""
        if self._facts.status != wanted:
            awaited = _AWAITED[self._facts.status]
            message = f"the route waits for {awaited}, and was sent {_AWAITED[wanted]}"
            hint = f"GET {ROUTE.path} answers with what it waits for"
            raise ConversationError("stale-draft", message, hint)

    def _advance(self, *drafts: runs.Draft) -> Step:
        """Advances the route until a model or a caller must be asked."""
        identity, registry, route = self._facts.id, self.registry, self.route
        if route.calls and route.outcome is None:
            work = partial(
                next_call, route, self._setup.domain, registry, self._options, self._present
            )
            moved = self._setup.compiling(work, _size(registry, route.calls))
            self._work = route = moved.route
            if moved.call is not None:
                return Step(call_answer(identity, route, moved.call, registry), drafts)
        if route.outcome is not None:
            return Step(done_answer(identity, route, registry), drafts)
        return Step(ask_answer(identity, route, make_response_schema(route.shown)), drafts)

    def _without_model(self) -> RouteState:
        route, registry = self.route, self.registry
        work = partial(route_without_model, route, registry, self._setup.domain, self._options)
        routed: RouteState = self._setup.compiling(work, _size(registry, route.request))
        return routed

    @property
    def _options(self) -> CompileOptions:
        settings = self._setup.store.settings
        policy = replace(settings.policy, denied=tuple(dict.fromkeys(self.route.denied)))
        return CompileOptions(purpose="import", policy=policy, limits=settings.limits)

    def _denied_ids(self, forbidden: Sequence[str]) -> tuple[str, ...]:
        """Returns the ids of tools that the policy denies by id or pattern, or the
        order by name.
        """
        domain, registry = self._setup.domain, self.registry
        named = [domain.resolving.resolve(name, registry, None).tool or name for name in forbidden]
        patterns = (*self._setup.store.settings.policy.denied, *named)
        return tuple(
            sorted(tool for tool in registry.tools if is_denied(tool, patterns, by_last_part=False))
        )


def _size(registry: Registry, value: Any) -> int:
    """Returns the length of outside text in a step; tools that came with the request count too."""
    prepared = registry.tool_list
    tools = 0 if prepared is None else sum(len(definition.body) for definition in prepared.entries)
    return tools + len(value if isinstance(value, str) else _to_text(value))


def _to_text(value: Any) -> str:
    try:
        return value if isinstance(value, str) else orjson.dumps(value).decode()
    except TypeError:
        return repr(value)
