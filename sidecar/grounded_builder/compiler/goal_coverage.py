"""Reports services, triggers and results that a goal mentions and no step covers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import make_document
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STOP, split_identifier, stem
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.compiler.named_services import Service, find_services, list_variants
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.ir.domain import Domain, PhraseRule
from grounded_builder.resolve.mentions import is_usual_name

GOAL_NOT_COVERED = Rule.advice(
    "GB330", "goal-not-covered", "UncoveredGoal", "The goal mentions something no step covers."
)

_MAX_GOAL_CHARS = 8_000
_MAX_PARAMS_CHARS = 20_000
_MAX_FINDINGS = 8
_MIN_WORDS = 3
_LINK = re.compile(r"https?://\S+")
# A name that the goal presents as a tool's: "with the Foo9000 node".
_NAMED_TOOL = re.compile(
    r"(?<=\w )((?:(?![A-Z\d])[\w.-])*[A-Z\d][\w.-]*) (?:node|integration|connector|plugin)s?\b"
)

# The words after the name of a service in a comparison, such as "Stripe-like".
_LIKENESS = re.compile(r"[-\u2010 ](?:style|like|ish|esque|inspired|compatible)\b", re.IGNORECASE)
_PLACE_BEFORE = re.compile(
    r"\b(?:to|in|into|on|onto|with|from|via|by|using|through|our|my)\s$", re.IGNORECASE
)
_NEAR = 12
# A last word that is where something comes from: "receipts that arrive by e-mail".
_SOURCE = re.compile(
    r"\b(?:(?:that|which|who)\s[^.,;]{0,60}"
    r"|(?:of|from|in)\s(?:(?:the|an?|each|every|all|our|my|new|incoming)\s){0,3}"
    r"|(?:arriv|com|receiv|reach|deliver)\w*\s(?:(?:in|to us|by|via|per|through)\s){0,3})[\w-]+$",
    re.IGNORECASE,
)
_WORDS_BEFORE = 4


@dataclass(frozen=True, slots=True)
class StepSummary:
    """A step for the coverage check: its tool, its parameters and its own text."""

    tool: str
    params: Mapping[str, Any]
    text: str = ""


def check_goal_coverage(
    goal: str,
    steps: Sequence[StepSummary],
    domain: Domain,
    registry: Registry,
) -> tuple[Diagnostic, ...]:
    """Returns advice about what a goal mentions but no step covers."""
    text = _LINK.sub(" ", goal[:_MAX_GOAL_CHARS])
    steps = [step for step in steps if step.tool in registry.tools]
    if not text.strip() or not steps:
        return ()
    gaps = [
        *_find_missing_services(text, steps, domain, registry),
        *_find_unknown_tools(text, registry),
        *_find_missing_trigger(text, steps, domain, registry),
        *_find_missing_actions(text, steps, domain, registry),
    ]
    if not gaps:
        gaps += _find_unrelated_goal(text, steps, domain, registry)
    diagnostics: dict[str, Diagnostic] = {}
    for token, message, help_text, tools in gaps:
        diagnostic = new_diagnostic(
            GOAL_NOT_COVERED,
            ("goal",),
            message,
            help=help_text,
            token=token,
            alternatives=tools,
        )
        diagnostics.setdefault(fold_name(token), diagnostic)
    return tuple(diagnostics.values())[:_MAX_FINDINGS]


_Gap = tuple[str, str, str, tuple[str, ...]]


def _find_missing_services(
    text: str, steps: Sequence[StepSummary], domain: Domain, registry: Registry
) -> Iterator[_Gap]:
    services = find_services(text, registry).wanted
    has_capital_names = any(_is_written_as_name(service.text, text) for service in services)
    for service in services:
        if not any(_is_service(tool, domain, registry) for tool in service.tools):
            continue
        if not _is_plainly_named(service.text, text):
            continue
        tools = (*service.tools, *service.starters)
        is_word = service.text.islower() and len(split_identifier(service.text)) == 1
        if has_capital_names and is_word and not is_usual_name(service.text, tools, registry):
            continue  # such a goal writes names with capitals
        if not any(_uses_service(step, service, registry) for step in steps):
            message = f'the goal mentions "{service.text}", but no step uses it'
            yield (
                service.text,
                message,
                "add a step that uses it, or ignore this if it is only mentioned",
                tools,
            )


def _is_written_as_name(name: str, text: str) -> bool:
    """Returns whether a name has a capital letter, and one occurrence is within a sentence."""
    return not name.islower() and re.search(rf"[\w,;]\s{re.escape(name)}", text) is not None


def _is_plainly_named(name: str, text: str) -> bool:
    """Returns whether a text names a service, rather than something like it or an everyday word.

    One word in small letters names a service only after a preposition, as in "post it to slack".
    """
    is_word = name.islower() and len(split_identifier(name)) == 1
    for at in (match.start() for match in re.finditer(re.escape(name), text)):
        if _LIKENESS.match(text, at + len(name)):
            continue
        if not is_word or _PLACE_BEFORE.search(text[max(0, at - _NEAR) : at]):
            return True
    return False


def _is_service(tool: str, domain: Domain, registry: Registry) -> bool:
    """Returns whether a tool belongs to a service.

    Excludes tools that process data, and models and their users, which many services have.
    """
    if not registry.tools[tool].hosts and tool not in _tools_with_credentials(registry):
        return False
    spec = registry.spec(tool, registry.tools[tool].preferred_version)
    return not domain.prompting.accepted_sub_nodes(
        spec, {}
    ) and not domain.prompting.sub_node_kinds(spec, {})


def _uses_service(step: StepSummary, service: Service, registry: Registry) -> bool:
    """Returns whether a step uses a service: by its tool, its names or its parameters."""
    if step.tool in list_variants((*service.tools, *service.starters), registry):
        return True
    row, text = registry.tools[step.tool], fold_name(service.text)
    families = {registry.tools[tool].family for tool in service.tools} - {""}
    if row.family in families or text in map(fold_name, (row.name, row.family)):
        return True
    words = set(split_identifier(service.text))
    name_words = {
        word
        for name in (row.id, row.name, *row.aliases, *row.keywords)
        for word in split_identifier(name)
    }
    if words <= name_words:
        return True
    step_text = json.dumps([step.params, step.text], ensure_ascii=False, default=str)
    return text in fold_name(step_text[:_MAX_PARAMS_CHARS])


def _find_unknown_tools(text: str, registry: Registry) -> Iterator[_Gap]:
    for match in _NAMED_TOOL.finditer(text):
        name = match[1]
        words = [stem(word) for word in split_identifier(name) if word not in STOP]
        if all(registry.search.has_stem(word) for word in words):
            continue
        if registry.names.by_plain(name):
            continue
        message = f'the goal mentions "{name}", but no tool of that name is installed'
        yield name, message, "install the package that has it, or describe the task without it", ()


def _find_missing_trigger(
    text: str, steps: Sequence[StepSummary], domain: Domain, registry: Registry
) -> Iterator[_Gap]:
    """Yields the trigger in the goal if no step is a trigger but a manual one."""
    default_trigger = domain.prompting.default_trigger
    if any(
        "trigger" in registry.tools[step.tool].capabilities and step.tool != default_trigger
        for step in steps
    ):
        return
    for phrase, match in _tools_by_phrase(text, domain, registry, starts=True):
        # A source that is only the first node of its graph is not a trigger.
        if phrase.tool != default_trigger and "trigger" in registry.tools[phrase.tool].capabilities:
            message = f'the goal names a trigger, "{match}", but no step waits for it'
            yield match, message, "make this trigger the first step", (phrase.tool,)
            return


def _find_missing_actions(
    text: str, steps: Sequence[StepSummary], domain: Domain, registry: Registry
) -> Iterator[_Gap]:
    """Yields actions in the goal, phrased without naming a tool, that no step matches."""
    actions = [step for step in steps if "trigger" not in registry.tools[step.tool].capabilities]
    for phrase, match in _tools_by_phrase(text, domain, registry, starts=False):
        if not _is_service(phrase.tool, domain, registry):
            continue  # many tools treat data, and code does
        if any(step.tool == phrase.tool for step in steps):
            continue
        at = text.find(match)
        is_source = at >= 0 and _SOURCE.search(text[max(0, at - _NEAR) : at] + match)
        acting = steps if is_source else actions
        words = {stem(word) for word in split_identifier(match) if word not in _NO_ACTION}
        if len(words) == 1 and not _follows_sending(match, text):
            continue  # in "remove duplicates by email" it is a field
        if not any(_is_described_by(words, step, registry) for step in acting):
            message = f'the goal asks for "{match}", but no step does it'
            yield match, message, "add a step that does it", (phrase.tool,)


def _follows_sending(match: str, text: str) -> bool:
    """Returns whether a verb of sending stands shortly before words: "notify me by email"."""
    before = split_identifier(text[: max(text.find(match), 0)])[-_WORDS_BEFORE:]
    groups = set(synonym_groups(stem("send"))) | set(synonym_groups(stem("notify")))
    return any(not groups.isdisjoint(synonym_groups(stem(word))) for word in before)


def _find_unrelated_goal(
    text: str, steps: Sequence[StepSummary], domain: Domain, registry: Registry
) -> Iterator[_Gap]:
    """Yields the goal itself if no step has any word of it that the catalog knows.

    A step that can do anything, such as code, a call of any service or a model, can do it.
    """
    stems = {word for word in map(stem, split_identifier(text)) if word not in _STRUCTURE}
    if any(_shares_stem(stems, registry.tools[step.tool]) for step in steps):
        return  # spares most goals the search index, which takes long to build
    words = {word for word in stems if registry.search.has_stem(word)}
    if len(words) < _MIN_WORDS or any(_can_do_anything(step, domain, registry) for step in steps):
        return
    for step in steps:
        step_text = json.dumps([step.params, step.text], ensure_ascii=False, default=str)
        step_stems = set(map(stem, split_identifier(step_text[:_MAX_PARAMS_CHARS])))
        if not words.isdisjoint(step_stems) or _is_described_by(words, step, registry):
            return
    message = "no step matches any word of the goal"
    yield " ".join(text.split())[:80], message, "draft steps for what the goal asks for", ()


def _shares_stem(stems: set[str], row: ToolRow) -> bool:
    """Returns whether a tool is described with one of the stems, or in no search at all."""
    if row.availability != "installed":
        return True
    return not stems.isdisjoint(make_document(row, derived=False, is_variant=False).stems)


def _can_do_anything(step: StepSummary, domain: Domain, registry: Registry) -> bool:
    row, prompting = registry.tools[step.tool], domain.prompting
    if step.tool == prompting.fallback or (
        prompting.runs_code is not None and prompting.runs_code(registry.tool(step.tool))
    ):
        return True
    return bool(prompting.accepted_sub_nodes(registry.spec(step.tool, row.preferred_version), {}))


def _tools_by_phrase(
    text: str, domain: Domain, registry: Registry, *, starts: bool
) -> Iterator[tuple[PhraseRule, str]]:
    for phrase in domain.prompting.phrases:
        if phrase.starts == starts and phrase.tool in registry.tools:
            match = re.search(phrase.pattern, text, re.IGNORECASE)
            if match is not None and match[0].strip():
                yield phrase, " ".join(match[0].split())[:80]


def _is_described_by(words: set[str], step: StepSummary, registry: Registry) -> bool:
    """Returns whether a step's tool is described with one of the words or a synonym."""
    document = registry.search.by_id.get(step.tool)
    if document is None:
        return True
    if any(word in document.stems for word in words):
        return True
    return any(not document.operation_meanings.isdisjoint(synonym_groups(word)) for word in words)


@lru_cache(4)
def _tools_with_credentials(registry: Registry) -> frozenset[str]:
    """Returns the tools that some type of credential is for."""
    return frozenset(tool for row in registry.credentials.values() for tool in row.tools)


# Words that ask for nothing by themselves; "e-mail" is one word.
_NO_ACTION = STOP | GENERIC_NOUNS | {"e"}
# Words that any goal can contain.
_STRUCTURE = frozenset(stem(word) for word in STOP | GENERIC_NOUNS)
