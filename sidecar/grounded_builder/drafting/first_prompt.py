"""Put the first prompt together: what is known of a request, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.named_services import Service, service, services_named
from grounded_builder.drafting import prompt
from grounded_builder.drafting.conversation import Message
from grounded_builder.drafting.few_shot import Example
from grounded_builder.drafting.token_estimate import tokens_in, tokens_of
from grounded_builder.drafting.tool_retrieval import ShownTools, shown_tools
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.known_inventions import Invention

_CONSTRAINTS = 4_000
# How many operations of a tool are listed, from ample to its name alone.
_DETAILS = (3, 1, 0, -1)


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What is known beside a request: by its order, and by earlier conversations.

    ``denied`` tools are never shown, ``preferred`` always; ``forbidden`` are the names that
    somebody forbade, ``rest`` what else an order demands.
    """

    denied: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    rest: Mapping[str, Any] = field(default_factory=dict)
    inventions: tuple[Invention, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class FirstPrompt:
    """The first messages, the ids of the tools in them, and an account of both."""

    messages: tuple[Message, ...]
    shown: tuple[str, ...]
    account: Mapping[str, Any]


def write_first_prompt(
    request: str, domain: Domain, registry: Registry, known: PromptContext, budget: int
) -> FirstPrompt:
    """The prompt for a request in at most about ``budget`` tokens, if that is enough at all.

    What fits least goes first: examples, the operations of tools that words merely suggest,
    those tools themselves. Services that the request names stay.
    """
    wishes = services_named(request, registry)
    denied = frozenset(known.denied)
    services = [_left(one, denied) for one in wishes.wanted]
    services = [one for one in services if one.tools or one.starters]
    wanted = (*services, *(service(tool, (tool,), registry) for tool in known.preferred))
    shown = shown_tools(request, domain, registry, wanted, denied)
    demands = prompt.constraints_prompt(known.rest, known.forbidden, _CONSTRAINTS)
    examples = [(example.request, example.plan) for example in known.examples]
    user = prompt.request_prompt(request, services, examples) + demands
    bare = prompt.request_prompt(request, services) + demands
    fitted, details, text = _fitted(
        shown, domain, registry, known.inventions, budget - tokens_in(bare)
    )
    with_examples = tokens_of((text, user)) <= budget
    messages = (Message("system", text), Message("user", user if with_examples else bare))
    ids = tuple(one.tool for one in fitted)
    account = {
        "version": prompt.VERSION,
        "tokens": tokens_of(message.content for message in messages),
        "budget": budget,
        "services": {one.said: [*one.tools, *one.starters] for one in services},
        "left_out": [one.tool for one in shown if one.tool not in ids],
        "shortened": [tool for tool, count in details.items() if count < _DETAILS[0]],
        "absent": [invention.name for invention in known.inventions],
        "examples": [example.run for example in known.examples] if with_examples else [],
        "request_cut": len(request) > prompt.LONGEST_REQUEST,
    }
    return FirstPrompt(messages, ids, account)


def _left(one: Service, denied: frozenset[str]) -> Service:
    """A service without the tools that nobody may use."""
    kept = tuple(tool for tool in one.tools if tool not in denied)
    return Service(one.said, kept, tuple(tool for tool in one.starters if tool not in denied))


def _fitted(
    shown: Sequence[ShownTools],
    domain: Domain,
    registry: Registry,
    inventions: Sequence[Invention],
    budget: int,
) -> tuple[list[ShownTools], dict[str, int], str]:
    """The tools that fit, how many operations of each are listed, and the text with them.

    Detail is taken from the last tool first, step by step, then tools; those of services
    keep one operation as long as there is another tool to take something from.
    """
    kept = list(shown)
    details = {one.tool: _DETAILS[0] for one in shown}
    sizes = {
        (one.tool, count): tokens_of(prompt.tool_lines(one, domain, registry, count))
        for one in shown
        for count in _DETAILS
    }
    frame = tokens_in(prompt.system_prompt(domain, registry, (), inventions))
    used = frame + sum(sizes[one.tool, _DETAILS[0]] for one in shown)
    unsure = [one for one in reversed(shown) if not one.sure]
    sure = [one for one in reversed(shown) if one.sure]
    shrinking = [(one, count) for count in _DETAILS[1:] for one in unsure]
    shrinking += [(one, _DETAILS[1]) for one in sure]
    for one, count in shrinking:
        if used <= budget:
            break
        used += sizes[one.tool, count] - sizes[one.tool, details[one.tool]]
        details[one.tool] = count
    for one in [*unsure, *sure[:-1]]:
        if used <= budget:
            break
        used -= sizes[one.tool, details[one.tool]]
        kept.remove(one)
        del details[one.tool]
    return kept, details, prompt.system_prompt(domain, registry, kept, inventions, details)
