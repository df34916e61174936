"""Starts an edit, takes the drafter's replies with changes, and edits by rules without a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from grounded_builder.compiler.named_services import find_services
from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.pipeline import Compilation, open_points
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.drafting.conversation import (
    Conversation,
    ConversationLimits,
    Message,
    Outcome,
    Reason,
)
from grounded_builder.drafting.edits.apply import Revision, apply_edits
from grounded_builder.drafting.edits.prompt import changes_schema, messages_of, shorten_for_repair
from grounded_builder.drafting.edits.rules import edits_from_text
from grounded_builder.drafting.evaluate import is_missing, is_without_effect, is_wrong
from grounded_builder.drafting.prompt import feedback_prompt
from grounded_builder.drafting.recommended_tools import add_recommended
from grounded_builder.drafting.token_estimate import tokens_in, tokens_of
from grounded_builder.drafting.tool_retrieval import shown_tools
from grounded_builder.ir.editor import EditContext, Editor
from grounded_builder.resolve.diagnose import ReferenceCatalogs, no_reference_catalogs

_REPLY_KEPT = 20_000
_REPLY_TAKEN = 400_000
_TOLD = 8

Revising = Callable[[Any], Revision]


def start_edit(
    request: str,
    document: Any,
    editor: Editor,
    ground: EditContext,
    bounds: ConversationLimits,
    *,
    now: float,
) -> Conversation:
    """Returns a new conversation: the relevant tools, the document in brief, the request."""
    named = find_services(request, ground.registry).wanted
    denied = ground.options.policy.denied
    shown = shown_tools(request, ground.domain, ground.registry, named, denied)
    ids = tuple(tool.tool for tool in shown)
    system, user = messages_of(request, document, editor, ground, shown)
    messages = (Message("system", system), Message("user", user))
    return Conversation(
        request=request,
        bounds=bounds,
        round=1,
        messages=messages,
        schema=changes_schema(ids),
        shown=ids,
        spent=tokens_of((system, user)),
        started=now,
        last=(),
        catalog=ground.registry.fingerprint,
    )


def submit_changes(
    conversation: Conversation,
    reply: str,
    document: Any,
    revising: Revising,
    ground: EditContext,
    *,
    now: float,
) -> tuple[Conversation, Outcome | None, Revision | None]:
    """Compiles a reply; returns the outcome, or None with the messages to send next.

    They repeat the rules, the document and the request, with the tools of the reply alone.
    """
    conversation = replace(conversation, spent=conversation.spent + tokens_in(reply[:_REPLY_TAKEN]))
    reply = reply[:_REPLY_TAKEN]
    value, _ = parse(reply, ground.options.limits)
    if isinstance(value, dict) and isinstance(value.get("cannot"), str) and "changes" not in value:
        if conversation.best_reply is not None:
            best = revising(conversation.best_reply)
            return conversation, finish_edit(best, conversation.round), best
        text = f"The drafter says it cannot be done: {value['cannot'][:500]}"
        return (
            conversation,
            Outcome("refused", None, text, None, conversation.round, None, ()),
            None,
        )
    revision = revising(reply)
    compilation = revision.compilation
    wanted = tuple(
        diagnostic for diagnostic in compilation.diagnostics if _is_for_drafter(diagnostic)
    )
    keys = tuple(
        sorted({f"{diagnostic.code} {diagnostic.at} {diagnostic.message}" for diagnostic in wanted})
    )
    stalled = bool(keys) and keys == conversation.last
    over = conversation.limit(now) is not None
    conversation = _keep_best(conversation, reply, compilation, wanted)
    if conversation.best_reply is not None and (stalled or over or not wanted):
        best = revision if conversation.best_reply == reply else revising(conversation.best_reply)
        return conversation, finish_edit(best, conversation.round), best
    if stalled or over:
        reason: Reason = "stalled" if stalled else "exhausted"
        return conversation, finish_edit(revision, conversation.round, reason), revision
    denied = ground.options.policy.denied
    shown, more = add_recommended(conversation, wanted, ground.domain, ground.registry, denied)
    conversation = shorten_for_repair(conversation, value, document, ground)
    conversation = replace(conversation, shown=shown, schema=changes_schema(shown))
    result = feedback_prompt(wanted, more)
    reply_message = Message("assistant", reply[:_REPLY_KEPT])
    messages = (*conversation.messages[:2], reply_message, Message("user", result))
    spent = conversation.spent + tokens_of(message.content for message in messages)
    asked = replace(conversation, messages=messages, spent=spent, last=keys, started=now)
    next_talk = replace(asked, round=conversation.round + 1)
    return next_talk, None, revision


def _keep_best(
    conversation: Conversation, reply: str, compilation: Compilation, wanted: Sequence[Diagnostic]
) -> Conversation:
    """Returns the conversation with changes that compile as the best ones, the newest of equals."""
    rank = (len(wanted),)
    if compilation.verdict == "wrong" or (conversation.best_rank and rank > conversation.best_rank):
        return conversation
    return replace(conversation, best_reply=reply, best_rank=rank)


def edit_without_model(  # the request, its document, and the compile context
    request: str,
    document: Any,
    editor: Editor,
    ground: EditContext,
    references: ReferenceCatalogs = no_reference_catalogs,
    *,
    why: str = "",
    rounds: int = 0,
) -> tuple[Outcome, Revision | None]:
    """Drafts edits with the rules for plain requests; ``why`` is the reason for not
    using a model.
    """
    because = f" Drafted without a model{f': {why}' if why else ''}."
    if ground.domain.reading.read(document).graph is None:
        revision = apply_edits(document, {"changes": []}, editor, ground, references)
        return finish_edit(revision, rounds), revision
    drafted = edits_from_text(request, document, editor, ground)
    if not drafted.changes:
        parts = "; ".join(drafted.unplaced) or " ".join(request.split())[:200]
        text = f'No rule for changes fits the request "{parts}".{because}'
        return Outcome("refused", None, text, None, rounds, None, ()), None
    draft = {"changes": list(drafted.changes)}
    revision = apply_edits(document, draft, editor, ground, references)
    outcome = finish_edit(revision, rounds)
    missed = tuple(f'not covered by any rule: "{part}"' for part in drafted.unplaced)
    kind = "incomplete" if outcome.outcome == "built" and missed else outcome.outcome
    text = outcome.summary + because
    return replace(outcome, outcome=kind, summary=text, todo=(*outcome.todo, *missed)), revision


def finish_edit(revision: Revision, rounds: int, reason: Reason | None = None) -> Outcome:
    """Returns the outcome of a revision; findings that existed before are left to do."""
    compilation = revision.compilation
    plan = compilation.document if isinstance(compilation.document, dict) else None
    if revision.document is None:
        wrong = [
            diagnostic.message
            for diagnostic in compilation.diagnostics
            if diagnostic.rule.kind == "wrong"
        ]
        more = f"; and {len(wrong) - _TOLD} more" if len(wrong) > _TOLD else ""
        text = f"Nothing was changed: {'; '.join(wrong[:_TOLD])}{more}."
        return Outcome("refused", reason, text, compilation, rounds, plan, ())
    standing = [
        diagnostic.message for diagnostic in revision.remaining if diagnostic.rule.kind == "wrong"
    ]
    todo = (*open_points(compilation.diagnostics), *(f"wrong before: {name}" for name in standing))
    done = "; ".join(revision.notes[:_TOLD]) or "nothing had to be changed"
    more = f"; and {len(revision.notes) - _TOLD} more" if len(revision.notes) > _TOLD else ""
    kind: Literal["built", "incomplete"] = "incomplete" if todo else "built"
    before = " It was wrong before, and cannot be imported as it is." if standing else ""
    repaired: Reason | None = "repaired" if rounds > 1 or compilation.corrections else None
    text = f"Changed: {done}{more}.{before}"
    return Outcome(kind, repaired, text, compilation, rounds, plan, todo)


def _is_for_drafter(diagnostic: Diagnostic) -> bool:
    """Returns whether a drafter can fix it: a fault, a value or a value without effect, but no
    credential and no value that only the user knows.
    """
    return is_wrong(diagnostic) or is_missing(diagnostic) or is_without_effect(diagnostic)
