"""Summarizes an outcome for a person: what was made, with which tools, what is open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.goal_coverage import GOAL_NOT_COVERED
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.compiler.stated_values import STATED_VALUE_ABSENT
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.drafting.conversation import ConversationLimits, Limit

_NAMED = 12
_QUOTED = 80
_QUOTED_MESSAGE = 200
_REASONS = 3


def summarize(
    compilation: Compilation,
    registry: Registry,
    todo: Sequence[str],
    unplaced: Iterable[str] = (),
    assumptions: Sequence[str] = (),
) -> str:
    """Returns the summary of a compilation; tools have the names that people see."""
    if compilation.artifact is None:
        wrong = list(dict.fromkeys(d.message for d in compilation.diagnostics if _is_wrong(d)))
        more = f"; and {len(wrong) - _REASONS} more" if len(wrong) > _REASONS else ""
        reasons = "; ".join(wrong[:_REASONS])
        return f"Nothing was built: {reasons}{more}." if reasons else "Nothing was built."
    tools = compilation.plan.nodes if compilation.plan is not None else ()
    ids = [str(node["tool_id"]) for node in tools if node.get("tool_id") in registry.tools]
    names = list(dict.fromkeys(registry.tools[tool].name for tool in ids))
    parts = [f"Built of {_join_names(names[:_NAMED])}" if names else "Built"]
    if compilation.corrections:
        parts.append(_count_corrections([d.message for d in compilation.corrections]))
    missed = list(unplaced)
    missed += [
        name for name in _uncovered_parts(compilation) if not any(name in part for part in missed)
    ]
    if missed:
        more = f" and {len(missed) - _NAMED} other parts" if len(missed) > _NAMED else ""
        quoted = ", ".join(part[:_QUOTED] for part in missed[:_NAMED])
        parts.append(f"not covered: {quoted}{more}")
    if assumptions:
        parts.append(f"assumed: {', '.join(text.rstrip('.') for text in assumptions)}")
    if todo:
        parts.append(describe_todo(todo))
    return "; ".join(parts) + "."


def describe_todo(todo: Sequence[str]) -> str:
    """Returns the number of open points and the first of them; nothing without points."""
    if not todo:
        return ""
    return f"still to fill in: {len(todo)} ({todo[0]}{', ...' if todo[1:] else ''})"


def _count_corrections(messages: Sequence[str]) -> str:
    first, more = messages[0][:_QUOTED_MESSAGE], ", ..." if messages[1:] else ""
    if len(messages) == 1:
        return f"1 fault was corrected ({first})"
    return f"{len(messages)} faults were corrected ({first}{more})"


def summarize_stalled() -> str:
    """Returns why a conversation ended without progress, and what can be done."""
    return (
        "The drafter made the same mistakes twice. State the request more precisely, or use a "
        "stronger model."
    )


def summarize_exhausted(limit: Limit, bounds: ConversationLimits) -> str:
    """Returns why a conversation ended at a limit, and what can be done."""
    match limit:
        case "rounds":
            many = bounds.rounds > 1
            drafts = f"All {bounds.rounds} drafts are" if many else "The one draft allowed is"
            return (
                f"{drafts} used up. Allow more rounds, state the request more precisely, or use "
                "a stronger model."
            )
        case "seconds":
            return (
                f"The time limit of {bounds.seconds:g} seconds for a reply is used up. Allow more "
                "(GROUNDED_TALK_SECONDS), or use a faster model."
            )
        case "tokens":
            return (
                f"The limit of about {bounds.tokens:,} tokens is used up. Allow more "
                "(GROUNDED_TALK_TOKENS), or request less at once."
            )
        case _:  # pragma: no cover - there are no other limits
            assert_never(limit)


def summarize_refusal(reason: str, known: Iterable[str]) -> str:
    """Returns the summary of a drafter's refusal; ``known`` are existing tools that it names."""
    text = reason.rstrip(" .") or "it gives no reason"
    existing = ", ".join(known)
    insists = (
        f" It was informed that {existing} can be used, and refused again." if existing else ""
    )
    return f"The drafter says it cannot be done: {text}.{insists}"


def _is_wrong(diagnostic: Diagnostic) -> bool:
    return diagnostic.rule.kind == "wrong"


def _uncovered_parts(compilation: Compilation) -> list[str]:
    gaps = [d.token for d in compilation.diagnostics if d.rule == GOAL_NOT_COVERED and d.token]
    lost = [f'"{d.token}"' for d in compilation.diagnostics if d.rule == STATED_VALUE_ABSENT]
    return [*lost, *gaps]


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
