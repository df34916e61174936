"""Generates unique node names from what steps do; returns descriptions that a name cuts short."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from string import digits
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.domains.n8n.lower.agent_tools import SERVING_KIND
from grounded_builder.domains.n8n.lower.choose_operation import choose_operation
from grounded_builder.domains.n8n.lower.note import NOTE_NAME
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Step
from grounded_builder.ir.unique_names import UniqueNames

_OPERATION = "operation"
# n8n's editor shows two lines of a name.
_LONGEST, _MOST_WORDS, _FEWEST_WORDS = 40, 7, 2
# Words before which a long description can end.
_JOINTS = frozenset(
    "about after and as at because before by for from if in into of on or over so that the then "
    "through to until via when where whether which while with".split()
)
# Ids and descriptions that have only these words or single letters do not describe a step.
_VAGUE = frozenset(
    "action block id item job my new no node nr number op step task the tool".split()
)
_WORDS = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_CODE = re.compile(r"\{\{|\$\(|\$json|^=")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_IDENTIFIER = re.compile(r"[A-Za-z]\w{0,39}")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_STOPS = " .;,:(-\u2013\u2014"
_PART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s_.\-/:]+")


def node_names(choices: tuple[StepResolution, ...], registry: Registry) -> dict[str, str]:
    """Returns a node name for each step id, in plan order.

    A step has the name of its description, its id, n8n's title of its operation or the default
    name of its node, the first of these that tells something. A tool of a model whose description
    is an identifier has exactly this name; so has one whose id its model's instructions name. Steps
    with the same name have the next that differs, if there is one; what stays equal is numbered.
    """
    instructions = {choice.step.id: str(choice.step.params) for choice in choices}
    described = Counter(choice.step.action.casefold() for choice in choices)
    candidates = {
        choice.step.id: [choice.step.id]
        if _is_tool_of_model(choice) and _is_instructed(choice.step, instructions)
        else _candidates(choice, registry, is_own=described[choice.step.action.casefold()] == 1)
        for choice in choices
    }
    shared: dict[str, int] = {}
    for names in candidates.values():
        shared[names[0].casefold()] = shared.get(names[0].casefold(), 0) + 1
    unique = UniqueNames([NOTE_NAME])
    result: dict[str, str] = {}
    for step, names in candidates.items():
        base = names[0]
        if shared[base.casefold()] > 1:
            others = (
                name for name in names[1:] if name not in unique and name.casefold() not in shared
            )
            base = next(others, base)
        result[step] = unique.claim(base)
    return result


def find_cut_action(choice: StepResolution, name: str) -> str:
    """Returns the description of a step if the name of its node lacks a part of it, else "".

    A description that is only the tool or its operation tells nothing besides.
    """
    described = " ".join(choice.step.action.split())
    words = [word.casefold() for word in _WORDS.findall(described)]
    named = [word.casefold() for word in _WORDS.findall(name)]
    is_repeated = words == named[: len(words)] or described == choice.step.tool
    if is_repeated or _repeats_tool(described, choice.tool) or _is_operation(choice):
        return ""
    return described


def _is_code(described: str) -> bool:
    """Returns whether a description is an expression or an identifier."""
    if _CODE.search(described):
        return True
    return " " not in described and ("_" in described or bool(_INNER_CAPITAL.search(described)))


def _candidates(choice: StepResolution, registry: Registry, *, is_own: bool) -> list[str]:
    """Returns the names of a step, the best first; at least one.

    A description that other steps share (``is_own`` is false) is that of all of them together.
    """
    step, tool = choice.step, choice.tool
    described = " ".join(step.action.split())
    is_telling = not _is_operation(choice) and _is_telling(list(split_identifier(described)), tool)
    if is_telling and _is_tool_of_model(choice) and _IDENTIFIER.fullmatch(described):
        return [described]
    is_label = is_own and not _is_code(described)
    is_label = is_label and not _repeats_tool(described, tool) and not _is_operation(choice)
    is_label = is_label and _is_telling(list(split_identifier(described)), None)
    spelt = " ".join(_PART.sub(" ", step.id.rstrip(digits)).split())
    words = [word for word in split_identifier(_NUMBER.sub(" ", spelt)) if len(word) > 1]
    from_id = _shorten(spelt) if _is_telling(words, tool) else ""
    names = [_shorten(described) if is_label else ""]
    names += [from_id if len(words) > 1 else "", _title_of(choice, registry)]
    if not any(names):
        # The usual name, even if several nodes have it, describes more than an id of one word.
        usual = _default_name(tool, choice.version, registry) if tool is not None else ""
        names.append(usual or _cut(tool.name if tool is not None else described or step.id))
    names.append(from_id)
    return list(dict.fromkeys(name[:1].upper() + name[1:] for name in names if name))


def _is_instructed(step: Step, instructions: Mapping[str, str]) -> bool:
    """Returns whether the parameters of a step that this one serves name it by its id.

    A word in small letters alone can be another one, unless it is in quotes or called a tool.
    """
    if not _IDENTIFIER.fullmatch(step.id):
        return False
    texts = [instructions.get(host, "") for host in step.parents]
    if step.id.isalpha() and step.id.islower():
        marked = (f'"{step.id}"', f"`{step.id}`", f" {step.id} tool")
        return any(mark in text for mark in marked for text in texts)
    return any(step.id in _WORD.findall(text) for text in texts)


def _is_tool_of_model(choice: StepResolution) -> bool:
    """Returns whether a model calls the node of a step, by its name; an ordinary node can be
    attached to an agent, too.
    """
    kinds = choice.tool.capabilities if choice.tool is not None else ()
    others = (kind for kind in kinds if kind.startswith("ai_") and kind != SERVING_KIND)
    return bool(choice.step.parents) and next(others, None) is None


def _repeats_tool(text: str, tool: ToolRow | None) -> bool:
    return tool is not None and fold_name(text) in map(fold_name, (tool.id, tool.name))


def _is_operation(choice: StepResolution) -> bool:
    """Returns whether the description is the values of an operation: ``message: post``."""
    text = fold_name(choice.step.action)
    rows = choice.tool.operations if choice.tool is not None else ()
    for row in rows:
        values = [fold_name(str(value)) for value in row.params.values()]
        if text in ("".join(values), "".join(reversed(values)), *values):
            return text != fold_name(row.name)
    return False


def _is_telling(words: list[str], tool: ToolRow | None) -> bool:
    """Returns whether words state more than the node of a step."""
    known = set(_VAGUE)
    if tool is not None:
        known |= {*split_identifier(tool.name), *split_identifier(tool.id)}
    return any(word not in known for word in words)


def _title_of(choice: StepResolution, registry: Registry) -> str:
    """Returns n8n's title of the operation of a step; empty if it has none or it is open."""
    if choice.tool is None or not choice.tool.operations:
        return ""
    chosen = choose_operation(choice, choice.step.id, registry)
    known = {**chosen.step.params, **chosen.preset}
    if not any(key in known for key in chosen.selectors):
        return ""
    values, _ = fill(choice.spec.declarations, known)
    title = next(
        (
            row.name
            for row in choice.tool.operations
            if _OPERATION in row.params and row.params.items() <= values.items()
        ),
        "",
    )
    return _shorten(title)


def _default_name(tool: ToolRow, version: float | None, registry: Registry) -> str:
    """Returns the name that n8n gives a new node of a tool; empty if it is not known."""
    variants = registry.tool(tool.id)["variants"]
    variant: dict[str, Any] = next((item for item in variants if version in item["versions"]), {})
    return str((variant.get("traits") or {}).get("default_name") or "")


def _shorten(text: str) -> str:
    """Returns a text, or the longest beginning of it that is short and ends before a joint.

    Empty if there is none: the text is a sentence that has no short beginning.
    """
    text = text.rstrip(" .;,:")
    words = list(_WORDS.finditer(text))
    if len(text) <= _LONGEST and len(words) <= _MOST_WORDS:
        return text
    best = ""
    for index, word in enumerate(words[: _MOST_WORDS + 1]):
        if index and _is_joined(text[words[index - 1].end() : word.start()]):
            continue
        before = text[: word.start()].rstrip()
        beginning = before.rstrip(_STOPS)
        is_long_enough = index >= _FEWEST_WORDS and len(beginning) <= _LONGEST
        if is_long_enough and before != beginning:
            return beginning
        after = words[index + 1].start() if index + 1 < len(words) else len(text)
        is_joint = word.group().casefold() in _JOINTS and not _is_joined(text[word.end() : after])
        if is_long_enough and is_joint:
            last = words[index - 1].group().casefold()
            best = best if last in _JOINTS else beginning
        if word.group().casefold() == "whether":
            break  # a part of the question is no name
    return best


def _is_joined(between: str) -> bool:
    """Returns whether the signs between two words make one of them, as in "cross-team"."""
    return bool(between) and not any(map(str.isspace, between))


def _cut(text: str) -> str:
    """Returns a text that ends with a whole word within the longest length."""
    text = " ".join(text.split())
    if len(text) <= _LONGEST:
        return text
    return text[: _LONGEST + 1].rsplit(" ", 1)[0][:_LONGEST]
