"""Writes the first prompt of a request (rules, tools, known facts) within a token budget."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.named_services import Service, find_services, make_service
from grounded_builder.drafting import prompt
from grounded_builder.drafting.clarification import RULE_ATTENDED, RULE_UNATTENDED
from grounded_builder.drafting.conversation import Message
from grounded_builder.drafting.few_shot import Example
from grounded_builder.drafting.token_estimate import tokens_in, tokens_of
from grounded_builder.drafting.tool_retrieval import ShownTools, shown_tools
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.known_inventions import Invention

_USUAL = "Also installed (use them by what you know of them)"
_CONSTRAINTS = 4_000
# The numbers of operations with parameters per tool, in steps down to the name of the tool alone.
_DETAILS = (5, 3, 1, 0, -1)
# The first of these steps for named services, for tools of a phrase, for other tools, and for tools
# that few words suggest.
_FULL, _MEANT, _OTHER, _WEAK = 0, 1, 2, 4
_MEANT_SCORE = 2.0
# A likely tool with few operations shows all of them.
_LIKELY_SCORE, _FEW_OPERATIONS = 0.5, 3


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The facts known besides a request: from its order, and from earlier conversations.

    ``denied`` tools are never shown, ``preferred`` always; ``forbidden`` are the names that the
    order forbids, ``rest`` its other constraints. ``wanted`` are the services that the request asks
    for; None where it has not been read. With ``may_ask`` the model may ask the person,
    with ``offers_native`` it may answer with a native document, with ``expects`` it is to state
    what runs have to show.
    """

    denied: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    rest: Mapping[str, Any] = field(default_factory=dict)
    inventions: tuple[Invention, ...] = ()
    examples: tuple[Example, ...] = ()
    wanted: tuple[Service, ...] | None = None
    may_ask: bool = False
    offers_native: bool = False
    expects: bool = False


@dataclass(frozen=True, slots=True)
class FirstPrompt:
    """The first messages, the ids of the tools in them, the message with the request without
    examples, and an account of them.
    """

    messages: tuple[Message, ...]
    shown: tuple[str, ...]
    bare_request: str
    account: Mapping[str, Any]


def write_first_prompt(
    request: str, domain: Domain, registry: Registry, known: PromptContext, budget: int
) -> FirstPrompt:
    """Returns the prompt for a request, of about ``budget`` tokens where possible.

    The least useful parts are dropped first: examples, the operations of tools that words merely
    suggest, then those tools. Services that the request names stay.
    """
    named = find_services(request, registry).wanted if known.wanted is None else known.wanted
    denied = frozenset(known.denied)
    services = [_without_denied(item, denied) for item in named]
    services = [item for item in services if item.tools or item.starters]
    wanted = (*services, *(make_service(tool, (tool,), registry) for tool in known.preferred))
    shown = shown_tools(request, domain, registry, wanted, denied)
    demands = prompt.constraints_prompt(known.rest, known.forbidden, _CONSTRAINTS)
    services = [_with_sub_nodes(item, shown) for item in services]
    examples = [(example.request, example.plan) for example in known.examples]
    user = prompt.request_prompt(request, services, examples) + demands
    bare = prompt.request_prompt(request, services) + demands
    rule = closing_rule(
        domain, may_ask=known.may_ask, offers_native=known.offers_native, expects=known.expects
    )
    fitted, details, text = _fit_tools(
        shown, domain, registry, known.inventions, budget - tokens_of((bare, rule))
    )
    ids = tuple(item.tool for item in fitted)
    usual = _usual_tools(fitted, domain, registry, denied)
    brief = [item.tool for item in fitted if details[item.tool] < 0 and not item.variant_of]
    ids = tuple(tool for tool in ids if tool not in brief)
    for listed in ((*brief, *usual), tuple(brief)):
        line = f"{_USUAL}: {_group_ids(listed)}."
        if listed and tokens_of((text, rule, bare, line)) <= budget:
            text, ids = f"{text}\n{line}", (*ids, *listed)
            break
    text = f"{text}\n{rule}"
    with_examples = tokens_of((text, user)) <= budget
    messages = (Message("system", text), Message("user", user if with_examples else bare))
    account = {
        "version": prompt.VERSION,
        "tokens": tokens_of(message.content for message in messages),
        "budget": budget,
        "services": {item.text: [*item.tools, *item.starters] for item in services},
        "meant": [item.tool for item in fitted if item.sure or item.score >= _MEANT_SCORE],
        "left_out": [item.tool for item in shown if item.tool not in ids],
        "shortened": [
            item.tool for item in fitted if details[item.tool] < _DETAILS[_first_step(item)]
        ],
        "absent": [invention.name for invention in known.inventions],
        "examples": [example.run for example in known.examples] if with_examples else [],
        "request_cut": len(request) > prompt.LONGEST_REQUEST,
    }
    return FirstPrompt(messages, ids, bare, account)


def _usual_tools(
    shown: Sequence[ShownTools], domain: Domain, registry: Registry, denied: Collection[str]
) -> tuple[str, ...]:
    """Returns the tools that people use most, and with those of the request, without these."""
    find = domain.prompting.usual_tools
    if find is None:
        return ()
    likely = [item.tool for item in shown if item.sure or item.score >= _MEANT_SCORE]
    taken = {*(item.tool for item in shown), *denied}
    return tuple(dict.fromkeys(tool for tool in find(registry, likely) if tool not in taken))


def _group_ids(tools: Sequence[str]) -> str:
    """Returns ids as a text that states what they begin with once: ``a.{one, two}, b.{three}``."""
    groups: dict[str, list[str]] = {}
    for tool in tools:
        beginning, dot, name = tool.rpartition(".")
        groups.setdefault(beginning + dot, []).append(name)
    return ", ".join(
        f"{beginning}{{{', '.join(names)}}}" if len(names) > 1 else f"{beginning}{names[0]}"
        for beginning, names in groups.items()
    )


def closing_rule(domain: Domain, *, may_ask: bool, offers_native: bool, expects: bool) -> str:
    """Returns the rules after the list of tools: native documents, expectations, and doubtful
    requests.
    """
    form = domain.prompting.native_form if offers_native else None
    rules = (
        "" if form is None else form.rule,
        domain.prompting.expectations if expects else "",
        RULE_ATTENDED if may_ask else RULE_UNATTENDED,
    )
    return "\n".join(rule for rule in rules if rule)


def _with_sub_nodes(service: Service, shown: Sequence[ShownTools]) -> Service:
    """Returns a service with the sub-nodes by which the tools of the request take it."""
    nodes = (item.tool for item in shown if item.service == service.text)
    return replace(service, tools=tuple(dict.fromkeys((*service.tools, *nodes))))


def _without_denied(service: Service, denied: frozenset[str]) -> Service:
    """Returns a service without the denied tools."""
    entries = tuple(tool for tool in service.tools if tool not in denied)
    return Service(
        service.text, entries, tuple(tool for tool in service.starters if tool not in denied)
    )


def _fit_tools(
    shown: Sequence[ShownTools],
    domain: Domain,
    registry: Registry,
    inventions: Sequence[Invention],
    budget: int,
) -> tuple[list[ShownTools], dict[str, int], str]:
    """Returns the tools that fit, how many operations of each are listed, and the text with them.

    Detail is removed from the last tool first, step by step, then tools; tools of services keep one
    operation as long as another tool can be shortened.
    """
    shown_toolses = list(shown)
    details = {item.tool: _DETAILS[_first_step(item)] for item in shown}
    sizes = {
        (item.tool, count): tokens_of(prompt.tool_lines(item, domain, registry, count))
        for item in shown
        for count in _DETAILS
    }
    frame = tokens_in(prompt.system_prompt(domain, registry, (), inventions))
    used = frame + sum(sizes[tool, count] for tool, count in details.items())
    unsure = [item for item in reversed(shown) if not item.sure]
    sure = [item for item in reversed(shown) if item.sure]
    shrinking = [(item, count) for count in _DETAILS[1:] for item in unsure]
    shrinking += [(item, count) for count in _DETAILS[1:3] for item in sure]
    for item, count in shrinking:
        if used <= budget:
            break
        if count >= details[item.tool]:
            continue
        used += sizes[item.tool, count] - sizes[item.tool, details[item.tool]]
        details[item.tool] = count
    for item in [*unsure, *sure[:-1]]:
        if used <= budget:
            break
        used -= sizes[item.tool, details[item.tool]]
        shown_toolses.remove(item)
        del details[item.tool]
    return (
        shown_toolses,
        details,
        prompt.system_prompt(
            domain,
            registry,
            [item for item in shown_toolses if details[item.tool] >= 0 or item.variant_of],
            inventions,
            details,
        ),
    )


def _first_step(item: ShownTools) -> int:
    """Returns the step of detail at which a tool is listed where there is space."""
    if item.sure:
        return _FULL
    if item.is_weak:
        return _WEAK
    has_few = 1 < len(item.operations) <= _FEW_OPERATIONS and item.score >= _LIKELY_SCORE
    return _MEANT if has_few or item.score >= _MEANT_SCORE else _OTHER
