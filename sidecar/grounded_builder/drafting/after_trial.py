"""Runs the trial of an artifact, and decides what follows: another draft, or the outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.diagnostics import Diagnostic, sorted_unique
from grounded_builder.diagnostics.render import render_for_model
from grounded_builder.drafting.conversation import Conversation, Message, Outcome
from grounded_builder.drafting.evaluate import CompileContext, keys_of
from grounded_builder.drafting.prompt import CORRECT
from grounded_builder.drafting.repair_prompt import stand_for_repair
from grounded_builder.drafting.token_estimate import tokens_of

# Runs a compilation and returns the findings.
Trying = Callable[[Compilation], tuple[Diagnostic, ...]]

_REPLY_KEPT = 20_000
_FAILED = "ExecutionError"
_RAN = (
    "The draft compiles. A copy of it was run, with samples in the place of all that reaches "
    "outside"
)
_CONTRADICTED = (
    "A run contradicts what is expected. Correct the steps, or the expectation where it is wrong."
)


def after_trial_run(outcome: Outcome, trying: Trying | None) -> tuple[Diagnostic, ...]:
    """Returns the findings of a trial; none where nothing is built, or no trial is requested."""
    made = outcome.compilation
    if trying is None or made is None or made.artifact is None or outcome.outcome == "refused":
        return ()
    return trying(made)


def with_findings(
    compilation: Compilation | None, diagnostics: tuple[Diagnostic, ...]
) -> Compilation | None:
    """Returns a compilation with the findings of its trial."""
    if compilation is None or not diagnostics:
        return compilation
    return replace(compilation, diagnostics=sorted_unique((*compilation.diagnostics, *diagnostics)))


def after_trial(
    conversation: Conversation,
    reply: str,
    outcome: Outcome,
    diagnostics: tuple[Diagnostic, ...],
    context: CompileContext,
    *,
    now: float,
) -> tuple[Conversation, Outcome | None]:
    """Sends failures and contradicted expectations back to the drafter, unless they occurred before
    or the limits are used up; expectations once.
    """
    failed = tuple(d for d in diagnostics if d.rule.error_type == _FAILED and d.node is not None)
    contradicted = tuple(d for d in diagnostics if is_contradiction(d))
    if not conversation.contradicted:
        failed = (*failed, *contradicted)
    keys = keys_of(failed)
    if not failed or keys == conversation.last or conversation.limit(now) is not None:
        return conversation, with_trial(outcome, diagnostics, conversation.contradicted)
    note = f"\n{_CONTRADICTED}" if any(is_contradiction(d) for d in failed) else ""
    text = f"{_RAN}:\n{render_for_model(failed)}\n{note}\n{CORRECT}"
    conversation = stand_for_repair(conversation, outcome.compilation, context)
    messages = (
        *conversation.messages[: conversation.pinned_messages],
        Message("assistant", reply[:_REPLY_KEPT]),
        Message("user", text),
    )
    spent = conversation.spent + tokens_of(message.content for message in messages)
    best = conversation.best_reply or reply
    conversation = replace(
        conversation,
        round=conversation.round + 1,
        messages=messages,
        spent=spent,
        last=keys,
        best_reply=best,
        contradicted=(*conversation.contradicted, *(d.message for d in contradicted)),
    )
    return conversation, None


def is_contradiction(diagnostic: Diagnostic) -> bool:
    """Returns whether a run contradicts an expectation, which concerns no single node."""
    rule = diagnostic.rule
    return rule.kind == "wrong" and rule.error_type == _FAILED and diagnostic.node is None


def note_unjudged(outcome: Outcome) -> Outcome:
    """Returns the outcome of a draft that was not rehearsed, with a note on its expectations."""
    made = outcome.compilation
    if made is None or made.artifact is None or not made.expect:
        return outcome
    text = f"Expected but not judged, as no rehearsal was made: {len(made.expect)}."
    return replace(outcome, summary=f"{outcome.summary} {text}")


def with_trial(
    outcome: Outcome, diagnostics: tuple[Diagnostic, ...], contradicted: Sequence[str] = ()
) -> Outcome:
    """Returns the outcome with the findings of its trial; certain failures are not built.

    ``contradicted`` are expectations that the run of an earlier draft contradicted.
    """
    compilation = with_findings(outcome.compilation, diagnostics)
    if not diagnostics:
        return outcome
    wrong = tuple(
        diagnostic.message for diagnostic in diagnostics if diagnostic.rule.kind == "wrong"
    )
    # Findings about the trial as a whole, such as what it cannot prove, have no node.
    about = [d.message for d in diagnostics if d.node is None and d.rule.kind != "wrong"]
    notes = [*(f"A trial failed: {message}." for message in wrong[:1])]
    notes += [f"Trial: {message}." for message in about]
    notes += [f"The run of an earlier draft showed: {text}." for text in contradicted[:1]]
    text = " ".join((outcome.summary, *notes))
    kind = "incomplete" if wrong and outcome.outcome == "built" else outcome.outcome
    todo = (*outcome.todo, *wrong)
    return replace(outcome, outcome=kind, summary=text, compilation=compilation, todo=todo)
