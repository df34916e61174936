"""Collects the rules of the core and of all domains into one table.

A rule is a constant beside the code that emits it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

from grounded_builder import compiler, domains, ir, resolve
from grounded_builder.diagnostics import Rule


def _find_rules() -> Iterator[Rule]:
    """Yields the rules that are constants of the modules of these packages."""
    for package in (ir, resolve, compiler, domains):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if module.name != __name__:
                constants = vars(import_module(module.name)).values()
                yield from (value for value in constants if isinstance(value, Rule))


# Sorted by code: the core's (GB), then those of the domains (N8N, SLX, TLS).
RULES: tuple[Rule, ...] = tuple(sorted(set(_find_rules()), key=lambda rule: rule.code))
BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}
