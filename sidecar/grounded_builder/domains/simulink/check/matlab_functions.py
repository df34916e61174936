"""What the code of a MATLAB Function comes to: one block of the base library, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.domains.simulink.matlab_expr import Refused, parse
from grounded_builder.domains.simulink.matlab_expr.ast import Term, names_in

_MATH = "simulink/Math Operations/"
_LOGIC = "simulink/Logic and Bit Operations/"
_SATURATION = "simulink/Discontinuities/Saturation"
_SWITCH = "simulink/Signal Routing/Switch"
# No longer function is one block: the time of some patterns below grows with the square of it.
_LONGEST = 2_000
_HEAD = re.compile(
    r"function\s+(?:\[\s*(?P<one>\w+)\s*\]|(?P<out>\w+))\s*=\s*\w+\s*\((?P<args>[\w\s,]*)\)"
)
_COMMENT = re.compile(r"%[^\n]*")
_ASSIGNED = re.compile(r"(?P<name>\w+)\s*=(?!=)\s*(?P<value>.+)", re.DOTALL)
_CHOICE = re.compile(
    r"if\b(?P<when>[^\n;]+?)[\n;,]\s*(?P<then>\w+\s*=(?!=)[^\n;]+)[\n;]+\s*"
    r"else\b\s*[\n;,]?\s*(?P<other>\w+\s*=(?!=)[^\n;]+)[\n;]*\s*end\b[\s;]*"
)
_FUNCTIONS = {
    **dict.fromkeys("sin cos tan asin acos atan sinh cosh tanh".split(), "Trigonometric Function"),
    **dict.fromkeys("exp log log10".split(), "Math Function"),
    **dict.fromkeys("floor ceil round fix".split(), "Rounding Function"),
    "abs": "Abs",
    "sqrt": "Sqrt",
    "sign": "Sign",
}
_OF_TWO = {
    "atan2": "Trigonometric Function",
    **dict.fromkeys("mod rem hypot".split(), "Math Function"),
    **dict.fromkeys("max min".split(), "MinMax"),
}
_RELATIONS = frozenset({"<", "<=", ">", ">=", "==", "~="})
_GATES = {"&": "AND", "&&": "AND", "|": "OR", "||": "OR"}


@dataclass(frozen=True, slots=True)
class Meant:
    """A block that does the same; ``how`` is the option or parameter that it needs."""

    block: str
    how: str = ""


def meant_by(script: str, inputs: int | None) -> Meant | None:
    """The block that a function of so many inputs stands for; None where it takes more than one.

    An argument beyond the inputs is a parameter, and then nothing is said.
    """
    text = _COMMENT.sub("", script.replace("...\n", " ")).strip()
    head = _HEAD.match(text) if len(text) <= _LONGEST else None
    if head is None:
        return None
    output = head["one"] or head["out"]
    names = frozenset(part.strip() for part in head["args"].split(",") if part.strip())
    if not names or (inputs is not None and inputs != len(names)):
        return None
    body = text[head.end() :].strip().strip(";,").strip()
    choice = _CHOICE.fullmatch(re.sub(r"\n\s*end\s*$", "", body) if _ends_twice(body) else body)
    if choice is not None:
        return _chosen(choice, output, names)
    body = re.sub(r"\n\s*end\s*$", "", body).strip().rstrip(";,").strip()
    assigned = _ASSIGNED.fullmatch(body)
    if assigned is None or assigned["name"] != output or re.search(r"[;\n]", assigned["value"]):
        return None
    return _of(_parsed(assigned["value"]), names)


def _ends_twice(body: str) -> bool:
    return len(re.findall(r"\bend\b", body)) > 1


def _parsed(text: str) -> Term | None:
    try:
        return parse(text.strip().rstrip(";,").strip())
    except Refused:
        return None


def _of(term: Term | None, names: frozenset[str]) -> Meant | None:
    """The block of an expression of the inputs."""
    if term is None:
        return None
    if term.kind == "call":
        return _call(term, names)
    if term.kind == "unary":
        return _unary(term, names)
    return _binary(term, names) if term.kind == "binary" else None


def _binary(term: Term, names: frozenset[str]) -> Meant | None:
    left, right = term.parts
    one, two = _is_input(left, names), _is_input(right, names)
    if term.text in ("+", "-"):
        signs = _signs(term, names)
        if signs and len(signs) == len(names_in(term)):
            return Meant(f"{_MATH}Sum", f"Inputs {signs}")
        if (one and _is_number(right)) or (two and _is_number(left) and term.text == "+"):
            return Meant(f"{_MATH}Bias")
        return None
    if term.text in ("*", ".*"):
        if one and two and left == right and term.text == ".*":
            return Meant(f"{_MATH}Math Function", "square")
        if _factors(term, names):
            return Meant(f"{_MATH}Product") if len(names_in(term)) > 1 else None
        return Meant(f"{_MATH}Gain") if _one_each(left, right, names) else None
    if term.text in ("/", "./"):
        if one and two:
            return Meant(f"{_MATH}Divide")
        if one and _is_number(right):
            return Meant(f"{_MATH}Gain")
        return Meant(f"{_MATH}Math Function", "reciprocal") if two and _is_one(left) else None
    if term.text in ("^", ".^") and one and right.kind == "number" and right.text == "2":
        return Meant(f"{_MATH}Math Function", "square")
    if term.text in _RELATIONS:
        if one and two:
            return Meant(f"{_LOGIC}Relational Operator", term.text)
        if _one_each(left, right, names):
            return Meant(f"{_LOGIC}Compare To Constant", term.text if one else _turned(term.text))
    if term.text in _GATES and one and two:
        return Meant(f"{_LOGIC}Logical Operator", _GATES[term.text])
    return None


def _unary(term: Term, names: frozenset[str]) -> Meant | None:
    if not _is_input(term.parts[0], names):
        return None
    if term.text == "-":
        return Meant(f"{_MATH}Unary Minus")
    if term.text == "~":
        return Meant(f"{_LOGIC}Logical Operator", "NOT")
    return Meant(f"{_MATH}Math Function", "transpose") if term.text in ("'", ".'") else None


def _call(term: Term, names: frozenset[str]) -> Meant | None:
    parts = term.parts
    if len(parts) == 1 and term.text in _FUNCTIONS and _is_input(parts[0], names):
        name = _FUNCTIONS[term.text]
        return Meant(f"{_MATH}{name}", term.text if name.endswith("Function") else "")
    if len(parts) != 2:
        return None
    if term.text in _OF_TWO and all(_is_input(part, names) for part in parts):
        if parts[0] == parts[1]:
            return None
        return Meant(f"{_MATH}{_OF_TWO[term.text]}", term.text)
    if term.text in ("max", "min"):
        return Meant(_SATURATION) if _is_bounded(term, names) else None
    return None


def _is_bounded(term: Term, names: frozenset[str]) -> bool:
    """Whether a term is ``max(u, 0)``, ``min(u, 1)`` or one of them inside the other."""
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
    """The signs of a sum of different inputs; empty for any other term."""
    if _is_input(term, names):
        return "+"
    if term.kind == "unary" and term.text == "-" and _is_input(term.parts[0], names):
        return "-"
    if term.kind != "binary" or term.text not in ("+", "-"):
        return ""
    before = _signs(term.parts[0], names)
    return before + term.text if before and _is_input(term.parts[1], names) else ""


def _factors(term: Term, names: frozenset[str]) -> bool:
    """Whether a term is a product of inputs."""
    if _is_input(term, names):
        return True
    is_product = term.kind == "binary" and term.text in ("*", ".*")
    return is_product and all(_factors(part, names) for part in term.parts)


def _chosen(choice: re.Match[str], output: str, names: frozenset[str]) -> Meant | None:
    """One of two values by a condition: a comparison where they are 1 and 0, else a switch."""
    when = _parsed(choice["when"].strip())
    sides = [_ASSIGNED.fullmatch(choice[side].strip()) for side in ("then", "other")]
    values = [
        _parsed(side["value"]) for side in sides if side is not None and side["name"] == output
    ]
    if when is None or len(values) != 2 or any(value is None for value in values):
        return None
    plain = [value for value in values if value is not None]
    if not all(_is_number(term) or _is_input(term, names) for term in plain):
        return None
    condition = _of(when, names)
    compares = condition is not None and condition.block.endswith(
        ("Compare To Constant", "Relational Operator")
    )
    if not compares and not _is_input(when, names):
        return None
    if condition is not None and [term.text for term in plain] == ["1", "0"]:
        return condition
    return Meant(_SWITCH)


def _one_each(left: Term, right: Term, names: frozenset[str]) -> bool:
    """Whether one side is an input and the other a number."""
    one, two = _is_input(left, names), _is_input(right, names)
    return (one and _is_number(right)) or (two and _is_number(left))


def _turned(relation: str) -> str:
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
