"""Has a drafter make workflows for requests, and compares their node types with the author's."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evals.requests.drafting import Cost, Remembering, Who, make_chain
from evals.requests.request_set import Asked
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.planner.propose import propose
from grounded_builder.services.conversation_record import PLANNER, Answer, DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.settings import Settings, sqlite_url

_NOTE = "n8n-nodes-base.stickyNote"
Create = Callable[[Answer], str | None]


@dataclass(frozen=True, slots=True)
class Made:
    """The result of one request; ``refused_by_n8n`` is n8n's error message, or None.

    Tokens and seconds are those of the drafter's replies; without a model, seconds are those of all
    work. ``by`` names the drafter of the result.
    """

    key: str
    kind: str
    outcome: str
    reason: str | None
    by: str
    tools: tuple[str, ...]
    wanted: tuple[str, ...]
    clauses: int
    placed: int
    rounds: int
    sent: int
    received: int
    longest: int
    seconds: float
    refused_by_n8n: str | None = None

    @property
    def f1(self) -> float:
        """Returns the F1 score of the node types against those of the author."""
        shared = len({*self.tools} & {*self.wanted})
        return 2 * shared / (len(self.tools) + len(self.wanted)) if shared else 0.0


@dataclass(frozen=True, slots=True)
class Table:
    """The registry and settings of the evaluation; each request has a separate state.

    In a shared state, the result of a request would be an example in later prompts.
    """

    registry: Registry
    settings: Settings

    @contextmanager
    def open_conversations(self, number: int) -> Iterator[Conversations]:
        """Yields conversations in an empty state."""
        folder = self.settings.state / str(number)
        settings = replace(self.settings, state=folder, database_url=sqlite_url(folder))
        store = open_domains_store(settings)
        try:
            yield Conversations(store, N8N, self.registry, tuple)
        finally:
            store.close()


def measure_requests(
    requests: Iterable[Asked],
    table: Table,
    who: Who = "planner",
    drafter: Remembering | None = None,
    create: Create | None = None,
    file: Path | None = None,
) -> Iterator[Made]:
    """Yields the result of each request; ``create`` imports it into n8n.

    Results that ``file`` contains are not measured again.
    """
    known = {item.key: item for item in _read_known(file)}
    for number, request in enumerate(requests):
        if request.key in known:
            yield known[request.key]
            continue
        with table.open_conversations(number) as talks:
            answer, cost = _answer_request(request, talks, who, drafter)
        made = _summarize_answer(request, answer, cost, table.registry, create)
        if file is not None:
            with file.open("a") as lines:
                lines.write(json.dumps(asdict(made)) + "\n")
        yield made


def _read_known(file: Path | None) -> Iterator[Made]:
    if file is not None and file.exists():
        for text in file.read_text().splitlines():
            fields: dict[str, Any] = json.loads(text)
            lists = {key: tuple(fields[key]) for key in ("tools", "wanted")}
            yield Made(**{**fields, **lists})


def _answer_request(
    asked: Asked, talks: Conversations, who: Who, drafter: Remembering | None
) -> tuple[Answer, Cost]:
    if drafter is None:
        began = time.perf_counter()
        answer = talks.open(DraftRequest(asked.text, drafter=PLANNER))
        return answer, Cost(seconds=time.perf_counter() - began)
    drafter.cost = Cost()
    order = DraftRequest(asked.text, drafter=drafter.name)
    return talks.run(order, make_chain(who, drafter)), drafter.cost


def _summarize_answer(
    asked: Asked, answer: Answer, cost: Cost, registry: Registry, create: Create | None
) -> Made:
    artifact = answer["artifact"]
    value = create(answer) if create is not None and artifact is not None else None
    types = {node["type"] for node in artifact["nodes"]} if artifact is not None else set()
    clauses, placed = _count_placed(asked.text, types, answer, registry)
    plan = answer["plan"] if isinstance(answer["plan"], dict) else {}
    by_planner = "clauses" in (plan.get("metadata") or ())
    return Made(
        key=asked.key,
        kind=asked.kind,
        outcome=answer["outcome"],
        reason=answer["reason"],
        by=PLANNER if by_planner else "model",
        tools=tuple(sorted(types - {_NOTE})),
        wanted=tuple(sorted(asked.tools)),
        clauses=clauses,
        placed=placed,
        rounds=answer["rounds"],
        sent=cost.sent,
        received=cost.received,
        longest=cost.longest,
        seconds=round(cost.seconds, 2),
        refused_by_n8n=value,
    )


def _count_placed(
    text: str, types: set[str], answer: Answer, registry: Registry
) -> tuple[int, int]:
    """Returns the number of clauses of a request, and of those with a step.

    The planner reports its own clauses. For another drafter, a clause is placed if the workflow has
    one of the tools that the planner finds for it.
    """
    plan = answer["plan"]
    value = plan.get("metadata", {}).get("clauses") if isinstance(plan, dict) else None
    if isinstance(value, list):
        return len(value), sum(bool(item["steps"]) for item in value)
    own = propose(text, N8N, registry)
    tools = {step["id"]: step["tool"] for step in own.plan["steps"]}
    placements = [
        {tools.get(step) for step in placement.steps} & types for placement in own.placements
    ]
    return len(own.placements), sum(map(bool, placements))
