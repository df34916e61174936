"""Finds the block of the base library that does what a MATLAB Function or an expression does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grounded_builder.domains.simulink.matlab_expr import RejectedValueError, parse
from grounded_builder.domains.simulink.matlab_expr.ast import Term, names_in
from grounded_builder.domains.simulink.matlab_expr.scan import Token, scan

_MATH = "simulink/Math Operations/"
_LOGIC = "simulink/Logic and Bit Operations/"
_SATURATION = "simulink/Discontinuities/Saturation"
_SWITCH = "simulink/Signal Routing/Switch"
_KEYWORDS = frozenset({"function", "if", "else", "end"})
_FUNCTIONS = {
    **dict.fromkeys("sin cos tan asin acos atan sinh cosh tanh".split(), "Trigonometric Function"),
    **dict.fromkeys("exp log log10".split(), "Math Function"),
    **dict.fromkeys("floor ceil round fix".split(), "Rounding Function"),
    "abs": "Abs",
    "sqrt": "Sqrt",
    "sign": "Sign",
    "sgn": "Sign",
}
_OF_TWO = {
    "atan2": "Trigonometric Function",
    **dict.fromkeys("mod rem hypot".split(), "Math Function"),
    **dict.fromkeys("max min".split(), "MinMax"),
}
_RELATIONS = frozenset({"<", "<=", ">", ">=", "==", "~="})
_GATES = {"&": "AND", "&&": "AND", "|": "OR", "||": "OR"}


@dataclass(frozen=True, slots=True)
class EquivalentBlock:
    """An equivalent block; ``how`` is the option or parameter that it needs."""

    block: str
    how: str = ""


def find_equivalent(script: str, inputs: int | None) -> EquivalentBlock | None:
    """Returns the block that equals a function of so many inputs; None where no single block does.

    An argument beyond the inputs is a parameter, and then the function is not equal to a block.
    """
    code = "\n".join(line.partition("%")[0] for line in script.splitlines())
    try:
        keyword, head, *body = _statements(code)
        output, names = _signature(head)
        if keyword != "function" or (inputs is not None and inputs != len(names)):
            return None
        if body.count("end") > body.count("if"):
            body.pop()
        match body:
            case [line]:
                return _match_term(_read_assigned_value(line, output), names)
            case ["if", condition, then, "else", other, "end"]:
                values = (_read_assigned_value(then, output), _read_assigned_value(other, output))
                return _match_switch(parse(condition), values, names)
    except ValueError:
        # The code does not parse, or lacks these parts.
        return None
    return None


def block_of_expression(text: str) -> EquivalentBlock | None:
    """Returns the block that equals an expression of the input ``u``; None where no block does.

    Elements are scalars, ``u(1)`` or ``u[1]``. A comparison is a number here, and a boolean in a
    block.
    """
    try:
        term = _scalars(parse(text))
    except RejectedValueError:
        return None
    block = _match_term(term, frozenset(name for name in names_in(term) if name.startswith("u(")))
    return None if block is None or block.block.startswith(_LOGIC) else block


def block_of_function(name: str) -> EquivalentBlock | None:
    """Returns the block that applies a function of one argument."""
    return _match_term(Term("call", name, (Term("name", "u"),)), frozenset({"u"}))


def _statements(code: str) -> list[str]:
    """Returns the statements of code; a leading keyword is a statement of its own."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in scan(code):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.kind == "line" or (token.text in (";", ",") and depth == 0):
            parts.append([])
        elif token.kind == "name" and token.text in _KEYWORDS and not parts[-1]:
            parts += [[token], []]
        else:
            parts[-1].append(token)
    return [code[part[0].at : part[-1].at + len(part[-1].text)] for part in parts if part]


def _signature(head: str) -> tuple[str, frozenset[str]]:
    """Returns the one output and the arguments of ``y = f(a, b)``; ValueError for another head."""
    tokens = [token.text for token in scan(head) if token.text not in ("[", "]", ",")]
    output, equals, _, opening, *names, closing = tokens
    if (equals, opening, closing) != ("=", "(", ")") or not names:
        raise ValueError(head)
    return output, frozenset(names)


def _read_assigned_value(statement: str, output: str) -> Term:
    """Returns the value that a statement gives the output; ValueError where it does not."""
    name, equals, value, *_ = scan(statement)
    if (name.text, equals.text) != (output, "="):
        raise ValueError(statement)
    return parse(statement[value.at :])


def _scalars(term: Term) -> Term:
    """Returns a term with each element of ``u`` as a name, and the operators of elements."""
    if term == Term("name", "u"):
        return Term("name", "u(1)")
    whole = Term("name", "u")
    if term == whole:
        return Term("name", "u(1)")
    if term.kind == "index" and [part.kind for part in term.parts] == ["name", "number"]:
        return Term("name", f"u({term.parts[1].text})") if term.parts[0] == whole else term
    text = f".{term.text}" if term.kind == "binary" and term.text in "*/^" else term.text
    return replace(term, text=text, parts=tuple(map(_scalars, term.parts)))


def _match_term(term: Term, names: frozenset[str]) -> EquivalentBlock | None:
    """Returns the block that equals an expression of the inputs."""
    if term.kind == "call":
        return _match_call(term, names)
    if term.kind == "unary":
        return _match_unary(term, names)
    return _match_binary(term, names) if term.kind == "binary" else None


def _match_binary(term: Term, names: frozenset[str]) -> EquivalentBlock | None:
    left, right = term.parts
    left_is_input, right_is_input = _is_input(left, names), _is_input(right, names)
    if term.text in ("+", "-"):
        signs = _signs(term, names)
        if signs and len(signs) == len(names_in(term)):
            return EquivalentBlock(f"{_MATH}Sum", f"Inputs {signs}")
        if (left_is_input and _is_number(right)) or (
            right_is_input and _is_number(left) and term.text == "+"
        ):
            return EquivalentBlock(f"{_MATH}Bias")
        return None
    if term.text in ("*", ".*"):
        if left_is_input and right_is_input and left == right and term.text == ".*":
            return EquivalentBlock(f"{_MATH}Math Function", "square")
        if _factors(term, names):
            return EquivalentBlock(f"{_MATH}Product") if len(names_in(term)) > 1 else None
        return (
            EquivalentBlock(f"{_MATH}Gain") if _has_input_and_number(left, right, names) else None
        )
    if term.text in ("/", "./"):
        if left_is_input and right_is_input:
            return EquivalentBlock(f"{_MATH}Divide")
        if left_is_input and _is_number(right):
            return EquivalentBlock(f"{_MATH}Gain")
        return (
            EquivalentBlock(f"{_MATH}Math Function", "reciprocal")
            if right_is_input and _is_one(left)
            else None
        )
    if term.text in ("^", ".^") and left_is_input and right.kind == "number" and right.text == "2":
        return EquivalentBlock(f"{_MATH}Math Function", "square")
    if term.text in _RELATIONS:
        if left_is_input and right_is_input:
            return EquivalentBlock(f"{_LOGIC}Relational Operator", term.text)
        if _has_input_and_number(left, right, names):
            return EquivalentBlock(
                f"{_LOGIC}Compare To Constant",
                term.text if left_is_input else _mirror_relation(term.text),
            )
    if term.text in _GATES and left_is_input and right_is_input:
        return EquivalentBlock(f"{_LOGIC}Logical Operator", _GATES[term.text])
    return None


def _match_unary(term: Term, names: frozenset[str]) -> EquivalentBlock | None:
    if not _is_input(term.parts[0], names):
        return None
    if term.text == "-":
        return EquivalentBlock(f"{_MATH}Unary Minus")
    if term.text == "~":
        return EquivalentBlock(f"{_LOGIC}Logical Operator", "NOT")
    return (
        EquivalentBlock(f"{_MATH}Math Function", "transpose") if term.text in ("'", ".'") else None
    )


def _match_call(term: Term, names: frozenset[str]) -> EquivalentBlock | None:
    parts = term.parts
    if len(parts) == 1 and term.text in _FUNCTIONS and _is_input(parts[0], names):
        name = _FUNCTIONS[term.text]
        return EquivalentBlock(f"{_MATH}{name}", term.text if name.endswith("Function") else "")
    if len(parts) != 2:
        return None
    if term.text in _OF_TWO and all(_is_input(part, names) for part in parts):
        if parts[0] == parts[1]:
            return None
        return EquivalentBlock(f"{_MATH}{_OF_TWO[term.text]}", term.text)
    if term.text in ("max", "min"):
        return EquivalentBlock(_SATURATION) if _is_bounded(term, names) else None
    return None


def _is_bounded(term: Term, names: frozenset[str]) -> bool:
    """Returns whether a term is ``max(u, 0)``, ``min(u, 1)`` or a nesting of the two."""
    if term.kind != "call" or term.text not in ("max", "min") or len(term.parts) != 2:
        return False
    values = [part for part in term.parts if not _is_number(part)]
    if len(values) != 1:
        return False
    inner = values[0]
    if _is_input(inner, names):
        return True
    return inner.kind == "call" and inner.text != term.text and _is_bounded(inner, names)


def _signs(term: Term, names: frozenset[str]) -> str:
    """Returns the signs of a sum of different inputs; empty for any other term."""
    if _is_input(term, names):
        return "+"
    if term.kind == "unary" and term.text == "-" and _is_input(term.parts[0], names):
        return "-"
    if term.kind != "binary" or term.text not in ("+", "-"):
        return ""
    before = _signs(term.parts[0], names)
    return before + term.text if before and _is_input(term.parts[1], names) else ""


def _factors(term: Term, names: frozenset[str]) -> bool:
    """Returns whether a term is a product of inputs."""
    if _is_input(term, names):
        return True
    is_product = term.kind == "binary" and term.text in ("*", ".*")
    return is_product and all(_factors(part, names) for part in term.parts)


def _match_switch(
    when: Term, values: Sequence[Term], names: frozenset[str]
) -> EquivalentBlock | None:
    """Returns the block that selects one of two values: a comparison for 1 and 0, else a switch."""
    if not all(_is_number(term) or _is_input(term, names) for term in values):
        return None
    condition = _match_term(when, names)
    compares = condition is not None and condition.block.endswith(
        ("Compare To Constant", "Relational Operator")
    )
    if not compares and not _is_input(when, names):
        return None
    if condition is not None and [term.text for term in values] == ["1", "0"]:
        return condition
    return EquivalentBlock(_SWITCH)


def _has_input_and_number(left: Term, right: Term, names: frozenset[str]) -> bool:
    """Returns whether one side is an input and the other a number."""
    left_is_input, right_is_input = _is_input(left, names), _is_input(right, names)
    return (left_is_input and _is_number(right)) or (right_is_input and _is_number(left))


def _mirror_relation(relation: str) -> str:
    return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(relation, relation)


def _is_input(term: Term, names: frozenset[str]) -> bool:
    if term.kind == "index" and term.text == "" and len(term.parts) == 1:
        term = term.parts[0]
    return term.kind == "name" and term.text in names


def _is_number(term: Term) -> bool:
    if term.kind == "unary" and term.text in ("-", "+"):
        return _is_number(term.parts[0])
    return term.kind == "number" or (term.kind == "name" and term.text in ("pi", "eps"))


def _is_one(term: Term) -> bool:
    return term.kind == "number" and term.text == "1"
