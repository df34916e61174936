"""Runs the drafting loop on real model-written drafts with a generated second reply."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evals.drafts.corpus import Draft
from evals.drafts.n8n_answers import Answer, Answers
from evals.drafts.second_reply import second_reply
from evals.drafts.stand_ins import with_credentials
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import ConversationLimits
from grounded_builder.drafting.conversation_rounds import start_conversation, take_reply
from grounded_builder.drafting.evaluate import CompileContext, evaluate_draft
from grounded_builder.ir.options import CompileOptions

_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class LoopResult:
    """The end of the loop after ``replies``, and the answer of n8n to the result."""

    id: str
    outcome: str
    reason: str | None
    replies: int
    summary: str
    n8n_answer: Answer | None


def run_drafting_loop(draft: Draft, registry: Registry, answers: Answers) -> LoopResult:
    """Runs the loop with the draft as first reply; the second follows the findings exactly."""
    context = CompileContext(N8N, registry, CompileOptions(purpose="import", seed=draft.id), tuple)
    conversation = start_conversation(
        draft.asked, N8N, registry, ConversationLimits(rounds=_ROUNDS), now=0.0
    )
    reply = draft.content if isinstance(draft.content, str) else json.dumps(draft.content)

    def again(document: Any) -> Compilation:
        return evaluate_draft(document, draft.asked, context)

    replies, outcome, compilation = 0, None, None
    while outcome is None:
        if compilation is not None:
            reply = json.dumps(second_reply(compilation, again))
        conversation, outcome, compilation = take_reply(conversation, reply, context, now=0.0)
        replies += 1
        assert replies <= _ROUNDS, f"{draft.id}: the loop goes on"
    made = outcome.compilation if outcome.outcome != "refused" else None
    answer = None
    if made is not None and made.artifact is not None:
        # n8n checks at publication whether credentials are chosen, which only the user can do.
        answer = answers.of(with_credentials(made.artifact, made.diagnostics))
    return LoopResult(draft.id, outcome.outcome, outcome.reason, replies, outcome.summary, answer)


def format_loop_table(loopeds: Sequence[LoopResult]) -> Iterator[str]:
    """Yields a table of outcomes by number of replies, with the answers of n8n."""
    yield "| outcome | after one reply | after two | n8n takes it at create | at publish |"
    yield "|---|---|---|---|---|"
    for outcome in ("built", "incomplete", "refused"):
        some = [item for item in loopeds if item.outcome == outcome]
        replies = Counter(item.replies for item in some)
        answers = [item.n8n_answer for item in some if item.n8n_answer is not None]
        cells = [outcome, replies[1], replies[2]]
        taken = (
            sum(answer.created for answer in answers),
            sum(answer.published for answer in answers),
        )
        cells += [f"{number} of {len(answers)}" if answers else "" for number in taken]
        yield f"| {' | '.join(map(str, cells))} |"


def list_refused_results(loopeds: Iterable[LoopResult]) -> list[str]:
    """Returns the results of the loop that n8n refuses, with its messages."""
    results = ((item.id, item.n8n_answer) for item in loopeds)
    return [
        f"{key}: {answer.message}"
        for key, answer in results
        if answer is not None and not answer.created
    ]
