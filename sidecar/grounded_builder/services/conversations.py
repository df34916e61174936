"""Drafts artifacts in stored conversations: takes a reply and returns a prompt, question or end."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import occurrences_in
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.drafting import conversation_rounds, prompt
from grounded_builder.drafting.after_trial import (
    Trying,
    after_trial,
    after_trial_run,
    note_unjudged,
    with_findings,
    with_trial,
)
from grounded_builder.drafting.chosen_entries import ask_about_entries, with_chosen_entries
from grounded_builder.drafting.constraints import constraints_of
from grounded_builder.drafting.conversation import Conversation, ConversationLimits, Outcome, Reason
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.drafting.planner_fallback import plan_without_model
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.llm.fallback_chain import DrafterChain
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.account_lists import Choosing, list_candidates
from grounded_builder.services.conversation_record import (
    PLANNER,
    Answer,
    DraftRequest,
    ask_response,
    from_state,
    messages_json,
    record_draft,
    to_state,
    with_reading,
)
from grounded_builder.services.conversation_task import CompileSetup, ConversationTask
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.services.request_policy import (
    RequestPolicy,
    compile_options,
    contradiction_outcome,
    ignored_constraints,
    prompt_context,
    refuse_if_no_tools,
    request_policy,
    unreadable_outcome,
)
from grounded_builder.services.session_lookup import CONVERSATION, ConversationError
from grounded_builder.services.session_runner import SessionRunner, Step, compile_timed
from grounded_builder.storage import runs
from grounded_builder.storage.sessions import Session
from grounded_builder.storage.store import Store

_QUESTION = "question"


class Conversations:
    """The conversations of one domain; ``compiling`` runs work that needs the compiler's thread.

    ``trying`` runs what is built, and with ``judges`` compares the runs with expectations.
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
        choosing: Choosing | None = None,
        *,
        judges: bool = False,
    ) -> None:
        facts = (store, domain, registry, references, compiling)
        self._setup = DraftingSetup(*facts, trying, choosing, judges)
        self._runner = SessionRunner(store, CONVERSATION, self._resume)

    def open(self, order: DraftRequest) -> Answer:
        """Begins a conversation; with the planner the first answer is the outcome."""
        return self._runner.open(order, self._begin)

    def run(self, order: DraftRequest, chain: DrafterChain) -> Answer:
        """Begins a conversation and collects replies from the drafters of a chain until it ends."""
        return self._runner.run(self.open(order), chain)

    def submit_reply(
        self, session: Session, *, reply: str | None = None, failed: str | None = None
    ) -> Answer:
        """Takes the drafter's reply, or the reason why it ``failed``, after which the planner
        drafts.
        """
        if session.answer.get("status") == _QUESTION and failed is None:
            message = "the conversation waits for the answer of a person"
            raise ConversationError("question-open", message, 'send {"answer": "..."}')
        if reply is None:
            failed = failed or ""
        return self._runner.submit_reply(session, reply=reply, failed=failed)

    def submit_answer(self, session: Session, answer: str) -> Answer:
        """Takes a person's answer to the question of the conversation.

        Raises ConversationError where there is no question.
        """
        if session.is_open and session.answer.get("status") != _QUESTION:
            message = "the conversation waits for a draft, not for the answer of a person"
            raise ConversationError("no-question", message, 'send {"reply": "..."}')
        task = self._runner.resume(session)
        return self._runner.save(session, task, task.answer(answer))

    def cancel(self, session: Session) -> Answer:
        """Ends a conversation without an artifact; a conversation that has ended stays
        unchanged.
        """
        return self._runner.end(session, DraftingTask.cancel)

    def _begin(self, session_id: str, order: DraftRequest) -> DraftingTask:
        return DraftingTask(self._setup, session_id, with_reading(order, self._setup.registry))

    def _resume(self, session: Session) -> DraftingTask:
        return DraftingTask(self._setup, session.id, *from_state(session))


@dataclass(frozen=True, slots=True)
class DraftingSetup(CompileSetup):
    """What drafts are compiled with; ``trying`` runs trials, where n8n is configured, and
    ``choosing`` looks up names in its lists, where it may log in.

    With ``judges`` trials also judge what drafts expect of their runs.
    """

    trying: Trying | None = None
    choosing: Choosing | None = None
    judges: bool = False


class DraftingTask(ConversationTask[DraftingSetup]):
    """Drafts an artifact for an order."""

    def __init__(
        self,
        setup: DraftingSetup,
        session_id: str,
        order: DraftRequest,
        conversation: Conversation | None = None,
    ) -> None:
        super().__init__(setup, session_id, order, conversation)
        self._policy = request_policy(order, setup.domain, setup.registry)

    def start(self) -> tuple[runs.NewRun, Step]:
        """Writes the first prompt; ends at once where nothing can be drafted or only the planner
        drafts.
        """
        setup, order = self._setup, self._order
        work = partial(
            _open_conversation,
            setup.store,
            setup.domain,
            setup.registry,
            order,
            self._policy,
            self._limits,
            time.time(),
            expects=self._expects,
        )
        self._talk = setup.compiling(work, len(order.request))
        run = self._new_run(prompt.VERSION)
        refusal = (
            unreadable_outcome(order, setup.domain)
            or contradiction_outcome(self._policy)
            or refuse_if_no_tools(self._policy, setup.registry)
        )
        if refusal is not None:
            return run, self._finish(refusal)
        if order.drafter != PLANNER:
            return run, Step(ask_response(self._id, self._conversation))
        return run, self._plan("", rounds=0)

    def step(self, reply: Any, drafter: str, *, has_fallback: bool) -> Step:
        """Compiles a reply; returns the next messages or the outcome."""
        setup, order, conversation = self._setup, self._order, self._conversation
        # A part of a model's draft is preferred to the planner's draft.
        context = self._context(salvage=order.salvage or has_fallback)
        work = partial(
            conversation_rounds.take_reply, conversation, reply, context, now=time.time()
        )
        # The best draft so far may be compiled again together with this one.
        size = max(len(reply), len(conversation.best_reply or ""))
        (next_talk, outcome, compilation), ms = compile_timed(setup.compiling, work, size)
        if outcome is not None and order.trial:
            outcome = self._with_expectations(outcome)
            diagnostics = after_trial_run(outcome, setup.trying)
            compilation = with_findings(compilation, diagnostics)
            next_talk, outcome = after_trial(
                next_talk, reply, outcome, diagnostics, context, now=time.time()
            )
        if outcome is not None:
            next_talk, outcome = self._ask_about_entries(next_talk, reply, outcome)
        draft = self._record(drafter, messages_json(conversation), reply, compilation, ms)
        self._talk = next_talk
        if outcome is None:
            return Step(ask_response(self._id, next_talk), (draft,))
        if has_fallback and outcome.is_stuck:
            planned = self._plan(f"its drafts do not compile: {outcome.cause}", next_talk.round)
            return replace(planned, drafts=(draft, *planned.drafts))
        return self._finish(outcome, draft)

    def answer(self, text: str) -> Step:
        """Adds a person's answer to the conversation; returns the next messages."""
        answer = str(without_secrets(text))
        self._talk = conversation_rounds.take_answer(self._conversation, answer, now=time.time())
        return Step(ask_response(self._id, self._talk))

    def fallback(self, why: str, *, drafts: bool) -> Step:
        """Ends with the best draft so far, else with the planner's; without ``drafts`` the request
        is refused instead.
        """
        conversation = self._conversation
        rounds = conversation.round
        if conversation.best_reply is not None:
            context = self._context(salvage=self._order.salvage or drafts)
            work = partial(conversation_rounds.end_early, conversation, context, why)
            outcome, _ = compile_timed(self._setup.compiling, work, len(conversation.best_reply))
            if outcome is not None:
                return self._finish(self._try_outcome(outcome))
        if drafts:
            return self._plan(why, rounds)
        return self._finish(_refuse(None, f"No draft was made: {why}.", rounds))

    def cancel(self) -> Step:
        """Ends the task without an artifact."""
        text = "The request was cancelled; drafts made until then are in the record of the run."
        return self._finish(_refuse("cancelled", text, self._conversation.round))

    def to_json(self) -> dict[str, Any]:
        """Returns the order and the conversation."""
        return to_state(self._setup.domain.name, self._order, self._conversation)

    @property
    def _options(self) -> CompileOptions:
        constraints = constraints_of(self._order.constraints, self._setup.domain)
        options = compile_options(self._policy.denied, constraints, self._id, self._setup.store)
        return replace(options, is_draft=True)

    def _plan(self, why: str, rounds: int) -> Step:
        setup, request = self._setup, self._policy.request
        work = partial(
            plan_without_model,
            request,
            setup.domain,
            setup.registry,
            self._options,
            setup.references,
            why=why,
            rounds=rounds,
            unheeded=ignored_constraints(self._order, setup.domain),
        )
        planned, ms = compile_timed(setup.compiling, work, len(request))
        outcome = self._try_outcome(planned)
        return self._finish(outcome, self._record(PLANNER, [], None, outcome.compilation, ms))

    def _context(self, *, salvage: bool) -> CompileContext:
        setup = self._setup
        return CompileContext(
            setup.domain,
            setup.registry,
            self._options,
            setup.references,
            salvage=salvage,
            offers_native=setup.store.settings.native_drafts,
            expects=self._expects,
        )

    @property
    def _expects(self) -> bool:
        """Whether drafts state what their runs have to show: something judges it."""
        return self._setup.judges and self._order.trial

    def _try_outcome(self, outcome: Outcome) -> Outcome:
        """Returns an outcome with the findings of its trial, where the order asks for one."""
        if not self._order.trial:
            return outcome
        outcome = self._with_expectations(outcome)
        return with_trial(outcome, after_trial_run(outcome, self._setup.trying))

    def _with_expectations(self, outcome: Outcome) -> Outcome:
        """Returns an outcome whose compilation also has the expectations of the order."""
        made = outcome.compilation
        stated = constraints_of(self._order.constraints, self._setup.domain).expect
        if made is None or not stated:
            return outcome
        expect = (*stated, *(item for item in made.expect if item not in stated))
        return replace(outcome, compilation=replace(made, expect=expect))

    def _record(
        self,
        drafter: str,
        messages: Any,
        reply: str | None,
        compilation: Compilation | None,
        ms: float,
    ) -> runs.Draft:
        registry = self._setup.registry
        names = () if compilation is None else occurrences_in(compilation, registry)
        return record_draft(drafter, messages, reply, compilation, ms, names)

    def _finish(self, outcome: Outcome, *drafts: runs.Draft) -> Step:
        if not self._expects:
            outcome = note_unjudged(self._with_expectations(outcome))
        chosen = self._choose_entries(outcome)
        outcome = outcome if chosen is None else with_chosen_entries(outcome, chosen)
        return Step(self._respond(outcome), drafts)

    def _choose_entries(self, outcome: Outcome) -> Compilation | None:
        """Returns the compilation of an outcome with entries of lists, where the order asks for
        them and something is built.
        """
        choosing, made = self._setup.choosing, outcome.compilation
        if choosing is None or made is None or not self._order.lists:
            return None
        return None if outcome.outcome == "refused" else choosing(made, self._options)

    def _ask_about_entries(
        self, conversation: Conversation, reply: str, outcome: Outcome
    ) -> tuple[Conversation, Outcome | None]:
        """Sends candidates of lists to the drafter, where the settings permit it."""
        is_shared = self._setup.store.settings.share_lists
        chosen = self._choose_entries(outcome) if is_shared else None
        if chosen is None:
            return conversation, outcome
        findings = list_candidates(chosen)
        return ask_about_entries(conversation, reply, outcome, findings, now=time.time())


def _refuse(reason: Reason | None, text: str, rounds: int) -> Outcome:
    return Outcome("refused", reason, text, None, rounds, None, ())


def _open_conversation(
    store: Store,
    domain: Domain,
    registry: Registry,
    order: DraftRequest,
    terms: RequestPolicy,
    bounds: ConversationLimits,
    now: float,
    *,
    expects: bool,
) -> Conversation:
    """Returns a new conversation; it is a plain function so that another process can run it."""
    denied = store.settings.policy.denied
    known = prompt_context(order, terms, denied, domain, registry, store)
    known = replace(known, expects=expects)
    return conversation_rounds.start_conversation(
        order.request, domain, registry, bounds, known, now=now
    )
