"""Starts a conversation, takes replies and answers, and returns the next messages or outcome.

It is pure: the state of a conversation is passed in and returned, and time is a parameter. The
caller reaches the drafter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.pipeline import Compilation, open_points
from grounded_builder.compiler.stated_values import STATED_VALUE_ABSENT, unused_values
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.drafting import summary
from grounded_builder.drafting.clarification import (
    NOBODY_ANSWERS,
    PERSON_ANSWERS,
    Clarification,
    clarification_in,
)
from grounded_builder.drafting.conversation import (
    Conversation,
    ConversationLimits,
    Limit,
    Message,
    Outcome,
    Reason,
)
from grounded_builder.drafting.drafter_questions import (
    MOST_QUESTIONS,
    NO_CALLS,
    Question,
    answer_questions,
    named_in,
    questions_in,
    refusal_in,
    without_calls,
)
from grounded_builder.drafting.evaluate import (
    CompileContext,
    evaluate_draft,
    is_better,
    is_dictated,
    is_empty_data,
    is_left_to_user,
    is_missing,
    is_readable,
    is_repeatable,
    is_wrong,
    keys_of,
    rank_draft,
    with_size_limit,
)
from grounded_builder.drafting.first_prompt import PromptContext, write_first_prompt
from grounded_builder.drafting.partial_build import largest_part
from grounded_builder.drafting.prompt import (
    feedback_prompt,
    quote,
    reply_schema,
    shorten_list,
)
from grounded_builder.drafting.recommended_tools import add_recommended, with_candidates
from grounded_builder.drafting.repair_prompt import stand_for_repair
from grounded_builder.drafting.token_estimate import tokens_in, tokens_of
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.plan import assumptions_in
from grounded_builder.ir.rules.artifact import NOT_ALLOWED
from grounded_builder.resolve.diagnose import AMBIGUOUS_TOOL, UNAVAILABLE_TOOL, UNKNOWN_TOOL

_REPLY_KEPT = 20_000
_REPLY_TAKEN = 400_000
_ASIDE_KEPT = 2_000
_ASIDE_READ = 20_000
_MOST_ABSENT = 30
_NO_TOOL = frozenset({UNKNOWN_TOOL, AMBIGUOUS_TOOL})
_DENIED = frozenset({UNAVAILABLE_TOOL, NOT_ALLOWED})

Step = tuple[Conversation, Outcome | None, Compilation | None]


def start_conversation(
    request: str,
    domain: Domain,
    registry: Registry,
    bounds: ConversationLimits,
    known: PromptContext | None = None,
    *,
    now: float,
) -> Conversation:
    """Returns a new conversation: the relevant tools, the rules, the request."""
    known = known or PromptContext()
    first = write_first_prompt(request, domain, registry, known, bounds.prompt_tokens)
    return Conversation(
        request=request,
        bounds=bounds,
        round=1,
        messages=first.messages,
        schema=reply_schema(first.shown, domain, known),
        shown=first.shown,
        spent=tokens_of(message.content for message in first.messages),
        started=now,
        last=(),
        catalog=registry.fingerprint,
        forbidden_names=tuple(invention.name for invention in known.inventions),
        prompt=first.account,
        bare_request=first.bare_request,
        may_ask=known.may_ask,
    )


def take_answer(conversation: Conversation, answer: str, *, now: float) -> Conversation:
    """Returns the conversation with the person's answer to its question; it costs no round.

    The time that the person took does not count.
    """
    text = f"{PERSON_ANSWERS}\n{answer}\nAnswer with ONE JSON object."
    conversation = _pin(conversation, Message("user", text))
    return replace(conversation, question=None, may_ask=False, started=now)


def take_reply(
    conversation: Conversation, reply: str, context: CompileContext, *, now: float
) -> Step:
    """Compiles a reply; returns the outcome, or None with the messages to send next.

    A missing value that a drafter can supply is sent back once; afterwards it is left to the user.
    Values of the user's account are left to them at once, unless the request states values that the
    draft does not have. Advice alone leads to one more draft, never to a worse outcome. A reply
    that took too long is the last one.
    """
    # Another catalog may have become active since the last prompt.
    conversation = _show(conversation, conversation.shown, context)
    next_talk, outcome, compilation = _process_reply(conversation, reply, context, now)
    return replace(next_talk, started=now), outcome, compilation


def _process_reply(
    conversation: Conversation, reply: str, context: CompileContext, now: float
) -> Step:
    """Returns the step after a reply that came at ``now``."""
    conversation = replace(conversation, spent=conversation.spent + tokens_in(reply[:_REPLY_TAKEN]))
    if len(reply) > _REPLY_TAKEN:
        context = with_size_limit(context, _REPLY_TAKEN)
    # Questions and refusals are short: a longer reply is a draft, or nothing.
    value = parse(reply, context.options.limits)[0] if len(reply) <= _ASIDE_READ else None
    questions = questions_in(value)
    if questions:
        return _on_question(conversation, reply, questions, context, now)
    clarification = clarification_in(value)
    if clarification is not None:
        return _on_clarification(conversation, reply, clarification, context, now)
    refusal = refusal_in(value)
    if refusal is not None:
        return _on_refusal(conversation, reply, refusal, context, now)
    reply, why = without_calls(value, reply, context.registry)
    if why:
        return _insist_on_draft(conversation, reply, NO_CALLS, why, context, now)
    compilation = evaluate_draft(reply, conversation.request, context)
    conversation = _keep_best(conversation, reply, compilation, context)
    if compilation.verdict == "wrong":
        return _after_invalid_draft(conversation, reply, compilation, context, now)
    return _after_valid_draft(conversation, reply, compilation, context, now)


def _keep_best(
    conversation: Conversation, reply: str, compilation: Compilation, context: CompileContext
) -> Conversation:
    """Returns the conversation with a draft as the best one unless an earlier one is better."""
    rank = rank_draft(compilation, context.domain)
    if not is_readable(rank) or (conversation.best_rank and rank > conversation.best_rank):
        return conversation
    return replace(conversation, best_reply=reply, best_rank=rank)


def _after_valid_draft(
    conversation: Conversation,
    reply: str,
    compilation: Compilation,
    context: CompileContext,
    now: float,
) -> Step:
    """Returns the step after a draft that compiles: one more for its gaps, or the outcome."""
    diagnostics = compilation.diagnostics
    missing = tuple(d for d in diagnostics if is_missing(d))
    # If the request states values that the draft lacks, the drafter is asked for them once. A text
    # in quotes alone can be emphasis, and is worth a draft only if the draft leaves a value open.
    lost = tuple(d for d in diagnostics if d.rule == STATED_VALUE_ABSENT)
    if lost and not conversation.values_asked:
        of_user = tuple(d for d in diagnostics if is_left_to_user(d))
        sure = unused_values(conversation.request, compilation.document, sure=True)
        lost = lost if of_user else tuple(d for d in lost if d.token in sure)
        missing = (*missing, *lost, *of_user)
        conversation = replace(conversation, values_asked=bool(lost))
    advice = (
        ()
        if conversation.advice_sent
        else tuple(
            d
            for d in diagnostics
            if is_better(d)
            and d.rule != STATED_VALUE_ABSENT
            and not is_dictated(d, conversation.request)
            and not (is_repeatable(d) and keys_of([d])[0] in conversation.last)
        )
    )
    keys = keys_of(missing)
    again = bool(missing) and keys != conversation.last
    if conversation.limit(now) is None and (again or advice):
        wanted = (*missing, *advice) if again else advice
        conversation = replace(conversation, advice_sent=conversation.advice_sent or bool(advice))
        return (
            _next(conversation, reply, compilation, wanted, keys, context, compiles=True),
            None,
            compilation,
        )
    outcome = _end(conversation, reply, compilation, context)
    return conversation, outcome or _finish(conversation, compilation, context), compilation


def _after_invalid_draft(
    conversation: Conversation,
    reply: str,
    compilation: Compilation,
    context: CompileContext,
    now: float,
) -> Step:
    """Returns the step after a wrong draft: another one, the best earlier one, a part,
    or nothing.
    """
    wanted = tuple(
        d for d in compilation.diagnostics if is_wrong(d) or is_missing(d) or is_repeatable(d)
    )
    keys = keys_of(wanted)
    limit = conversation.limit(now)
    is_stalled = keys == conversation.last
    if limit is None and not is_stalled:
        conversation = _forbid_invented_names(conversation, wanted, context)
        return _next(conversation, reply, compilation, wanted, keys, context), None, compilation
    why, reason = _reason_to_end(conversation, None if is_stalled else limit)
    outcome = _end(conversation, reply, compilation, context)
    if outcome is not None:
        return conversation, outcome.explain_part(why, reason), compilation
    text = f"{summary.summarize(compilation, context.registry, ())} {why}"
    cause = next(d.message for d in compilation.diagnostics if is_wrong(d))
    return _end_without_artifact(conversation, reason, text, compilation, cause)


def end_early(conversation: Conversation, context: CompileContext, why: str) -> Outcome | None:
    """Returns the outcome of the best draft so far where no further reply comes, for the reason
    ``why``; None where no draft can be built.
    """
    outcome = _end_best(conversation, context)
    text = f" The drafter did not reply again: {why.rstrip('.')}."
    return None if outcome is None else replace(outcome, summary=outcome.summary + text)


def _end_best(conversation: Conversation, context: CompileContext) -> Outcome | None:
    """Returns the outcome of the best draft so far, None where none can be built."""
    if conversation.best_reply is None:
        return None
    made = evaluate_draft(conversation.best_reply, conversation.request, context)
    return _end(conversation, conversation.best_reply, made, context)


def _end(
    conversation: Conversation, reply: str, compilation: Compilation, context: CompileContext
) -> Outcome | None:
    """Returns the outcome of the best draft, or of the part of it that compiles; else None.

    ``compilation`` is that of ``reply``, which may be the best draft itself.
    """
    best = compilation
    if conversation.best_reply is not None and conversation.best_reply != reply:
        best = evaluate_draft(conversation.best_reply, conversation.request, context)
    if best.artifact is not None:
        return _finish(conversation, best, context)
    if not context.salvage:
        return None
    part = largest_part(best, context.domain, context.registry, context.options, context.references)
    if part is None:
        return None
    todo = (
        *(f"left out, as it does not compile: {name}" for name in part.left_out),
        *open_points(part.compilation.diagnostics),
    )
    text = summary.summarize(part.compilation, context.registry, todo)
    return Outcome(
        "incomplete",
        None,
        f"Only a part compiles. {text}",
        part.compilation,
        conversation.round,
        part.plan,
        todo,
        part.left_out,
    )


def _reason_to_end(conversation: Conversation, limit: Limit | None) -> tuple[str, Reason]:
    """Returns why a conversation ends without a draft that compiles, as a text and a reason."""
    if limit is None:
        return summary.summarize_stalled(), "stalled"
    return summary.summarize_exhausted(limit, conversation.bounds), "exhausted"


def _on_question(
    conversation: Conversation,
    reply: str,
    questions: tuple[Question, ...],
    context: CompileContext,
    now: float,
) -> Step:
    """Answers a drafter's question; the answer stays, and the first few cost no round."""
    if conversation.questions >= MOST_QUESTIONS or conversation.limit(now) == "tokens":
        text = f"No more questions: {MOST_QUESTIONS} were answered. Answer with the plan now."
        return _insist_on_draft(conversation, reply, text, "It only asked questions.", context, now)
    denied = {*context.options.policy.denied, *conversation.denied}
    system, *rest = conversation.messages
    answered_question = answer_questions(
        questions, context.domain, context.registry, denied, conversation.request, system.content
    )
    left = MOST_QUESTIONS - conversation.questions - 1
    more = f"You may ask {left} more times." if left else "You may not ask again."
    result = Message("user", f"{answered_question.text}\n{more} Answer with ONE JSON object.")
    asked = Message("assistant", reply[:_ASIDE_KEPT])
    if conversation.prompt and "meant" in conversation.prompt:
        # The drafter has read the list and asks for what it lacks: names are enough of what no word
        # of the request means.
        detailed = {*conversation.prompt["meant"], *answered_question.listed}
        system = replace(system, content=shorten_list(system.content, detailed))
    conversation = _show(conversation, (*conversation.shown, *answered_question.tools), context)
    messages = (system, *rest, asked, result)
    conversation = replace(
        conversation,
        messages=messages,
        pinned_messages=len(messages),
        questions=conversation.questions + 1,
        spent=conversation.spent + tokens_of(message.content for message in messages),
    )
    return conversation, None, None


def _on_clarification(
    conversation: Conversation,
    reply: str,
    clarification: Clarification,
    context: CompileContext,
    now: float,
) -> Step:
    """Passes a question on to the person once; otherwise the drafter is to choose."""
    if not conversation.may_ask:
        why = "It only asked questions."
        return _insist_on_draft(conversation, reply, NOBODY_ANSWERS, why, context, now)
    conversation = _pin(conversation, Message("assistant", reply[:_ASIDE_KEPT]))
    return replace(conversation, question=clarification, asked_at=now), None, None


def _on_refusal(
    conversation: Conversation, reply: str, reason: str, context: CompileContext, now: float
) -> Step:
    """Accepts a drafter's refusal, unless the tool that it misses exists."""
    denied = {*context.options.policy.denied, *conversation.denied}
    known = named_in(reason, context.registry, denied)
    outcome = _end_best(conversation, context)
    if outcome is not None:
        return conversation, outcome, None
    if not known or conversation.refusal_challenged or conversation.limit(now) is not None:
        text = summary.summarize_refusal(
            reason, [quote(name, 60) for name in known] if conversation.refusal_challenged else ()
        )
        return _end_without_artifact(conversation, None, text)
    listed = "; ".join(f"{quote(item, 60)}: {', '.join(ids)}" for item, ids in known.items())
    shown = (*conversation.shown, *(tool for tools in known.values() for tool in tools))
    conversation = _show(replace(conversation, refusal_challenged=True), shown, context)
    text = (
        f"These tools ARE installed and may be used: {listed}. Answer with the plan, or with what "
        'exactly they cannot do: {"cannot": "..."}.'
    )
    return _insist_on_draft(
        conversation, reply, text, "It stated that the request cannot be done.", context, now
    )


def _pin(conversation: Conversation, *messages: Message) -> Conversation:
    """Returns the conversation with messages that are sent with every further request."""
    everything = (*conversation.messages, *messages)
    return replace(conversation, messages=everything, pinned_messages=len(everything))


def _insist_on_draft(
    conversation: Conversation, reply: str, text: str, why: str, context: CompileContext, now: float
) -> Step:
    """Asks once more for a draft, at the cost of a round, and then ends with the best draft."""
    key = (why,)
    limit = conversation.limit(now)
    if limit is None and key != conversation.last:
        results = (Message("assistant", reply[:_ASIDE_KEPT]), Message("user", text))
        return _ask_again(conversation, results, key), None, None
    ended, reason = _reason_to_end(conversation, limit)
    outcome = _end_best(conversation, context)
    if outcome is not None:
        return conversation, outcome.explain_part(ended, reason), None
    value = f"Nothing was built: the drafter sent no draft. {why} {ended}"
    return _end_without_artifact(conversation, reason, value, cause=why.removesuffix("."))


def _end_without_artifact(
    conversation: Conversation,
    reason: Reason | None,
    text: str,
    compilation: Compilation | None = None,
    cause: str = "",
) -> Step:
    """Returns the step that ends a conversation with the last draft, if any, and no artifact."""
    document, rounds = compilation and compilation.document, conversation.round
    plan = document if isinstance(document, dict) else None
    outcome = Outcome("refused", reason, text, compilation, rounds, plan, (), cause=cause)
    return conversation, outcome, compilation


def _next(
    conversation: Conversation,
    reply: str,
    compilation: Compilation,
    wanted: tuple[Diagnostic, ...],
    keys: tuple[str, ...],
    context: CompileContext,
    *,
    compiles: bool = False,
) -> Conversation:
    """Returns the conversation with the last draft, all its findings and the tools they name."""
    denied = {*context.options.policy.denied, *conversation.denied}
    conversation = stand_for_repair(conversation, compilation, context)
    wanted = with_candidates(wanted, conversation.shown, context.domain, context.registry, denied)
    shown, more = add_recommended(conversation, wanted, context.domain, context.registry, denied)
    conversation = _show(conversation, shown, context)
    feedback = feedback_prompt(
        wanted, more, conversation.forbidden_names, conversation.denied, compiles=compiles
    )
    results = (Message("assistant", reply[:_REPLY_KEPT]), Message("user", feedback))
    return _ask_again(conversation, results, keys)


def _ask_again(
    conversation: Conversation, new_messages: tuple[Message, ...], keys: tuple[str, ...]
) -> Conversation:
    # Older drafts do not help the drafter and cost tokens: only pinned messages stay.
    messages = (*conversation.messages[: conversation.pinned_messages], *new_messages)
    spent = conversation.spent + tokens_of(message.content for message in messages)
    return replace(
        conversation, round=conversation.round + 1, messages=messages, spent=spent, last=keys
    )


def _show(
    conversation: Conversation, tools: Sequence[str], context: CompileContext
) -> Conversation:
    """Returns the conversation with the installed of these tools as those of replies."""
    shown = tuple(tool for tool in dict.fromkeys(tools) if tool in context.registry.tools)
    schema = reply_schema(shown, context.domain, context)
    return replace(conversation, shown=shown, schema=schema)


def _forbid_invented_names(
    conversation: Conversation, wanted: tuple[Diagnostic, ...], context: CompileContext
) -> Conversation:
    """Returns the conversation with invented and denied names listed as forbidden and not shown."""
    invented = [d.token for d in wanted if d.rule in _NO_TOOL and d.token]
    refused = [d.token for d in wanted if d.rule in _DENIED and d.token]
    denied = tuple(dict.fromkeys((*conversation.denied, *refused)))
    absent = tuple(dict.fromkeys((*conversation.forbidden_names, *invented)))[-_MOST_ABSENT:]
    conversation = replace(conversation, forbidden_names=absent, denied=denied)
    shown = [name for name in conversation.shown if name not in denied]
    return _show(conversation, shown, context)


def _finish(
    conversation: Conversation, compilation: Compilation, context: CompileContext
) -> Outcome:
    """Returns the outcome of a draft that compiles.

    Its to-do list has the values that it lost, and the data that is empty when it runs.
    """
    findings = compilation.diagnostics
    lost = [d.message for d in findings if d.rule == STATED_VALUE_ABSENT or is_empty_data(d)]
    todo = (*open_points(findings), *lost)
    if lost and compilation.artifact is not None and context.domain.building.annotate is not None:
        artifact = context.domain.building.annotate(compilation.artifact, todo)
        compilation = replace(compilation, artifact=artifact)
    reason: Reason | None = (
        "repaired" if conversation.round > 1 or compilation.corrections else None
    )
    plan = compilation.document if isinstance(compilation.document, dict) else None
    text = summary.summarize(compilation, context.registry, todo, (), assumptions_in(plan))
    kind: Literal["built", "incomplete"] = "built" if compilation.verdict == "ok" else "incomplete"
    return Outcome(kind, reason, text, compilation, conversation.round, plan, todo)
