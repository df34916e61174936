"""The drafting loop: ask, compile, tell what is wrong, ask again, within bounds.

Pure: the state of a conversation goes in and comes out, time is a parameter. Who the
drafter is, and how it is reached, is the caller's business.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domain import Domain
from grounded_builder.parse import parse
from grounded_builder.pipeline import Compilation, correct, open_points
from grounded_builder.registry.registry import Registry
from grounded_builder.repair.prompt import (
    feedback_prompt,
    request_prompt,
    response_schema,
    system_prompt,
)
from grounded_builder.repair.retrieval import shown_tools
from grounded_builder.repair.summary import summary
from grounded_builder.repair.talk import Bounds, Message, Outcome, Reason, Talk
from grounded_builder.repair.tokens import tokens_in, tokens_of
from grounded_builder.setting import Setting
from grounded_builder.unresolved import References

_REPLY_KEPT = 20_000
_REPLY_TAKEN = 400_000


def open_talk(
    request: str, domain: Domain, registry: Registry, bounds: Bounds, *, now: float
) -> Talk:
    """Begin: the tools that the request is about, the rules, the request."""
    shown = shown_tools(request, domain, registry)
    ids = tuple(one.tool for one in shown)
    messages = (
        Message("system", system_prompt(domain, registry, shown)),
        Message("user", request_prompt(request)),
    )
    spent = tokens_of(message.content for message in messages)
    return Talk(
        request=request,
        bounds=bounds,
        round=1,
        messages=messages,
        schema=response_schema(ids),
        shown=ids,
        spent=spent,
        started=now,
        last=(),
        catalog=registry.fingerprint,
    )


def take_reply(
    talk: Talk,
    reply: str,
    domain: Domain,
    registry: Registry,
    setting: Setting,
    references: References,
    *,
    now: float,
) -> tuple[Talk, Outcome | None, Compilation | None]:
    """Compile a reply: the outcome, or None with the messages to send next.

    A value that is missing goes back to the drafter once; what it cannot supply then
    is left to the user.
    """
    talk = replace(talk, spent=talk.spent + tokens_in(reply[:_REPLY_TAKEN]))
    reply = reply[:_REPLY_TAKEN]
    refusal = _refusal(reply, setting)
    if refusal is not None:
        return talk, _refused(talk, f"The drafter says it cannot be done: {refusal}"), None
    compilation = correct(reply, domain, registry, setting, references)
    if compilation.verdict == "ok":
        return talk, _made("built", talk, compilation, registry), compilation
    wanted = tuple(d for d in compilation.diagnostics if _is_for_drafter(d))
    keys = tuple(sorted({f"{d.code} {d.at} {d.message}" for d in wanted}))
    stalled = bool(keys) and keys == talk.last
    over = talk.limit(now) is not None
    if compilation.verdict == "incomplete" and (stalled or over or not wanted):
        return talk, _made("incomplete", talk, compilation, registry), compilation
    if stalled or over:
        reason: Reason = "stalled" if stalled else "exhausted"
        return talk, _gave_up(talk, reason, compilation, registry), compilation
    return _next(talk, reply, wanted, keys), None, compilation


def _next(talk: Talk, reply: str, wanted: tuple[Diagnostic, ...], keys: tuple[str, ...]) -> Talk:
    """The conversation with the last draft and all that is wrong with it."""
    feedback = feedback_prompt(wanted, talk.shown)
    said = Message("assistant", reply[:_REPLY_KEPT])
    # Older drafts are of no use to the drafter and cost tokens: the first two messages stay.
    messages = (*talk.messages[:2], said, Message("user", feedback))
    spent = talk.spent + tokens_of(message.content for message in messages)
    return replace(talk, round=talk.round + 1, messages=messages, spent=spent, last=keys)


def _is_for_drafter(diagnostic: Diagnostic) -> bool:
    """Whether a drafter can mend it: all that is wrong, and values, but never credentials."""
    if diagnostic.rule.kind == "wrong":
        return True
    return diagnostic.rule.kind == "incomplete" and diagnostic.rule.error_type in (
        "MissingParameter",
        "UnknownParameter",
        "MissingTrigger",
    )


def _refusal(reply: str, setting: Setting) -> str | None:
    value, _ = parse(reply, setting.limits)
    if isinstance(value, dict) and isinstance(value.get("cannot"), str) and "steps" not in value:
        return str(value["cannot"])[:500]
    return None


def _made(
    kind: Literal["built", "incomplete"], talk: Talk, compilation: Compilation, registry: Registry
) -> Outcome:
    todo = tuple(open_points(compilation.diagnostics))
    reason: Reason | None = "repaired" if talk.round > 1 or compilation.corrections else None
    plan = compilation.document if isinstance(compilation.document, dict) else None
    text = summary(compilation, registry, todo)
    return Outcome(kind, reason, text, compilation, talk.round, plan, todo)


def _gave_up(talk: Talk, reason: Reason, compilation: Compilation, registry: Registry) -> Outcome:
    why = {
        "stalled": "the drafter made the same mistakes twice",
        "exhausted": f"{talk.round} rounds or their time are used up",
    }.get(reason, reason)
    text = f"{summary(compilation, registry, ())} {why[:1].upper()}{why[1:]}."
    plan = compilation.document if isinstance(compilation.document, dict) else None
    return Outcome("refused", reason, text, compilation, talk.round, plan, ())


def _refused(talk: Talk, text: str) -> Outcome:
    return Outcome("refused", None, text, None, talk.round, None, ())
