"""Hold errands between replies: a request routed to tools, every step kept and recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import orjson
from ulid import ULID

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import occurrences_in
from grounded_builder.drafting.conversation import Message
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.fallback_chain import DrafterChain, drafter_chain
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.routing.execute import next_call, take_result
from grounded_builder.routing.prompt import VERSION, response_schema
from grounded_builder.routing.request import RouteInput, RouteRequest
from grounded_builder.routing.responses import asking, bounded, calling, done, kept_outputs
from grounded_builder.routing.select_calls import (
    ReplyResult,
    start_route,
    take_reply,
    without_model,
)
from grounded_builder.routing.state import RouteState, route_state_from
from grounded_builder.services.adhoc_catalogs import registry_for_tool_list
from grounded_builder.services.conversation_record import recorded
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.services.route_history import hints_for, record_calls, statistics_of
from grounded_builder.services.session_lookup import ConversationError, session_store
from grounded_builder.settings import PLANNER
from grounded_builder.storage import runs
from grounded_builder.storage.sessions import Session
from grounded_builder.storage.store import Store

Answer = dict[str, Any]

KIND = "route"
_ULID = 26
_REASON = 500


class ToolRoutingSessions:
    """Routes requests over tool lists and stored catalogs; the runs record every step.

    ``stored`` gives the registry of a fingerprint, of the active catalog for "".
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
        self._book = session_store(store)

    def open(self, order: RouteRequest) -> Answer:
        """Begin: the messages for a model, the first call to make, or the end."""
        began = time.time()
        order = replace(order, request=without_secrets(order.request))
        registry, listed = self._registry(order.tools, order.catalog)
        denied = self._denied(order.forbid, registry)
        hints = hints_for(order.request, registry, self._domain, self._store)
        errand: RouteState = self._compiling(
            partial(
                start_route,
                order.request,
                registry,
                rounds=order.rounds,
                answers=order.answer and order.drafter != "none",
                denied=denied,
                hints=hints,
            ),
            _size(registry, order.request),
        )
        with_line = order.drafter == "auto" and self._store.settings.drafters[0] != PLANNER
        alone = order.drafter == "none" or (order.drafter == "auto" and not with_line)
        if alone or not errand.shown:
            setting = self._setting(errand)
            errand = self._without_model(errand, registry, setting)
        identity = str(ULID())
        errand, answer = self._answered(identity, errand, registry, None)
        drafter = order.drafter
        run = runs.NewRun(
            id=identity,
            domain=self._domain.name,
            request=order.request,
            constraints={
                "route": {"caller": bounded(order.caller), "parent_call": order.parent_call}
            },
            drafter=drafter,
            catalog=registry.fingerprint,
            prompt_version=VERSION,
            shown=errand.shown,
        )
        state = {
            "kind": KIND,
            "domain": self._domain.name,
            "errand": kept_outputs(errand).as_json(),
            "tools": listed,
            # Of the active catalog whatever is active when a call is due.
            "catalog": order.catalog,
            "drafter": drafter,
            "started": began,
        }
        self._book.open(run, state, answer, (), _ending(errand, answer, began))
        record_calls(identity, errand, registry, self._store)
        if with_line and answer["status"] == "ask":
            return self._drafted(identity, answer)
        return answer

    def take(self, identity: str, given: RouteInput) -> Answer:
        """Take a reply or a result: the next messages, the next call, or the end."""
        session = self.session(identity)
        if not session.is_open:
            message = f"the route has ended: {session.answer.get('outcome')}"
            raise ConversationError("session-ended", message, "begin another one")
        answer = self._taken(session, given)
        if session.talk["drafter"] == "auto" and answer["status"] == "ask":
            return self._drafted(identity, answer)
        return answer

    def session(self, identity: str) -> Session:
        """A kept route; ConversationError when there is none of this id."""
        session = self._book.get(identity) if len(identity) <= _ULID else None
        if session is None or session.talk.get("kind") != KIND:
            message = f"there is no route {identity[:40]!r}, or it expired"
            raise ConversationError("unknown-session", message, "begin another one")
        return session

    def _taken(self, session: Session, given: RouteInput, by: str = "") -> Answer:
        registry, _ = self._registry(session.talk["tools"], session.talk["catalog"])
        errand = route_state_from(session.talk["errand"])
        setting, status = self._setting(errand), session.answer["status"]
        wanted = "call" if given.result is not None else "ask"
        if status != wanted:
            message = f"the route waits for {_AWAITED[status]}, and was sent {_AWAITED[wanted]}"
            hint = "GET /v1/route/{id} answers with what it waits for"
            raise ConversationError("stale-draft", message, hint)
        began = time.perf_counter()
        if given.result is not None:
            errand, draft = self._with_result(session, errand, given.result)
        elif given.failed is not None:
            asked, why = errand.messages, given.failed[:_REASON] or "the model failed"
            name = by or str(session.talk["drafter"])
            draft = runs.Draft(session.revision, name, list(asked), failed=why)
            errand = self._without_model(errand, registry, setting)
        else:
            asked = errand.messages
            chosen: ReplyResult = self._compiling(
                partial(take_reply, errand, given.reply, self._domain, registry, setting),
                _size(registry, given.reply),
            )
            errand = chosen.errand
            ms = (time.perf_counter() - began) * 1000
            name = by or str(session.talk["drafter"])
            draft = self._recorded(session, name, asked, given.reply, chosen, registry, ms)
        errand, answer = self._answered(session.id, errand, registry, given.present)
        state = {**session.talk, "errand": kept_outputs(errand).as_json()}
        end = _ending(errand, answer, float(session.talk["started"]))
        if not self._book.move(session, state, answer, (draft,), end):
            message = "another reply for this step was taken first"
            hint = "GET /v1/route/{id} answers with what came of it"
            raise ConversationError("stale-draft", message, hint)
        record_calls(session.id, errand, registry, self._store)
        return answer

    def statistics(self, limit: int) -> Answer:
        """The names that models invent most, how calls end, which fail and why."""
        return statistics_of(self._store, self._domain, limit)

    def _answered(
        self, identity: str, errand: RouteState, registry: Registry, present: frozenset[str] | None
    ) -> tuple[RouteState, Answer]:
        """Go on as far as nobody has to be asked."""
        if errand.calls and errand.outcome is None:
            setting = self._setting(errand)
            moved = self._compiling(
                partial(next_call, errand, self._domain, registry, setting, present),
                _size(registry, errand.calls),
            )
            errand = moved.errand
            if moved.call is not None:
                return errand, calling(identity, errand, moved.call, registry)
        if errand.outcome is not None:
            return errand, done(identity, errand, registry)
        return errand, asking(identity, errand, response_schema(errand.shown))

    def _drafted(self, identity: str, answer: Answer) -> Answer:
        """Let the configured drafters reply until a call is to be made, or the end."""
        deadline = time.monotonic() + self._store.settings.conversation_limits.seconds
        with drafter_chain(self._store.settings) as line:
            while answer["status"] == "ask":
                answer = self._said(self.session(identity), answer, line, deadline)
        return answer

    def _said(
        self, session: Session, answer: Answer, line: DrafterChain, deadline: float
    ) -> Answer:
        failures: list[str] = []
        messages = [Message(**message) for message in answer["messages"]]
        try:
            reply = line.reply(
                answer["round"],
                messages,
                answer["response_schema"],
                deadline,
                lambda name, why: failures.append(f"{name}: {why}"),
            )
        except DrafterError as error:
            return self._taken(session, RouteInput(failed="; ".join(failures) or str(error)))
        return self._taken(session, RouteInput(reply=reply.reply.text), reply.drafter)

    def _with_result(
        self, session: Session, errand: RouteState, result: Mapping[str, Any]
    ) -> tuple[RouteState, runs.Draft]:
        error = result.get("error")
        value = None if error is None else error if isinstance(error, str) else _dumped(error)
        kind = str(result.get("error_type") or "")[:60]
        try:
            after = take_result(errand, str(result["call"]), result.get("output"), value, kind)
        except ValueError as fault:
            hint = "GET /v1/route/{id} answers with the call that is under way"
            raise ConversationError("stale-draft", str(fault), hint) from fault
        call = after.call(str(result["call"]))
        assert call is not None  # noqa: S101 - take_result has found it
        asked = {"id": call.id, "tool": call.tool, "arguments": call.sent}
        output = None if value is not None else _dumped(result.get("output"))
        draft = runs.Draft(
            session.revision, f"tool:{call.tool}", [asked], output, value, verdict=call.state
        )
        return after, draft

    def _recorded(
        self,
        session: Session,
        name: str,
        asked: Any,
        reply: Any,
        chosen: ReplyResult,
        registry: Registry,
        ms: float,
    ) -> runs.Draft:
        compilation = chosen.compilation
        sighted = () if compilation is None else occurrences_in(compilation, registry)
        text = reply if isinstance(reply, str) else _dumped(reply)
        number = session.revision
        draft = recorded(number, name, list(asked), text, compilation, ms, sighted)
        if chosen.reply is None:
            return draft
        return replace(draft, parsed=asdict(chosen.reply))

    def _registry(self, tools: Any, catalog: str) -> tuple[Registry, Any]:
        """The registry of a list of tools, or of a stored catalog; and the list to keep."""
        if tools is None:
            registry = self._stored(catalog)
            if registry.domain != self._domain.name:
                message = f"the catalog {catalog[:12]} is of domain {registry.domain}, not of tools"
                raise ConversationError("unknown-session", message, "name a catalog of tools")
            return registry, None
        return registry_for_tool_list(tools, self._domain, self._store, self._compiling), tools

    def _without_model(
        self, errand: RouteState, registry: Registry, setting: CompileOptions
    ) -> RouteState:
        work = partial(without_model, errand, registry, self._domain, setting)
        made: RouteState = self._compiling(work, _size(registry, errand.request))
        return made

    def _setting(self, errand: RouteState) -> CompileOptions:
        settings = self._store.settings
        policy = replace(settings.policy, denied=tuple(dict.fromkeys(errand.denied)))
        return CompileOptions(purpose="import", policy=policy, limits=settings.limits)

    def _denied(self, forbidden: Sequence[str], registry: Registry) -> tuple[str, ...]:
        """The ids of tools that policy denies, by id or pattern, or an order by any name."""
        named = [
            self._domain.resolving.resolve(name, registry, None).tool or name for name in forbidden
        ]
        patterns = (*self._store.settings.policy.denied, *named)
        return tuple(
            sorted(tool for tool in registry.tools if any(fnmatchcase(tool, p) for p in patterns))
        )


_AWAITED = {"ask": "a reply of the model", "call": "the result of a call", "done": "nothing"}


def _ending(errand: RouteState, answer: Answer, began: float) -> runs.Ending | None:
    if errand.outcome is None:
        return None
    ms = max(0.0, time.time() - began) * 1000
    return runs.Ending(errand.outcome, None, answer["summary"], errand.round, answer, ms)


def _size(registry: Registry, value: Any) -> int:
    """How much outside text a step works on: tools that came with the request count too."""
    prepared = registry.tool_list
    tools = 0 if prepared is None else sum(len(entry.body) for entry in prepared.entries)
    return tools + len(value if isinstance(value, str) else _dumped(value))


def _dumped(value: Any) -> str:
    try:
        return value if isinstance(value, str) else orjson.dumps(value).decode()
    except TypeError:
        return repr(value)
