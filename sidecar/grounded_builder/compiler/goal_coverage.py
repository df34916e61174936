"""Find what a goal names and no step covers: services, what starts it, what comes out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STOP, split_identifier, stem
from grounded_builder.compiler.named_services import Service, renderings, services_named
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.ir.domain import Domain, PhraseRule

GOAL_NOT_COVERED = Rule.advice(
    "GB330", "goal-not-covered", "UncoveredGoal", "The goal mentions something no step covers."
)

_LONGEST_GOAL = 8_000
_LONGEST_PARAMS = 20_000
_MOST = 8
_FEWEST_WORDS = 3
_LINK = re.compile(r"https?://\S+")
# A name that is said to be a tool's: "with the Foo9000 node".
_CALLED = re.compile(
    r"(?<=\w )((?:(?![A-Z\d])[\w.-])*[A-Z\d][\w.-]*) (?:node|integration|connector|plugin)s?\b"
)


@dataclass(frozen=True, slots=True)
class StepSummary:
    """A step as far as coverage asks: its tool, its parameters, what it calls itself."""

    tool: str
    params: Mapping[str, Any]
    said: str = ""


def check_goal_coverage(
    goal: str,
    steps: Sequence[StepSummary],
    domain: Domain,
    registry: Registry,
    at: Route = ("goal",),
) -> tuple[Diagnostic, ...]:
    """What a goal names and no step is about, as advice: it may be named in passing."""
    text = _LINK.sub(" ", goal[:_LONGEST_GOAL])
    steps = [step for step in steps if step.tool in registry.tools]
    if not text.strip() or not steps:
        return ()
    gaps = [
        *_services(text, steps, domain, registry),
        *_unknown(text, registry),
        *_starts(text, steps, domain, registry),
        *_outputs(text, steps, domain, registry),
    ]
    if not gaps:
        gaps += _mentioned_in_passing(text, steps, domain, registry)
    entries: dict[str, Diagnostic] = {}
    for item, message, help_text, tools in gaps:
        made = new_diagnostic(
            GOAL_NOT_COVERED, at, message, help=help_text, token=item, alternatives=tools
        )
        entries.setdefault(fold_name(item), made)
    return tuple(entries.values())[:_MOST]


_Gap = tuple[str, str, str, tuple[str, ...]]


def _services(
    text: str, steps: Sequence[StepSummary], domain: Domain, registry: Registry
) -> Iterator[_Gap]:
    for service in services_named(text, registry).wanted:
        if not any(_is_service(tool, domain, registry) for tool in service.tools):
            continue
        if not any(_is_of(step, service, registry) for step in steps):
            message = f'the goal names "{service.text}", and no step is of it'
            tools = (*service.tools, *service.starters)
            yield service.text, message, "add a step of it, unless it is named in passing", tools


def _is_service(tool: str, domain: Domain, registry: Registry) -> bool:
    """Whether a tool stands for somebody's service.

    Not for a way to treat what flows by, nor for a model or what asks one: of those many do.
    """
    if not registry.tools[tool].hosts and tool not in _with_accounts(registry):
        return False
    spec = registry.spec(tool, registry.tools[tool].preferred_version)
    return not domain.prompting.accepted_sub_nodes(
        spec, {}
    ) and not domain.prompting.sub_node_kinds(spec, {})


def _is_of(step: StepSummary, wanted: Service, registry: Registry) -> bool:
    """Whether a step is of a service: by its tool, by the words of its names, by what it calls."""
    if step.tool in renderings((*wanted.tools, *wanted.starters), registry):
        return True
    row, text = registry.tools[step.tool], fold_name(wanted.text)
    families = {registry.tools[tool].family for tool in wanted.tools} - {""}
    if row.family in families or text in map(fold_name, (row.name, row.family)):
        return True
    words = set(split_identifier(wanted.text))
    named = {
        word
        for name in (row.id, row.name, *row.aliases, *row.keywords)
        for word in split_identifier(name)
    }
    if words <= named:
        return True
    spoken = json.dumps([step.params, step.said], ensure_ascii=False, default=str)
    return text in fold_name(spoken[:_LONGEST_PARAMS])


def _unknown(text: str, registry: Registry) -> Iterator[_Gap]:
    for match in _CALLED.finditer(text):
        value = match[1]
        words = [stem(word) for word in split_identifier(value) if word not in STOP]
        if all(registry.search.has_stem(word) for word in words):
            continue
        if registry.names.by_plain(value):
            continue
        message = f'the goal names "{value}", and no tool of that name exists here'
        yield value, message, "say what is to be done instead, or install what brings it", ()


def _starts(
    text: str, steps: Sequence[StepSummary], domain: Domain, registry: Registry
) -> Iterator[_Gap]:
    """What is to start it, where nothing does, or a person alone."""
    starter = domain.prompting.default_trigger
    if any(
        "trigger" in registry.tools[step.tool].capabilities and step.tool != starter
        for step in steps
    ):
        return
    for cue, match in _tools_by_phrase(text, domain, registry, starts=True):
        # A source that only comes first in its graph does not start it.
        if cue.tool != starter and "trigger" in registry.tools[cue.tool].capabilities:
            message = f'the goal says what starts it, "{match}", and no step waits for that'
            yield match, message, "let the first step be what starts it", (cue.tool,)
            return


def _outputs(
    text: str, steps: Sequence[StepSummary], domain: Domain, registry: Registry
) -> Iterator[_Gap]:
    """What is to be done by phrases that name no tool, where no step speaks of any of it."""
    acting = [step for step in steps if "trigger" not in registry.tools[step.tool].capabilities]
    for cue, match in _tools_by_phrase(text, domain, registry, starts=False):
        if not _is_service(cue.tool, domain, registry):
            continue  # many tools treat data, and code does
        if any(step.tool == cue.tool for step in steps):
            continue
        words = {stem(word) for word in split_identifier(match) if word not in STOP | GENERIC_NOUNS}
        if not any(_speaks_of(words, step_summary, registry) for step_summary in acting):
            message = f'the goal asks for "{match}", and no step does that'
            yield match, message, "add a step that does it", (cue.tool,)


def _mentioned_in_passing(
    text: str, steps: Sequence[StepSummary], domain: Domain, registry: Registry
) -> Iterator[_Gap]:
    """The goal itself, where no step speaks of any word of it that the catalog knows.

    A step that can do anything, such as code, a call of any service or a model, may do it.
    """
    results = [word for word in map(stem, split_identifier(text)) if word not in _STRUCTURE]
    words = {word for word in results if registry.search.has_stem(word)}
    if len(words) < _FEWEST_WORDS or any(_does_anything(step, domain, registry) for step in steps):
        return
    for step_summary in steps:
        spoken = json.dumps(
            [step_summary.params, step_summary.said], ensure_ascii=False, default=str
        )
        entries = set(map(stem, split_identifier(spoken[:_LONGEST_PARAMS])))
        if not words.isdisjoint(entries) or _speaks_of(words, step_summary, registry):
            return
    message = "no step is about anything that the goal says"
    yield " ".join(text.split())[:80], message, "draft what the goal asks for", ()


def _does_anything(step: StepSummary, domain: Domain, registry: Registry) -> bool:
    row, speech = registry.tools[step.tool], domain.prompting
    if step.tool == speech.fallback or (
        speech.runs_code is not None and speech.runs_code(registry.tool(step.tool))
    ):
        return True
    return bool(speech.accepted_sub_nodes(registry.spec(step.tool, row.preferred_version), {}))


def _tools_by_phrase(
    text: str, domain: Domain, registry: Registry, *, starts: bool
) -> Iterator[tuple[PhraseRule, str]]:
    for cue in domain.prompting.phrases:
        if cue.starts == starts and cue.tool in registry.tools:
            match = re.search(cue.pattern, text, re.IGNORECASE)
            if match is not None and match[0].strip():
                yield cue, " ".join(match[0].split())[:80]


def _speaks_of(words: set[str], step: StepSummary, registry: Registry) -> bool:
    """Whether a step's tool is described with one of the words, or with one that means the same."""
    document = registry.search.by_id.get(step.tool)
    if document is None:
        return True
    if any(word in document.stems for word in words):
        return True
    return any(not document.operation_meanings.isdisjoint(synonym_groups(word)) for word in words)


@lru_cache(4)
def _with_accounts(registry: Registry) -> frozenset[str]:
    """The tools that some type of credential is for."""
    return frozenset(tool for row in registry.credentials.values() for tool in row.tools)


# Words that any goal may hold.
_STRUCTURE = frozenset(stem(word) for word in STOP | GENERIC_NOUNS)
