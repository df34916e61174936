"""Find the regular expressions of the sidecar: those of modules, and those written in functions."""

from __future__ import annotations

import ast
import copy
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import regex

import grounded_builder

_MODULES = ("re", "regex")
_CALLS = {"compile", "search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn"}
_DEEPEST = 4
_WORD = "zq"
_Function = ast.FunctionDef | ast.AsyncFunctionDef | None


@dataclass(frozen=True, slots=True)
class Collected:
    """A regular expression: where it is (``module:NAME`` or ``module:line``) and how it is used.

    ``uses`` are methods of a pattern; ``search`` is among them where nothing tells. A ``match`` or
    ``fullmatch`` from a position on is ``match_at`` or ``fullmatch_at``: readers that go through a
    text call it at any character.
    """

    where: str
    pattern: Any
    uses: frozenset[str]


def patterns() -> list[Collected]:
    """Returns all regular expressions that can be known without running functions."""
    every: dict[tuple[str, object, int], Collected] = {}
    uses: dict[re.Pattern[Any], set[str]] = {}
    for module, tree in _trees():
        for name, use in uses_of_names(tree):
            value = getattr(module, name, None)
            if isinstance(value, re.Pattern):
                uses.setdefault(value, set()).add(use)
    for module, tree in _trees():
        for collected in (*_of_globals(module, tree, uses), *_of_calls(module, tree)):
            pattern = collected.pattern
            # Equal patterns of two modules may be asked in other ways, and of other texts.
            key = (module.__name__, pattern.pattern, pattern.flags)
            known = every.setdefault(key, collected)
            # What compile() is called for is told by the name that it is given.
            if ":" not in collected.where or not collected.where.rpartition(":")[2].isdigit():
                every[key] = replace(known, uses=known.uses | collected.uses)
    return list(every.values())


def unknown_calls() -> list[str]:
    """Returns the calls whose pattern only a running function knows, as ``module:function``."""
    return sorted({where for pair in _trees() for where in _list_unknown_calls(*pair)})


@cache
def _trees() -> list[tuple[ModuleType, ast.Module]]:
    return [
        (module, ast.parse(Path(str(module.__file__)).read_text("utf-8"))) for module in _modules()
    ]


def _modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(grounded_builder.__path__, "grounded_builder."):
        if not info.name.endswith("__main__") and ".migrations" not in info.name:
            yield importlib.import_module(info.name)


def uses_of_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yields names with the methods that are called on them, ``search`` where nothing tells."""
    nodes = list(ast.walk(tree))
    called = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    owners: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owners.add(id(node.value))
            if node.attr in _CALLS:
                call = called.get(id(node))
                yield node.value.id, "search" if call is None else _use(node.attr, call)
    for node in nodes:
        is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Name) and is_read and id(node) not in owners:
            yield node.id, "search"


def _use(method: str, call: ast.Call) -> str:
    has_position = len(call.args) > 1 or any(key.arg in (None, "pos") for key in call.keywords)
    return f"{method}_at" if has_position and method in ("match", "fullmatch") else method


def _of_globals(
    module: ModuleType, tree: ast.Module, uses: Mapping[re.Pattern[Any], set[str]]
) -> Iterator[Collected]:
    owned = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for name in sorted(owned):
        value = getattr(module, name, None)
        known = uses.get(value) if isinstance(value, re.Pattern) else None
        for pattern in _inside(value, 0):
            yield Collected(f"{_short(module)}:{name}", pattern, frozenset(known or {"search"}))


def _of_calls(module: ModuleType, tree: ast.Module) -> Iterator[Collected]:
    for node, function in _calls(tree):
        pattern = _evaluate_call(node, module, function)
        if pattern is not None:
            method = node.func.attr if isinstance(node.func, ast.Attribute) else "search"
            use = "search" if method == "compile" else method
            yield Collected(f"{_short(module)}:{node.lineno}", pattern, frozenset({use}))


def _list_unknown_calls(module: ModuleType, tree: ast.Module) -> Iterator[str]:
    for node, function in _calls(tree):
        if function and _evaluate_call(node, module, function) is None:
            yield f"{_short(module)}:{function.name}"


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Call, _Function]]:
    """Calls of the modules of regular expressions with the function that they are written in."""
    functions: list[tuple[ast.AST, _Function]] = [(tree, None)]
    while functions:
        node, function = functions.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in _MODULES
            and node.func.attr in _CALLS
        ):
            yield node, function
        functions.extend((child, function) for child in ast.iter_child_nodes(node))


def _evaluate_call(call: ast.Call, module: ModuleType, function: _Function) -> Any:
    """The pattern of a call whose parts the module knows, else None.

    A name of the function stands for what it is given there, an escaped text for any word.
    """
    engine = (
        regex if isinstance(call.func, ast.Attribute) and "regex" in ast.dump(call.func) else re
    )
    flags = next((k.value for k in call.keywords if k.arg == "flags"), None)
    takes_two = isinstance(call.func, ast.Attribute) and call.func.attr == "compile"
    place = 1 if takes_two else 3 if ast.dump(call.func).count("'sub'") else 2
    flags = call.args[place] if flags is None and len(call.args) > place else flags
    try:
        known = _Known(function).visit(copy.deepcopy(call.args[0]))
        written = ast.fix_missing_locations(ast.Expression(known))
        text = eval(compile(written, "", "eval"), vars(module))  # noqa: S307
        bits = eval(compile(ast.Expression(flags), "", "eval"), vars(module)) if flags else 0  # noqa: S307
        return engine.compile(text, bits)
    except (NameError, TypeError, AttributeError, IndexError, re.error):
        return None


class _Known(ast.NodeTransformer):
    """Writes out what a function knows of a pattern."""

    def __init__(self, function: _Function) -> None:
        given: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function) if function else ():
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                given.setdefault(node.targets[0].id, []).append(node.value)
        self._given = {name: values[0] for name, values in given.items() if len(values) == 1}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._given.pop(node.id, None)
        return self.visit(copy.deepcopy(value)) if value else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_escape = isinstance(node.func, ast.Attribute) and node.func.attr == "escape"
        return ast.Constant(_WORD) if is_escape else self.generic_visit(node)


def _inside(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, re.Pattern | regex.Pattern):
        yield value
    elif depth > _DEEPEST:
        return
    elif isinstance(value, dict):
        for item in (*value.keys(), *value.values()):
            yield from _inside(item, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _inside(item, depth + 1)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _inside(getattr(value, field.name, None), depth + 1)


def _short(module: ModuleType) -> str:
    return module.__name__.removeprefix("grounded_builder.")
