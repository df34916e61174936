"""Hold conversations about a request: kept between replies, and every step recorded."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ulid import ULID

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import occurrences_in
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.compiler.receipt import Receipt
from grounded_builder.drafting import loop, prompt
from grounded_builder.drafting.after_trial import (
    Trying,
    after_trial,
    after_trial_run,
    with_findings,
    with_trial,
)
from grounded_builder.drafting.constraints import constraints_of, denied_by
from grounded_builder.drafting.conversation import Conversation, ConversationLimits, Outcome
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.drafting.planner_fallback import plan_without_model
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.conversation_record import (
    PLANNER,
    Answer,
    DraftRequest,
    ask_response,
    ending,
    final_response,
    from_state,
    messages_json,
    recorded,
    to_state,
    with_reading,
    without_secrets_of,
)
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.services.request_policy import (
    RequestPolicy,
    compile_options,
    contradicted,
    ignored_constraints,
    prompt_context,
    receipt_of,
    refuse_if_no_tools,
    request_policy,
    unreadable,
    with_truncation_notice,
)
from grounded_builder.services.session_lookup import (
    ConversationError,
    get_session,
    opened,
    session_store,
)
from grounded_builder.storage import runs
from grounded_builder.storage.sessions import Session
from grounded_builder.storage.store import Store

_FAILURE = 500
_CANCELS = 5


class Conversations:
    """The conversations of one domain; ``compiling`` runs what needs the compiler's thread.

    An answer is either the next messages with a response schema, or the outcome.
    """

    def __init__(
        self,
        store: Store,
        domain: Domain,
        registry: Registry,
        references: ReferenceCatalogs,
        compiling: Compiling = compile_here,
        trying: Trying | None = None,
    ) -> None:
        settings = store.settings
        self._store = store
        self._domain = domain
        self._registry = registry
        self._references = references
        self._compiling = compiling
        self._trying = trying
        self._book = session_store(store)
        self._bounds = settings.conversation_limits

    def open(self, order: DraftRequest) -> Answer:
        """Begin; with the planner the first answer is the outcome."""
        session_id, started = str(ULID()), time.time()
        order = with_reading(without_secrets_of(order), self._registry)
        rounds = order.rounds or self._bounds.rounds
        bounds = replace(self._bounds, rounds=rounds)
        terms = request_policy(order, self._domain, self._registry)
        facts = (self._store, self._domain, self._registry)
        opening = partial(_open_talk, *facts, order, terms, bounds, started)
        talk = self._compiling(opening, len(order.request))
        run = runs.NewRun(
            id=session_id,
            domain=self._domain.name,
            request=order.request,
            constraints=order.constraints,
            drafter=order.drafter,
            catalog=self._registry.fingerprint,
            prompt_version=prompt.VERSION,
            shown=talk.shown,
            prompt=talk.prompt,
        )
        state = to_state(self._domain.name, order, talk)
        unread = unreadable(order, self._domain)
        hindered = unread or contradicted(terms) or refuse_if_no_tools(terms, self._registry)
        if hindered is not None:
            return self._ended(run, state, hindered, (), started)
        if order.drafter != PLANNER:
            answer = ask_response(session_id, talk)
            self._book.open(run, state, answer)
            return answer
        outcome, draft = self._planned(session_id, order, 1, rounds=0)
        return self._ended(run, state, outcome, (draft,), started)

    def submit_reply(
        self,
        session: Session,
        *,
        reply: str | None = None,
        failed: str | None = None,
        by: str | None = None,
        rescue: bool = False,
    ) -> Answer:
        """Take the drafter's reply, or word that it ``failed``, whereupon the planner drafts.

        ``by`` names who wrote it, where it was not whom the order names. With ``rescue``
        the planner drafts too where the drafter gets no further.
        """
        order, talk = opened(session)
        if reply is None:
            why = (failed or "the model failed")[:_FAILURE]
            unheard = runs.Draft(session.revision, order.drafter, messages_json(talk), failed=why)
            return self._rescued(session, order, talk, why, unheard)
        facts = (self._domain, self._registry, self._setting(session.id, order), self._references)
        bench = CompileContext(*facts, salvage=order.salvage)
        began = time.perf_counter()
        work = partial(loop.take_reply, talk, reply, bench, now=time.time())
        # The best draft so far may be compiled again beside this one.
        size = max(len(reply), len(talk.best_reply or ""))
        try:
            talk_now, outcome, compilation = self._compiling(work, size)
        except CompileLimitError as error:
            if error.code == "busy":
                raise
            drafter = by or order.drafter
            failure = f"its reply was given up: {error}"
            failed_draft = runs.Draft(
                session.revision, drafter, messages_json(talk), failed=failure
            )
            return self._rescued(session, order, talk, failure, failed_draft)
        ms = (time.perf_counter() - began) * 1000
        if outcome is not None and order.trial:
            diagnostics = after_trial_run(outcome, self._trying)
            compilation = with_findings(compilation, diagnostics)
            talk_now, outcome = after_trial(talk_now, reply, outcome, diagnostics, now=time.time())
        wrote = by or order.drafter
        draft = self._recorded(session.revision, wrote, messages_json(talk), reply, compilation, ms)
        if rescue and outcome is not None and outcome.is_stuck:
            return self._rescued(session, order, talk_now, "its drafts do not compile", draft)
        return self._moved(session, order, talk_now, (draft,), outcome)

    def record_failed_reply(self, session: Session, by: str, why: str) -> Session:
        """Record that a drafter gave no reply; the conversation waits for another one's."""
        order, talk = opened(session)
        unheard = runs.Draft(session.revision, by, messages_json(talk), failed=why[:_FAILURE])
        self._moved(session, order, talk, (unheard,), None)
        return replace(session, revision=session.revision + 1)

    def plan(self, session: Session, why: str) -> Answer:
        """Let the planner draft, because of ``why``."""
        order, talk = opened(session)
        return self._rescued(session, order, talk, why[:_FAILURE])

    def give_up(self, session: Session, why: str) -> Answer:
        """End a conversation for which nobody drafts; ``why`` is said."""
        order, talk = opened(session)
        text = f"No draft was made: {why[:_FAILURE]}."
        outcome = Outcome("refused", None, text, None, talk.round, None, ())
        return self._moved(session, order, talk, (), outcome)

    def cancel(self, session: Session) -> Answer:
        """End a conversation without an artifact; one that has ended stays as it is."""
        text = "The request was cancelled; drafts made until then are in the record of the run."
        for _ in range(_CANCELS):
            if not session.is_open:
                return dict(session.answer)
            order, talk = from_state(session)
            outcome = Outcome("refused", "cancelled", text, None, talk.round, None, ())
            try:
                return self._moved(session, order, talk, (), outcome)
            except ConversationError:  # a draft came in between
                session, _ = get_session(self._store, session.id)
        raise ConversationError("stale-draft", "drafts keep coming", "cancel it again")

    def _ended(
        self,
        run: runs.NewRun,
        state: Mapping[str, Any],
        outcome: Outcome,
        drafts: tuple[runs.Draft, ...],
        started: float,
    ) -> Answer:
        """Keep a conversation that ended as it began."""
        outcome = with_truncation_notice(outcome, run.request)
        answer = self._done(run.id, outcome)
        self._book.open(run, state, answer, drafts, ending(outcome, answer, started))
        return answer

    def _rescued(
        self,
        session: Session,
        order: DraftRequest,
        talk: Conversation,
        why: str,
        *before: runs.Draft,
    ) -> Answer:
        """Let the planner draft after the drafts ``before``."""
        number = session.revision + len(before)
        outcome, draft = self._planned(session.id, order, number, talk.round, why)
        return self._moved(session, order, talk, (*before, draft), outcome)

    def _planned(
        self, session_id: str, order: DraftRequest, number: int, rounds: int, why: str = ""
    ) -> tuple[Outcome, runs.Draft]:
        setting = self._setting(session_id, order)
        request = request_policy(order, self._domain, self._registry).request
        began = time.perf_counter()
        outcome: Outcome = self._compiling(
            partial(
                plan_without_model,
                request,
                self._domain,
                self._registry,
                setting,
                self._references,
                why=why,
                rounds=rounds,
                unheeded=ignored_constraints(order, self._domain),
            ),
            len(request),
        )
        ms = (time.perf_counter() - began) * 1000
        outcome = with_trial(outcome, after_trial_run(outcome, self._trying) if order.trial else ())
        return outcome, self._recorded(number, PLANNER, [], None, outcome.compilation, ms)

    def _recorded(
        self,
        number: int,
        drafter: str,
        asked: Any,
        reply: str | None,
        compilation: Compilation | None,
        ms: float,
    ) -> runs.Draft:
        sighted = () if compilation is None else occurrences_in(compilation, self._registry)
        return recorded(number, drafter, asked, reply, compilation, ms, sighted)

    def _moved(
        self,
        session: Session,
        order: DraftRequest,
        talk: Conversation,
        drafts: tuple[runs.Draft, ...],
        outcome: Outcome | None,
    ) -> Answer:
        if outcome is None:
            answer, end = ask_response(session.id, talk), None
        else:
            outcome = with_truncation_notice(outcome, order.request)
            answer = self._done(session.id, outcome)
            end = ending(outcome, answer, talk.started)
        state = to_state(self._domain.name, order, talk)
        if not self._book.move(session, state, answer, drafts, end):
            message = "another draft for this round was taken first"
            hint = "GET /v1/sessions/{id} answers with what came of it"
            raise ConversationError("stale-draft", message, hint)
        return answer

    def setting(self, session_id: str, order: DraftRequest) -> CompileOptions:
        """What an order is compiled under: the policy, and what its constraints forbid beside."""
        constraints = constraints_of(order.constraints)
        denied = denied_by(constraints, self._domain, self._registry)
        return compile_options(denied, constraints, session_id, self._store)

    def _setting(self, session_id: str, order: DraftRequest) -> CompileOptions:
        """The same, with what the request itself forbids."""
        denied = request_policy(order, self._domain, self._registry).denied
        constraints = constraints_of(order.constraints)
        return compile_options(denied, constraints, session_id, self._store)

    def _done(self, session_id: str, outcome: Outcome) -> Answer:
        compilation = outcome.compilation
        # What was given up is no artifact, whatever became of the last draft.
        is_made = compilation is not None and outcome.outcome != "refused"
        signed = self.signed(compilation) if is_made and compilation is not None else None
        return final_response(session_id, outcome, signed, self._registry.fingerprint)

    def signed(self, compilation: Compilation) -> Receipt | None:
        """The receipt of what a compilation made; None where it made nothing."""
        return receipt_of(compilation, self._store)


def _open_talk(
    store: Store,
    domain: Domain,
    registry: Registry,
    order: DraftRequest,
    terms: RequestPolicy,
    bounds: ConversationLimits,
    now: float,
) -> Conversation:
    """Returns the talk as it begins; of this module, so that another process may do it."""
    denied = store.settings.policy.denied
    known = prompt_context(order, terms, denied, domain, registry, store)
    return loop.start_conversation(order.request, domain, registry, bounds, known, now=now)
