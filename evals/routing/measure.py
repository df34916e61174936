"""Routes the cases with a given way of choosing, and counts the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from evals.routing.cases import Case
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.drafting.conversation import Message
from grounded_builder.ir.options import CompileOptions
from grounded_builder.llm.drafter import Drafter, DrafterError
from grounded_builder.routing.capability_match import get_matcher
from grounded_builder.routing.prompt import make_response_schema
from grounded_builder.routing.select_calls import start_route, take_reply
from tests.support.tool_lists import make_tool_registry

# Returns the tool that is called for a request, or None.
Choose = Callable[[str, Registry], str | None]


@dataclass(slots=True)
class Score:
    """Counts how often the expected tool, another one or none was called.

    ``uncalled_for`` counts calls of any tool while the expected one was not connected.
    """

    right: int = 0
    other: int = 0
    none: int = 0
    first: int = 0
    uncalled_for: int = 0
    wrong: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Returns the number of cases."""
        return self.right + self.other + self.none


def measure_routes(
    cases: Iterable[Case], choose: Choose, *, absent: bool = True
) -> dict[str, Score]:
    """Returns the scores by source and over all.

    With ``absent``, each request is also routed without the expected tool.
    """
    scores: dict[str, Score] = {"all": Score()}
    for case in cases:
        registry = make_tool_registry(list(case.tools))
        chosen = choose(case.request, registry)
        ranked = get_matcher(registry).rank_for_request(case.request, 1)
        rest = make_tool_registry([tool for tool in case.tools if tool["name"] != case.wanted])
        stray = absent and choose(case.request, rest) is not None
        for name in (case.source, "all"):
            score = scores.setdefault(name, Score())
            score.uncalled_for += stray
            score.first += bool(ranked) and ranked[0].tool == case.wanted
            if chosen is None:
                score.none += 1
            elif chosen == case.wanted:
                score.right += 1
            else:
                score.other += 1
                score.wrong.append((case.request, case.wanted, chosen))
    return scores


def choose_by_fallback(request: str, registry: Registry) -> str | None:
    """Returns the tool that the model-free fallback calls, or None."""
    return get_matcher(registry).find_for_request(request)


def make_model_chooser(drafter: Drafter) -> Choose:
    """Returns a chooser that uses a model, and the fallback if the model does not reply."""

    def choose(request: str, registry: Registry) -> str | None:
        route = start_route(request, registry, rounds=1)
        asked = [Message(**message) for message in route.messages]
        try:
            text = drafter.reply(asked, make_response_schema(route.shown)).text
        except DrafterError:
            return choose_by_fallback(request, registry)
        calls = take_reply(route, text, TOOLS, registry, CompileOptions()).route.calls
        return next((call.tool for call in calls if call.tool in registry.tools), None)

    return choose


def format_table(scores: dict[str, Score]) -> str:
    """Returns the scores in Markdown."""
    lines = [
        "| source | cases | right | another | none | ranked first | called though absent |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, score in sorted(scores.items(), key=lambda item: (item[0] == "all", item[0])):
        shares = (score.right, score.other, score.none, score.first, score.uncalled_for)
        text = " | ".join(f"{100 * share / score.total:.1f} %" for share in shares)
        lines.append(f"| {name} | {score.total} | {text} |")
    return "\n".join(lines)
