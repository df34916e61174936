"""Whether code in Python parses, and whether what it reads is there; it is never run."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterator

_LONGEST = 200_000
# Faults of older Pythons only: n8n runs a newer one.
_OLDER = ("f-string", "multiple exception types must be parenthesized")

# What n8n's runner of Python has none of, though n8n 1 had (the notice at the node's code).
_GONE = frozenset(
    """
    _input _json _node _workflow _execution _prevNode _runIndex _today _now _jmespath _env _vars
    _binary _getWorkflowStaticData
    """.split()
)
_EACH, _ALL = "_item", "_items"
# Code that looks for itself whether a name is there.
_ASKING = frozenset({"globals", "NameError", "eval", "exec", "dir", "vars"})


def python_refusal(code: str) -> str | None:
    """Why Python refuses code as the body of a function, None where it takes it or cannot say."""
    return _read(code)[1]


def returns_nothing(code: str) -> bool:
    """Returns whether code that parses hands nothing back, whichever way it runs."""
    tree = _read(code)[0]
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


def ungiven(code: str, *, is_each: bool | None) -> Iterator[str]:
    """Yields the names of n8n's that Python code reads and that its runner does not give.

    ``is_each`` says whether the code runs once for each item, None where that is unknown.
    """
    tree = _read(code)[0]
    if tree is None:
        return
    wrong = _GONE if is_each is None else _GONE | {_ALL if is_each else _EACH}
    named = [item for item in ast.walk(tree) if isinstance(item, ast.Name)]
    read = {item.id for item in named if isinstance(item.ctx, ast.Load)}
    if not read.isdisjoint(_ASKING):
        return
    called = {
        item.func.id
        for item in ast.walk(tree)
        if isinstance(item, ast.Call) and isinstance(item.func, ast.Name)
    }
    bound = {item.id for item in named if not isinstance(item.ctx, ast.Load)} | _bound(tree)
    yield from sorted((read & wrong) - bound)
    if "_" in called - bound:
        yield "_"


def _bound(tree: ast.AST) -> set[str]:
    """Names that something else than an assignment gives a value to."""
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


def _read(code: str) -> tuple[ast.Module | None, str | None]:
    if len(code) > _LONGEST or "\0" in code:
        return None, None
    body = textwrap.indent(textwrap.dedent(code.replace("\r\n", "\n")), "    ")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(f"async def code():\n{body}\n    pass"), None
    except SyntaxError as fault:
        reason = str(fault.msg)
        line = (fault.lineno or 2) - 1
        if any(name in reason for name in _OLDER):
            return None, None
        return None, f"{reason}, line {line}"
    except (RecursionError, MemoryError, ValueError):
        return None, None
