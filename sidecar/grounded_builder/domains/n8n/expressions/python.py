"""Checks Python code without running it: syntax errors, unavailable names, missing returns."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterator

_MAX_LENGTH = 200_000
# Errors of Python versions older than n8n's.
_NEWER_SYNTAX = ("f-string", "multiple exception types must be parenthesized")

# Names of n8n 1 that the Python runner of n8n 2 does not have (the notice at the node's code).
_REMOVED_NAMES = frozenset(
    """
    _input _json _node _workflow _execution _prevNode _runIndex _today _now _jmespath _env _vars
    _binary _getWorkflowStaticData
    """.split()
)
_EACH, _ALL = "_item", "_items"
# Names in code that itself tests whether a name exists.
_NAME_TESTS = frozenset({"globals", "NameError", "eval", "exec", "dir", "vars"})


def find_syntax_error(code: str) -> str | None:
    """Returns the syntax error of code as a function body, None if it parses or is unclear."""
    return _parse(code)[1]


def returns_nothing(code: str) -> bool:
    """Returns whether code that parses never returns a value."""
    tree = _parse(code)[0]
    if tree is None or not isinstance(tree.body[0], ast.AsyncFunctionDef):
        return False
    stack: list[ast.AST] = list(tree.body[0].body)
    while stack:
        result = stack.pop()
        if isinstance(result, ast.Return | ast.Raise):
            return False
        if not isinstance(
            result, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            stack.extend(ast.iter_child_nodes(result))
    return True


def find_unavailable_names(code: str, *, is_each: bool | None) -> Iterator[str]:
    """Yields n8n's names that Python code reads and that its runner does not provide.

    ``is_each`` is whether the code runs once for each item, None if unknown.
    """
    tree = _parse(code)[0]
    if tree is None:
        return
    wrong = _REMOVED_NAMES if is_each is None else _REMOVED_NAMES | {_ALL if is_each else _EACH}
    named = [item for item in ast.walk(tree) if isinstance(item, ast.Name)]
    read = {item.id for item in named if isinstance(item.ctx, ast.Load)}
    if not read.isdisjoint(_NAME_TESTS):
        return
    called = {
        item.func.id
        for item in ast.walk(tree)
        if isinstance(item, ast.Call) and isinstance(item.func, ast.Name)
    }
    bound = {item.id for item in named if not isinstance(item.ctx, ast.Load)} | _bound_names(tree)
    yield from sorted((read & wrong) - bound)
    if "_" in called - bound:
        yield "_"


def _bound_names(tree: ast.AST) -> set[str]:
    """Returns the names that get a value from anything but an assignment."""
    names: set[str] = set()
    for item in ast.walk(tree):
        if isinstance(item, ast.arg):
            names.add(item.arg)
        elif isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(item.name)
        elif isinstance(item, ast.alias):
            names.add(item.asname or item.name)
        elif isinstance(item, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and item.name:
            names.add(item.name)
    return names


def _parse(code: str) -> tuple[ast.Module | None, str | None]:
    if len(code) > _MAX_LENGTH or "\0" in code:
        return None, None
    body = textwrap.indent(textwrap.dedent(code.replace("\r\n", "\n")), "    ")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(f"async def code():\n{body}\n    pass"), None
    except SyntaxError as fault:
        reason = str(fault.msg)
        line = (fault.lineno or 2) - 1
        if any(name in reason for name in _NEWER_SYNTAX):
            return None, None
        return None, f"{reason}, line {line}"
    except (RecursionError, MemoryError, ValueError):
        return None, None
