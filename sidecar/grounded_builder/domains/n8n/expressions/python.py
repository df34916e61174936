"""Whether code in Python parses; it is never run."""

from __future__ import annotations

import ast
import textwrap
import warnings

_LONGEST = 200_000
# Faults of older Pythons only: n8n runs a newer one.
_OLDER = ("f-string", "multiple exception types must be parenthesized")


def python_refusal(code: str) -> str | None:
    """Why Python refuses code as the body of a function, None where it takes it or cannot say."""
    return _read(code)[1]


def returns_nothing(code: str) -> bool:
    """Whether code that parses hands nothing back, whichever way it runs."""
    tree = _read(code)[0]
    if tree is None or not isinstance(tree.body[0], ast.AsyncFunctionDef):
        return False
    stack: list[ast.AST] = list(tree.body[0].body)
    while stack:
        one = stack.pop()
        if isinstance(one, ast.Return | ast.Raise):
            return False
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(one))
    return True


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
        if any(one in reason for one in _OLDER):
            return None, None
        return None, f"{reason}, line {line}"
    except (RecursionError, MemoryError, ValueError):
        return None, None
