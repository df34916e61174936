"""Starts a conversation, compiles each reply, and returns the next messages or the outcome.

It is pure: the state of a conversation is passed in and returned, and time is a parameter. The
caller reaches the drafter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

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
    Question,
    answer_questions,
    named_in,
    questions_in,
    refusal_in,
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
    is_without_effect,
    is_wrong,
    keys_of,
    rank_draft,
)
from grounded_builder.drafting.first_prompt import PromptContext, write_first_prompt
from grounded_builder.drafting.partial_build import largest_part
from grounded_builder.drafting.prompt import (
    feedback_prompt,
    quote,
    response_schema,
    without_details,
)
from grounded_builder.drafting.recommended_tools import add_recommended
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
        schema=_schema_of(first.shown, domain, offers_native=known.offers_native),
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


def take_answer(talk: Conversation, answer: str, *, now: float) -> Conversation:
    """Returns the conversation with the person's answer to its question; it costs no round.

    The time that the person took does not count.
    """
    text = f"{PERSON_ANSWERS}\n{answer}\nAnswer with ONE JSON object."
    talk = _pin(talk, Message("user", text))
    return replace(talk, question=None, may_ask=False, started=now)


def take_reply(talk: Conversation, reply: str, bench: CompileContext, *, now: float) -> Step:
    """Compiles a reply; returns the outcome, or None with the messages to send next.

    A missing value that a drafter can supply is sent back once; afterwards it is left to the user.
    Values of the user's account are left to them at once, unless the request states values that the
    draft does not have. Advice alone leads to one more draft, never to a worse outcome. A reply
    that took too long is the last one.
    """
    next_talk, outcome, compilation = _process_reply(talk, reply, bench, now)
    return replace(next_talk, started=now), outcome, compilation


def _process_reply(talk: Conversation, reply: str, bench: CompileContext, now: float) -> Step:
    """Returns the step after a reply that came at ``now``."""
    talk = replace(talk, spent=talk.spent + tokens_in(reply[:_REPLY_TAKEN]))
    reply = reply[:_REPLY_TAKEN]
    # Questions and refusals are short: a longer reply is a draft, or nothing.
    value = parse(reply, bench.options.limits)[0] if len(reply) <= _ASIDE_READ else None
    questions = questions_in(value)
    if questions:
        return _on_question(talk, reply, questions, bench, now)
    clarification = clarification_in(value)
    if clarification is not None:
        return _on_clarification(talk, reply, clarification, bench, now)
    refusal = refusal_in(value)
    if refusal is not None:
        return _on_refusal(talk, reply, refusal, bench, now)
    compilation = evaluate_draft(reply, talk.request, bench)
    talk = _keep_best(talk, reply, compilation, bench)
    if compilation.verdict == "wrong":
        return _after_invalid_draft(talk, reply, compilation, bench, now)
    return _after_valid_draft(talk, reply, compilation, bench, now)


def _keep_best(
    talk: Conversation, reply: str, compilation: Compilation, bench: CompileContext
) -> Conversation:
    """Returns the conversation with a draft as the best one unless an earlier one is better."""
    rank = rank_draft(compilation, bench.domain)
    if not is_readable(rank) or (talk.best_rank and rank > talk.best_rank):
        return talk
    return replace(talk, best_reply=reply, best_rank=rank)


def _after_valid_draft(
    talk: Conversation, reply: str, compilation: Compilation, bench: CompileContext, now: float
) -> Step:
    """Returns the step after a draft that compiles: one more for its gaps, or the outcome."""
    diagnostics = compilation.diagnostics
    missing = tuple(d for d in diagnostics if is_missing(d))
    # If the request states values that the draft lacks, the drafter is asked for them once. A text
    # in quotes alone can be emphasis, and is worth a draft only if the draft leaves a value open.
    lost = tuple(d for d in diagnostics if d.rule == STATED_VALUE_ABSENT)
    if lost and not talk.values_asked:
        of_user = tuple(d for d in diagnostics if is_left_to_user(d))
        sure = unused_values(talk.request, compilation.document, sure=True)
        lost = lost if of_user else tuple(d for d in lost if d.token in sure)
        missing = (*missing, *lost, *of_user)
        talk = replace(talk, values_asked=bool(lost))
    advice = (
        ()
        if talk.advice_sent
        else tuple(
            d
            for d in diagnostics
            if is_better(d)
            and d.rule != STATED_VALUE_ABSENT
            and not is_dictated(d, talk.request)
            and not (is_without_effect(d) and keys_of([d])[0] in talk.last)
        )
    )
    keys = keys_of(missing)
    again = bool(missing) and keys != talk.last
    if talk.limit(now) is None and (again or advice):
        wanted = (*missing, *advice) if again else advice
        talk = replace(talk, advice_sent=talk.advice_sent or bool(advice))
        return (
            _next(talk, reply, compilation, wanted, keys, bench, compiles=True),
            None,
            compilation,
        )
    outcome = _end(talk, reply, compilation, bench)
    return talk, outcome or _finish(talk, compilation, bench), compilation


def _after_invalid_draft(
    talk: Conversation, reply: str, compilation: Compilation, bench: CompileContext, now: float
) -> Step:
    """Returns the step after a wrong draft: another one, the best earlier one, a part,
    or nothing.
    """
    wanted = tuple(
        d for d in compilation.diagnostics if is_wrong(d) or is_missing(d) or is_without_effect(d)
    )
    keys = keys_of(wanted)
    limit = talk.limit(now)
    is_stalled = keys == talk.last
    if limit is None and not is_stalled:
        talk = _forbid_invented_names(talk, wanted, bench)
        return _next(talk, reply, compilation, wanted, keys, bench), None, compilation
    why, reason = _reason_to_end(talk, None if is_stalled else limit)
    outcome = _end(talk, reply, compilation, bench)
    if outcome is not None:
        return talk, _explain_part(outcome, why, reason), compilation
    text = f"{summary.summarize(compilation, bench.registry, ())} {why}"
    plan = compilation.document if isinstance(compilation.document, dict) else None
    return talk, Outcome("refused", reason, text, compilation, talk.round, plan, ()), compilation


def end_early(talk: Conversation, bench: CompileContext, why: str) -> Outcome | None:
    """Returns the outcome of the best draft so far where no further reply comes, for the reason
    ``why``; None where no draft can be built.
    """
    outcome = _end_best(talk, bench)
    text = f" The drafter did not reply again: {why.rstrip('.')}."
    return None if outcome is None else replace(outcome, summary=outcome.summary + text)


def _end_best(talk: Conversation, bench: CompileContext) -> Outcome | None:
    """Returns the outcome of the best draft so far, None where none can be built."""
    if talk.best_reply is None:
        return None
    made = evaluate_draft(talk.best_reply, talk.request, bench)
    return _end(talk, talk.best_reply, made, bench)


def _end(
    talk: Conversation, reply: str, compilation: Compilation, bench: CompileContext
) -> Outcome | None:
    """Returns the outcome of the best draft, or of the part of it that compiles; else None.

    ``compilation`` is that of ``reply``, which may be the best draft itself.
    """
    best = compilation
    if talk.best_reply is not None and talk.best_reply != reply:
        best = evaluate_draft(talk.best_reply, talk.request, bench)
    if best.artifact is not None:
        return _finish(talk, best, bench)
    if not bench.salvage:
        return None
    facts = (bench.domain, bench.registry, bench.options, bench.references)
    part = largest_part(best, *facts)
    if part is None:
        return None
    todo = (
        *(f"left out, as it does not compile: {name}" for name in part.left_out),
        *open_points(part.compilation.diagnostics),
    )
    text = summary.summarize(part.compilation, bench.registry, todo)
    value = f"Only a part compiles. {text}"
    return Outcome(
        "incomplete", None, value, part.compilation, talk.round, part.plan, todo, part.left_out
    )


def _explain_part(outcome: Outcome, why: str, reason: Reason) -> Outcome:
    """Returns an outcome with the reason why only a part of a draft is built."""
    if outcome.left_out is None:
        return outcome
    return replace(outcome, reason=reason, summary=f"{outcome.summary} {why}")


def _reason_to_end(talk: Conversation, limit: Limit | None) -> tuple[str, Reason]:
    """Returns why a conversation ends without a draft that compiles, as a text and a reason."""
    if limit is None:
        return summary.summarize_stalled(), "stalled"
    return summary.summarize_exhausted(limit, talk.bounds), "exhausted"


def _on_question(
    talk: Conversation,
    reply: str,
    questions: tuple[Question, ...],
    bench: CompileContext,
    now: float,
) -> Step:
    """Answers a drafter's question; the answer stays, and the first few cost no round."""
    if talk.questions >= MOST_QUESTIONS or talk.limit(now) == "tokens":
        text = f"No more questions: {MOST_QUESTIONS} were answered. Answer with the plan now."
        return _insist_on_draft(talk, reply, text, "It only asked questions.", bench, now)
    denied = {*bench.options.policy.denied, *talk.denied}
    answered_question = answer_questions(
        questions, bench.domain, bench.registry, denied, talk.request
    )
    left = MOST_QUESTIONS - talk.questions - 1
    more = f"You may ask {left} more times." if left else "You may not ask again."
    result = Message("user", f"{answered_question.text}\n{more} Answer with ONE JSON object.")
    asked = Message("assistant", reply[:_ASIDE_KEPT])
    system, *rest = talk.messages
    if talk.prompt and "meant" in talk.prompt:
        # The drafter has read the list and asks for what it lacks: names are enough of what no word
        # of the request means.
        text = without_details(system.content, talk.prompt["meant"])
        system = replace(system, content=text)
    shown = tuple(dict.fromkeys((*talk.shown, *answered_question.tools)))
    messages = (system, *rest, asked, result)
    talk = replace(
        talk,
        messages=messages,
        pinned_messages=len(messages),
        questions=talk.questions + 1,
        shown=shown,
        schema=_reply_schema(shown, bench),
        spent=talk.spent + tokens_of(message.content for message in messages),
    )
    return talk, None, None


def _on_clarification(
    talk: Conversation,
    reply: str,
    clarification: Clarification,
    bench: CompileContext,
    now: float,
) -> Step:
    """Passes a question on to the person once; otherwise the drafter is to choose."""
    if not talk.may_ask:
        why = "It only asked questions."
        return _insist_on_draft(talk, reply, NOBODY_ANSWERS, why, bench, now)
    talk = _pin(talk, Message("assistant", reply[:_ASIDE_KEPT]))
    return replace(talk, question=clarification, asked_at=now), None, None


def _on_refusal(
    talk: Conversation, reply: str, reason: str, bench: CompileContext, now: float
) -> Step:
    """Accepts a drafter's refusal, unless the tool that it misses exists."""
    denied = {*bench.options.policy.denied, *talk.denied}
    known = named_in(reason, bench.registry, denied)
    outcome = _end_best(talk, bench)
    if outcome is not None:
        return talk, outcome, None
    if not known or talk.refusal_challenged or talk.limit(now) is not None:
        text = summary.summarize_refusal(
            reason, [quote(name, 60) for name in known] if talk.refusal_challenged else ()
        )
        return talk, Outcome("refused", None, text, None, talk.round, None, ()), None
    listed = "; ".join(f"{quote(item, 60)}: {', '.join(ids)}" for item, ids in known.items())
    shown = tuple(dict.fromkeys((*talk.shown, *(id_ for ids in known.values() for id_ in ids))))
    talk = replace(talk, refusal_challenged=True, shown=shown, schema=_reply_schema(shown, bench))
    text = (
        f"These tools ARE installed and may be used: {listed}. Answer with the plan, or with what "
        'exactly they cannot do: {"cannot": "..."}.'
    )
    return _insist_on_draft(
        talk, reply, text, "It stated that the request cannot be done.", bench, now
    )


def _pin(talk: Conversation, *messages: Message) -> Conversation:
    """Returns the conversation with messages that are sent with every further request."""
    everything = (*talk.messages, *messages)
    return replace(talk, messages=everything, pinned_messages=len(everything))


def _insist_on_draft(
    talk: Conversation, reply: str, text: str, why: str, bench: CompileContext, now: float
) -> Step:
    """Asks once more for a draft, at the cost of a round, and then ends with the best draft."""
    key = (why,)
    limit = talk.limit(now)
    if limit is None and key != talk.last:
        results = (Message("assistant", reply[:_ASIDE_KEPT]), Message("user", text))
        return _ask_again(talk, results, key), None, None
    ended, reason = _reason_to_end(talk, limit)
    outcome = _end_best(talk, bench)
    if outcome is not None:
        return talk, _explain_part(outcome, ended, reason), None
    value = f"Nothing was built: the drafter sent no draft. {why} {ended}"
    return talk, Outcome("refused", reason, value, None, talk.round, None, ()), None


def _next(
    talk: Conversation,
    reply: str,
    compilation: Compilation,
    wanted: tuple[Diagnostic, ...],
    keys: tuple[str, ...],
    bench: CompileContext,
    *,
    compiles: bool = False,
) -> Conversation:
    """Returns the conversation with the last draft, all its findings and the tools they name."""
    denied = {*bench.options.policy.denied, *talk.denied}
    talk = stand_for_repair(talk, compilation, bench)
    shown, more = add_recommended(talk, wanted, bench.domain, bench.registry, denied)
    talk = replace(talk, shown=shown, schema=_reply_schema(shown, bench))
    feedback = feedback_prompt(wanted, more, talk.forbidden_names, talk.denied, compiles=compiles)
    results = (Message("assistant", reply[:_REPLY_KEPT]), Message("user", feedback))
    return _ask_again(talk, results, keys)


def _ask_again(
    talk: Conversation, new_messages: tuple[Message, ...], keys: tuple[str, ...]
) -> Conversation:
    # Older drafts do not help the drafter and cost tokens: only pinned messages stay.
    messages = (*talk.messages[: talk.pinned_messages], *new_messages)
    spent = talk.spent + tokens_of(message.content for message in messages)
    return replace(talk, round=talk.round + 1, messages=messages, spent=spent, last=keys)


def _reply_schema(shown: Sequence[str], bench: CompileContext) -> dict[str, Any]:
    return _schema_of(shown, bench.domain, offers_native=bench.offers_native)


def _schema_of(shown: Sequence[str], domain: Domain, *, offers_native: bool) -> dict[str, Any]:
    """Returns the JSON Schema of a reply, which may be a native document where one is offered."""
    schema = response_schema(shown, domain.reading.step_settings)
    form = domain.prompting.native_form if offers_native else None
    return schema if form is None else {"anyOf": [*schema["anyOf"], form.schema(shown)]}


def _forbid_invented_names(
    talk: Conversation, wanted: tuple[Diagnostic, ...], bench: CompileContext
) -> Conversation:
    """Returns the conversation with invented and denied names listed as forbidden and not shown."""
    invented = [d.token for d in wanted if d.rule in _NO_TOOL and d.token]
    refused = [d.token for d in wanted if d.rule in _DENIED and d.token]
    denied = tuple(dict.fromkeys((*talk.denied, *refused)))
    absent = tuple(dict.fromkeys((*talk.forbidden_names, *invented)))[-_MOST_ABSENT:]
    shown = tuple(name for name in talk.shown if name not in denied)
    return replace(
        talk, forbidden_names=absent, denied=denied, shown=shown, schema=_reply_schema(shown, bench)
    )


def _finish(talk: Conversation, compilation: Compilation, bench: CompileContext) -> Outcome:
    """Returns the outcome of a draft that compiles.

    Its to-do list has the values that it lost, and the data that is empty when it runs.
    """
    lost = [
        d.message
        for d in compilation.diagnostics
        if d.rule == STATED_VALUE_ABSENT or is_empty_data(d)
    ]
    todo = (*open_points(compilation.diagnostics), *lost)
    if lost and compilation.artifact is not None and bench.domain.building.annotate is not None:
        artifact = bench.domain.building.annotate(compilation.artifact, todo)
        compilation = replace(compilation, artifact=artifact)
    reason: Reason | None = "repaired" if talk.round > 1 or compilation.corrections else None
    plan = compilation.document if isinstance(compilation.document, dict) else None
    text = summary.summarize(compilation, bench.registry, todo, (), assumptions_in(plan))
    kind: Literal["built", "incomplete"] = "built" if compilation.verdict == "ok" else "incomplete"
    return Outcome(kind, reason, text, compilation, talk.round, plan, todo)
