"""Chooses another way to sign in for a node whose default credential type has a warning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.credential_notices import find_notice
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.spec import CredentialRule, NodeSpec
from grounded_builder.domains.n8n.parameters.visibility import Condition

CHOSEN_SIGN_IN = Rule.info(
    "N8N360", "chosen-sign-in", "A way to sign in was chosen whose credential type has no warning."
)


def choose_sign_in(
    spec: NodeSpec, parameters: Mapping[str, Any], at: Route, node: str, registry: Registry
) -> tuple[Mapping[str, Any], tuple[Diagnostic, ...]]:
    """Returns the settings with which a node needs no credential type that has a warning.

    Nothing is chosen where the parameters state how to sign in, or where every type has one.
    """
    rules = [rule for rule in spec.credentials if rule.required and rule.condition]
    if len(rules) < 2:
        return {}, ()
    active = _active_rules(rules, spec, parameters)
    warned = [rule for rule in active if find_notice(rule.type, registry)]
    if not warned or len(warned) < len(active):
        return {}, ()
    for rule in rules:
        if rule in active or find_notice(rule.type, registry):
            continue
        for settings in _settings_of(rule, parameters):
            if rule in _active_rules(rules, spec, {**parameters, **settings}):
                return settings, (_note(warned[0], rule, settings, at, node, registry),)
    return {}, ()


def _active_rules(
    rules: list[CredentialRule], spec: NodeSpec, parameters: Mapping[str, Any]
) -> list[CredentialRule]:
    simple, _ = fill(spec.declarations, parameters)
    return [
        rule
        for rule in rules
        if not isinstance(rule.condition, Condition) or rule.condition.holds(simple, simple)
    ]


def _settings_of(
    rule: CredentialRule, parameters: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yields the settings of one parameter that a condition asks for and that is not written."""
    tests = rule.condition.show if isinstance(rule.condition, Condition) else ()
    for test in tests:
        if test.path is not None and test.path not in parameters:
            for value in sorted(test.wanted.texts):
                yield {test.path: value}


def _note(
    warned: CredentialRule,
    chosen: CredentialRule,
    settings: Mapping[str, Any],
    at: Route,
    node: str,
    registry: Registry,
) -> Diagnostic:
    key, value = next(iter(settings.items()))
    return new_diagnostic(
        CHOSEN_SIGN_IN,
        at,
        f'"{node}" takes a credential of type {chosen.type} ({key} is {value}): '
        f'n8n notes on the default type {warned.type}: "{find_notice(warned.type, registry)}"',
        node=node,
        token=key,
    )
