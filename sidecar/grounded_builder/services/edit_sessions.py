"""Changes documents as requests ask, in sessions: by an external drafter, an endpoint, or rules."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import orjson

from grounded_builder.diagnostics.finding_json import as_json
from grounded_builder.drafting.conversation import Conversation, Message, Outcome
from grounded_builder.drafting.edits.apply import Revision, apply_edits, difference
from grounded_builder.drafting.edits.edit_rounds import (
    edit_without_model,
    start_edit,
    submit_changes,
)
from grounded_builder.drafting.edits.prompt import VERSION
from grounded_builder.ir.editor import EditContext, Editor
from grounded_builder.llm.fallback_chain import drafter_chain
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.conversation_record import (
    PLANNER,
    Answer,
    DraftRequest,
    ask_response,
    format_constraints,
    from_state,
    messages_json,
    record_draft,
    to_state,
)
from grounded_builder.services.conversation_task import CompileSetup, ConversationTask
from grounded_builder.services.request_policy import constraint_options
from grounded_builder.services.session_lookup import CONVERSATION
from grounded_builder.services.session_runner import SessionRunner, Step, compile_timed
from grounded_builder.storage import runs
from grounded_builder.storage.sessions import Session


@dataclass(frozen=True, slots=True)
class EditSetup(CompileSetup):
    """What edits are made with: the editor of the domain, and what they are compiled with."""

    editor: Editor = field(kw_only=True)


def is_edit(session: Session) -> bool:
    """Returns whether a session changes a document."""
    return "edit" in session.state


def edit(order: DraftRequest, document: Any, setup: EditSetup) -> Answer:
    """Makes the requested changes with the configured endpoint, or with rules where
    there is none.
    """
    settings = setup.store.settings
    if order.drafter == PLANNER or settings.drafters[0] == PLANNER:
        return start_edit_session(replace(order, drafter=PLANNER), document, setup)
    with drafter_chain(settings) as chain:
        answer = start_edit_session(replace(order, drafter=chain.first), document, setup)
        return _runner(setup).run(answer, chain)


def start_edit_session(order: DraftRequest, document: Any, setup: EditSetup) -> Answer:
    """Begins an edit; without a model the first answer is the outcome."""
    return _runner(setup).open(
        order, lambda session_id, clean: EditTask(setup, session_id, clean, document)
    )


def submit_edit_reply(
    session: Session, setup: EditSetup, *, reply: str | None = None, failed: str | None = None
) -> Answer:
    """Takes the drafter's reply, or the reason why it ``failed``, after which the rules draft."""
    if reply is None:
        failed = failed or ""
    return _runner(setup).submit_reply(session, reply=reply, failed=failed)


def _runner(setup: EditSetup) -> SessionRunner[EditTask]:
    def resume(session: Session) -> EditTask:
        order, conversation = from_state(session)
        return EditTask(setup, session.id, order, session.state["edit"], conversation)

    return SessionRunner(setup.store, CONVERSATION, resume)


class EditTask(ConversationTask[EditSetup]):
    """Changes a document as an order asks."""

    def __init__(
        self,
        setup: EditSetup,
        session_id: str,
        order: DraftRequest,
        document: Any,
        conversation: Conversation | None = None,
    ) -> None:
        super().__init__(setup, session_id, order, conversation)
        self._document = document
        options = constraint_options(order, setup.domain, setup.registry, session_id, setup.store)
        self._context = EditContext(setup.domain, setup.registry, options)

    def start(self) -> tuple[runs.NewRun, Step]:
        """Writes the first prompt; ends at once with rules only, or without a graph to change."""
        if self._setup.domain.reading.read(self._document).graph is None:
            self.drafter = PLANNER  # without a graph there is nothing to change
        if self.drafter != PLANNER:
            self._talk = self._ask()
        run = self._new_run(VERSION)
        if self._talk is None:
            return run, self._apply_rules("", rounds=0)
        return run, Step(ask_response(self._id, self._talk))

    def step(self, reply: Any, drafter: str, *, has_fallback: bool) -> Step:
        """Compiles a reply; returns the next messages or the outcome."""
        del has_fallback  # the rules cannot do more than a drafter that is stuck
        setup, conversation, document = self._setup, self._conversation, self._document
        work = partial(
            _take_changes,
            conversation,
            reply,
            document,
            setup.editor,
            self._context,
            setup.references,
        )
        size = len(reply) + size_of(document)
        (next_talk, outcome, revision), ms = compile_timed(setup.compiling, work, size)
        made = revision.compilation if revision is not None else None
        draft = record_draft(drafter, messages_json(conversation), reply, made, ms)
        self._talk = next_talk
        if outcome is None:
            return Step(ask_response(self._id, next_talk), (draft,))
        return self._finish(outcome, revision, draft)

    def fallback(self, why: str, *, drafts: bool) -> Step:
        """Makes the changes with the rules for plain requests."""
        del drafts  # the rules are always available
        return self._apply_rules(why, self._conversation.round)

    def to_json(self) -> dict[str, Any]:
        """Returns the document, the order and, if any, the conversation."""
        domain = self._setup.domain.name
        if self._talk is None:
            return {"domain": domain, "edit": self._document}
        return {**to_state(domain, self._order, self._talk), "edit": self._document}

    def _ask(self) -> Conversation:
        """Returns a new conversation with its first prompt."""
        setup, order = self._setup, self._order
        work = partial(
            start_edit,
            order.request,
            self._document,
            setup.editor,
            self._context,
            self._limits,
            now=time.time(),
        )
        conversation: Conversation = setup.compiling(work, size_of(self._document))
        system, user = conversation.messages
        text = user.content + format_constraints(order.constraints)
        return replace(conversation, messages=(system, Message("user", text)))

    def _apply_rules(self, why: str, rounds: int) -> Step:
        setup = self._setup
        work = partial(
            edit_without_model,
            self._order.request,
            self._document,
            setup.editor,
            self._context,
            setup.references,
            why=why,
            rounds=rounds,
        )
        (outcome, revision), ms = compile_timed(setup.compiling, work, size_of(self._document))
        made = revision.compilation if revision is not None else None
        return self._finish(outcome, revision, record_draft(PLANNER, [], None, made, ms))

    def _finish(self, outcome: Outcome, revision: Revision | None, *drafts: runs.Draft) -> Step:
        changes = _describe_changes(revision, self._document)
        return Step({**self._respond(outcome), "edit": changes}, drafts)


def _take_changes(  # the conversation, the reply and the compile context
    conversation: Conversation,
    reply: str,
    document: Any,
    editor: Editor,
    ground: EditContext,
    references: ReferenceCatalogs,
) -> tuple[Conversation, Outcome | None, Revision | None]:
    def revise(draft: Any) -> Revision:
        return apply_edits(document, draft, editor, ground, references)

    return submit_changes(conversation, reply, document, revise, ground, now=time.time())


def size_of(document: Any) -> int:
    """Returns the length of a JSON value as text, in bytes."""
    try:
        return len(orjson.dumps(document))
    except TypeError:
        return len(repr(document))


def _describe_changes(revision: Revision | None, document: Any) -> Mapping[str, Any] | None:
    """Returns what a revision changed; None where it changed nothing."""
    if revision is None or revision.document is None:
        return None
    return {
        "workflow": revision.document,
        "done": list(revision.notes),
        "difference": difference(document, revision.document),
        "standing": [as_json(diagnostic) for diagnostic in revision.remaining],
        "mended": [as_json(diagnostic) for diagnostic in revision.fixed],
    }
