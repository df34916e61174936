"""Advises on lists and ids of the user's account that a step leaves empty or at the default."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.parameters.account_values import is_account_value, is_from_account
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.properties import LOCATORS, Property
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.parameters.value_types import EMPTY
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.lowering import StepResolution

DEFAULT_CHOICE = Rule.advice(
    "N8N361", "default-choice", "MissingOwnValue", "A choice of the account stays at its default."
)

_CACHED_SPECS = 512
_HELP_LIST = "choose one from the list in n8n if the workflow needs another"
_HELP_TEXT = "write it in n8n if the workflow needs one"
_MAIN = "main"
_MODELS = "AI"
_SELECTING = frozenset({"resource", "operation"})
# The words with which n8n's descriptions say that a parameter need not be chosen.
_OPTIONAL = frozenset({"optional", "optionally", "empty", "blank", "only", "restrict", "limits"})
_TYPES = LOCATORS | {"options"}
# Addresses that mails need not have.
_FURTHER = frozenset({"cc", "bcc", "reply"})


def list_default_choices(choice: StepResolution, bound: ResolvedNode) -> Iterator[Diagnostic]:
    """Yields advice for each list of the account from which a step chooses nothing, and each id.

    That is a list or a text, such as Box's ``parentId``, without a default that n8n neither
    requires, which is reported elsewhere, nor describes as optional; and the last list if it has a
    default, such as the folder of a file. The models of AI nodes are no place that data goes to.
    """
    tool, spec, step = choice.tool, choice.spec, choice.step
    candidates = _find_candidates(spec) if isinstance(spec, NodeSpec) else ()
    if tool is None or not candidates:
        return
    simple, params = filled_parameters(bound).simple, bound.node.params
    shown = [prop for prop in candidates if prop.is_shown(simple, simple)]
    last = next((prop for prop in reversed(shown) if prop.type in LOCATORS), None)
    for prop in shown:
        default = _default_of(prop)
        is_named = (
            prop is last and tool.category != _MODELS
            if default
            else not prop.raw.get("required") and not _is_optional(prop)
        )
        if not is_named or params.get(prop.name) not in EMPTY:
            continue
        label = str(prop.raw.get("displayName") or prop.name)
        is_text = prop.type not in _TYPES
        fact = f'stays "{default}", the default' if default else "is not chosen"
        yield new_diagnostic(
            DEFAULT_CHOICE,
            step.params_at if step.params else step.at,
            f'"{label}" of "{bound.node.name}" {"is not set" if is_text else fact}',
            help=_HELP_TEXT if is_text else _HELP_LIST,
            node=bound.node.name,
            token=prop.name,
            only_user=True,
        )


@lru_cache(_CACHED_SPECS)
def _find_candidates(spec: NodeSpec) -> tuple[Property, ...]:
    """Returns the values of the account at the root that the operation alone shows."""
    outputs = spec.variant["outputs"]
    if isinstance(outputs, list) and all(port.get("kind") != _MAIN for port in outputs):
        return ()
    return tuple(
        prop
        for prop in spec.declarations.root.properties
        if ((prop.type in _TYPES and is_from_account(prop)) or _is_own_text(prop))
        and (prop.type in LOCATORS or not _default_of(prop))
        and all(key in _SELECTING or key[:1] == "@" for key in _shown_by(prop))
    )


def _is_own_text(prop: Property) -> bool:
    resources = _shown_by(prop).get("resource")
    resource = str(resources[0]) if isinstance(resources, list) and resources else ""
    is_further = not _FURTHER.isdisjoint(split_identifier(prop.name))
    return prop.type == "string" and is_account_value(prop, resource) and not is_further


def _shown_by(prop: Property) -> dict[str, object]:
    shown = prop.raw.get("displayOptions")
    wanted = shown.get("show") if isinstance(shown, dict) else None
    return wanted if isinstance(wanted, dict) else {}


def _default_of(prop: Property) -> str:
    """Returns the default as people see it, empty without one."""
    default = prop.default
    if isinstance(default, dict):
        default = default.get("value") and (default.get("cachedResultName") or default["value"])
    return str(default or "")


def _is_optional(prop: Property) -> bool:
    texts = (prop.raw.get(key) for key in ("displayName", "description", "hint", "placeholder"))
    words = {word for text in texts for word in split_identifier(str(text or ""))}
    return not _OPTIONAL.isdisjoint(words)
