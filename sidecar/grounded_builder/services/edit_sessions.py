"""Change a document as a request asks: with the drafter outside, an endpoint, or by rules."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import orjson
from ulid import ULID

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics.finding_json import as_json
from grounded_builder.drafting.conversation import Conversation, Message, Outcome
from grounded_builder.drafting.edits.apply import Revision, apply_edits, difference
from grounded_builder.drafting.edits.loop import edit_without_model, start_edit, submit_changes
from grounded_builder.drafting.edits.prompt import VERSION
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.editor import EditContext, Editor
from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.fallback_chain import drafter_chain
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.conversation_record import (
    PLANNER,
    Answer,
    DraftRequest,
    ask_response,
    constraints_said,
    ending,
    final_response,
    from_state,
    recorded,
    to_state,
    without_secrets_of,
)
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.services.request_policy import with_truncation_notice
from grounded_builder.services.session_lookup import ConversationError, get_session, session_store
from grounded_builder.storage import runs
from grounded_builder.storage.sessions import Session
from grounded_builder.storage.store import Store

_FAILURE = 500


@dataclass(frozen=True, slots=True)
class EditSetup:
    """What edits are made with; ``compiling`` runs what needs the compiler's thread."""

    store: Store
    domain: Domain
    editor: Editor
    registry: Registry
    references: ReferenceCatalogs
    compiling: Compiling = compile_here

    @property
    def talks(self) -> Conversations:
        """The conversations that edits are kept among."""
        return Conversations(
            self.store, self.domain, self.registry, self.references, self.compiling
        )


def is_edit(session: Session) -> bool:
    """Whether a conversation is about changing a document."""
    return "edit" in session.talk


def edit(order: DraftRequest, document: Any, bench: EditSetup) -> Answer:
    """Make the changes that are asked for: by the configured endpoint, else by rules."""
    settings = bench.store.settings
    if order.drafter == PLANNER or settings.drafters[0] == PLANNER:
        return start_edit_session(replace(order, drafter=PLANNER), document, bench)
    with drafter_chain(settings) as line:
        answer = start_edit_session(replace(order, drafter=line.first), document, bench)
        deadline = time.monotonic() + settings.conversation_limits.seconds
        while answer["status"] == "draft":
            session, _ = get_session(bench.store, answer["session"])
            messages = [Message(**message) for message in answer["messages"]]
            schema, number = answer["response_schema"], answer["round"]
            try:
                reply = line.reply(number, messages, schema, deadline, lambda *_: None)
            except DrafterError as error:
                answer = submit_edit_reply(session, bench, failed=str(error))
            else:
                answer = submit_edit_reply(session, bench, reply=reply.reply.text)
    return answer


def start_edit_session(order: DraftRequest, document: Any, bench: EditSetup) -> Answer:
    """Begin an edit; by rules the first answer is the outcome."""
    session_id, started = str(ULID()), time.time()
    order = without_secrets_of(order)
    ground = _ground(session_id, order, bench)
    talk_bounds = bench.store.settings.conversation_limits
    bounds = replace(talk_bounds, rounds=order.rounds or talk_bounds.rounds)
    drafter = order.drafter
    if bench.domain.reading.read(document).graph is None:
        drafter = PLANNER  # there is nothing to ask a model about
    shown: tuple[str, ...] = ()
    talk = None
    if drafter != PLANNER:
        work = partial(
            start_edit, order.request, document, bench.editor, ground, bounds, now=started
        )
        talk = bench.compiling(work, size_of(document))
        value = talk.messages[1].content + constraints_said(order.constraints)
        talk = replace(talk, messages=(talk.messages[0], Message("user", value)))
        shown = talk.shown
    run = runs.NewRun(
        id=session_id,
        domain=bench.domain.name,
        request=order.request,
        constraints=order.constraints,
        drafter=drafter,
        catalog=bench.registry.fingerprint,
        prompt_version=VERSION,
        shown=shown,
    )
    book = session_store(bench.store)
    if talk is not None:
        answer = ask_response(session_id, talk)
        book.open(run, {**to_state(bench.domain.name, order, talk), "edit": document}, answer)
        return answer
    outcome, revision, draft = _ruled(order, document, ground, bench, 1)
    outcome = with_truncation_notice(outcome, order.request)
    answer = _done(session_id, outcome, revision, document, bench)
    state = {"domain": bench.domain.name, "edit": document}
    book.open(run, state, answer, (draft,), ending(outcome, answer, started))
    return answer


def submit_edit_reply(
    session: Session, bench: EditSetup, *, reply: str | None = None, failed: str | None = None
) -> Answer:
    """Take the drafter's reply, or word that it ``failed``, whereupon the rules draft."""
    if not session.is_open:
        message = f"the conversation has ended: {session.answer.get('outcome')}"
        raise ConversationError("session-ended", message, "begin another one")
    order, talk = from_state(session)
    document, number = session.talk["edit"], session.revision
    ground = _ground(session.id, order, bench)
    asked = [{"role": item.role, "content": item.content} for item in talk.messages]
    outcome: Outcome | None
    revision: Revision | None
    if reply is None:
        why = (failed or "the model failed")[:_FAILURE]
        unheard = runs.Draft(number, order.drafter, asked, failed=why)
        outcome, revision, draft = _ruled(
            order, document, ground, bench, number + 1, why=why, rounds=talk.round
        )
        drafts: tuple[runs.Draft, ...] = (unheard, draft)
    else:
        began = time.perf_counter()
        work = partial(_taken, talk, reply, document, bench.editor, ground, bench.references)
        try:
            talk, outcome, revision = bench.compiling(work, len(reply) + size_of(document))
        except CompileLimitError as error:
            if error.code == "busy":
                raise
            return submit_edit_reply(session, bench, failed=f"its reply was given up: {error}")
        ms = (time.perf_counter() - began) * 1000
        made = revision.compilation if revision is not None else None
        drafts = (recorded(number, order.drafter, asked, reply, made, ms),)
    if outcome is None:
        answer, end = ask_response(session.id, talk), None
    else:
        outcome = with_truncation_notice(outcome, order.request)
        answer = _done(session.id, outcome, revision, document, bench)
        end = ending(outcome, answer, talk.started)
    state = {**to_state(bench.domain.name, order, talk), "edit": document}
    if not session_store(bench.store).move(session, state, answer, drafts, end):
        message = "another draft for this round was taken first"
        hint = "GET /v1/sessions/{id} answers with what came of it"
        raise ConversationError("stale-draft", message, hint)
    return answer


def _taken(  # the conversation, the reply, and what it is compiled against
    talk: Conversation,
    reply: str,
    document: Any,
    editor: Editor,
    ground: EditContext,
    references: ReferenceCatalogs,
) -> tuple[Conversation, Outcome | None, Revision | None]:
    def revising(draft: Any) -> Revision:
        return apply_edits(document, draft, editor, ground, references)

    return submit_changes(talk, reply, revising, ground, now=time.time())


def size_of(document: Any) -> int:
    """Returns how many bytes a JSON value takes as text."""
    try:
        return len(orjson.dumps(document))
    except TypeError:
        return len(repr(document))


def _ruled(  # what is asked, of what, against what
    order: DraftRequest,
    document: Any,
    ground: EditContext,
    bench: EditSetup,
    number: int,
    *,
    why: str = "",
    rounds: int = 0,
) -> tuple[Outcome, Revision | None, runs.Draft]:
    began = time.perf_counter()
    work = partial(
        edit_without_model,
        order.request,
        document,
        bench.editor,
        ground,
        bench.references,
        why=why,
        rounds=rounds,
    )
    outcome, revision = bench.compiling(work, size_of(document))
    ms = (time.perf_counter() - began) * 1000
    made = revision.compilation if revision is not None else None
    return outcome, revision, recorded(number, PLANNER, [], None, made, ms)


def _ground(session_id: str, order: DraftRequest, bench: EditSetup) -> EditContext:
    return EditContext(bench.domain, bench.registry, bench.talks.setting(session_id, order))


def _done(
    session_id: str, outcome: Outcome, revision: Revision | None, document: Any, bench: EditSetup
) -> Answer:
    compilation = outcome.compilation
    is_made = compilation is not None and outcome.outcome != "refused"
    signed = bench.talks.signed(compilation) if is_made and compilation is not None else None
    answer = final_response(session_id, outcome, signed, bench.registry.fingerprint)
    return {**answer, "edit": _told(revision, document)}


def _told(revision: Revision | None, document: Any) -> Mapping[str, Any] | None:
    """What a revision changed; None where it changed nothing."""
    if revision is None or revision.document is None:
        return None
    return {
        "workflow": revision.document,
        "done": list(revision.notes),
        "difference": difference(document, revision.document),
        "standing": [as_json(diagnostic) for diagnostic in revision.remaining],
        "mended": [as_json(diagnostic) for diagnostic in revision.fixed],
    }
