"""Parses the text of a parameter value into an expression; rejects anything with side effects."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from grounded_builder.domains.simulink.matlab_expr.ast import Term
from grounded_builder.domains.simulink.matlab_expr.evaluate import too_many
from grounded_builder.domains.simulink.matlab_expr.functions import ACTING, FILLING, PURE
from grounded_builder.domains.simulink.matlab_expr.scan import (
    RejectedValueError,
    SideEffectError,
    Token,
    UnknownFunctionError,
    scan,
)

_DEEPEST = 60
# A chain of operators or transposes is a tree as deep as it is long, and readers of the tree
# recurse into it.
_DEEPEST_TREE = 200
# The input of a block that evaluates an expression.
_INPUT = "u"
_WHOLE_INPUT = Term("name", _INPUT)
_BINARY: tuple[frozenset[str], ...] = (
    frozenset({"||"}),
    frozenset({"&&"}),
    frozenset({"|"}),
    frozenset({"&"}),
    frozenset({"<", "<=", ">", ">=", "==", "~=", "!="}),
    frozenset({":"}),
    frozenset({"+", "-"}),
    frozenset({"*", "/", "\\", ".*", "./", ".\\"}),
)
_COLON = 5
_PREFIX = frozenset({"+", "-", "~"})
_POWER = frozenset({"^", ".^"})


@dataclass(slots=True)
class _Reader:
    tokens: list[Token]
    at: int = 0
    depth: int = 0
    brackets: list[str] = field(default_factory=list)

    def peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> Token:
        token = self.peek()
        if token is None:
            raise RejectedValueError("it ends in the middle of an expression")
        self.at += 1
        return token

    def eat(self, mark: str) -> bool:
        token = self.peek()
        if token is not None and token.kind == "mark" and token.text == mark:
            self.at += 1
            return True
        return False


@lru_cache(4096)
def parse(text: str) -> Term:
    """Returns the expression of a text, or a list where commas separate several.

    Raises RejectedValueError when the text is not a plain value.
    """
    reader = _Reader(_drop_line_ends(scan(text.strip())))
    if not reader.tokens:
        raise RejectedValueError("it is empty")
    terms = [_expression(reader, 0)]
    while reader.eat(","):
        terms.append(_expression(reader, 0))
    left = reader.peek()
    if left is not None:
        raise RejectedValueError(f'"{left.text}" follows the end of the value')
    whole = terms[0] if len(terms) == 1 else Term("list", parts=tuple(terms))
    if _is_deeper(whole, _DEEPEST_TREE):
        raise RejectedValueError("it is nested too deeply")
    return whole


def _is_deeper(term: Term, depth: int) -> bool:
    """Returns whether a tree has more levels than this, without recursion."""
    level = [term]
    for _ in range(depth):
        level = [part for whole in level for part in whole.parts]
        if not level:
            return False
    return True


def _drop_line_ends(tokens: list[Token]) -> list[Token]:
    """Returns the tokens without line ends, except inside brackets, where they end a row."""
    out: list[Token] = []
    depth = 0
    for token in tokens:
        if token.kind == "mark":
            depth += (token.text in "[{") - (token.text in "]}")
        if token.kind != "line":
            out.append(token)
        elif depth:
            out.append(Token("mark", ";", token.at, spaced=True))
    return out


def _expression(reader: _Reader, level: int) -> Term:
    reader.depth += 1
    if reader.depth > _DEEPEST * len(_BINARY):
        raise RejectedValueError("it is nested too deeply")
    try:
        if level == len(_BINARY):
            return _unary(reader)
        left = _expression(reader, level + 1)
        if level == _COLON:
            return _range(reader, left)
        while (mark := _operator(reader, _BINARY[level])) is not None:
            left = Term("binary", mark, (left, _expression(reader, level + 1)))
        return left
    finally:
        reader.depth -= 1


def _operator(reader: _Reader, marks: frozenset[str]) -> str | None:
    """Returns the next operator of a level; inside brackets `[1 -2]` has two elements."""
    token = reader.peek()
    if token is None or token.kind != "mark" or token.text not in marks:
        return None
    if reader.brackets and reader.brackets[-1] in "[{" and token.text in _PREFIX and token.spaced:
        following = reader.tokens[reader.at + 1] if reader.at + 1 < len(reader.tokens) else None
        if following is not None and not following.spaced:
            return None
    reader.at += 1
    return token.text


def _range(reader: _Reader, first: Term) -> Term:
    parts = [first]
    while len(parts) < 3 and _operator(reader, _BINARY[_COLON]):
        parts.append(_expression(reader, _COLON + 1))
    if len(parts) == 1:
        return first
    if too_many(":", tuple(parts)):
        raise RejectedValueError("the range has too many elements")
    return Term("range", parts=tuple(parts))


def _unary(reader: _Reader) -> Term:
    token = reader.peek()
    if token is not None and token.kind == "mark" and token.text in _PREFIX:
        reader.at += 1
        reader.depth += 1
        if reader.depth > _DEEPEST * len(_BINARY):
            raise RejectedValueError("it is nested too deeply")
        operand = _unary(reader)
        reader.depth -= 1
        return Term("unary", token.text, (operand,))
    base = _postfix(reader)
    while (mark := _operator(reader, _POWER)) is not None:
        following = reader.peek()
        if following is not None and following.kind == "mark" and following.text in _PREFIX:
            exponent = _unary(reader)
        else:
            exponent = _postfix(reader)
        base = Term("binary", mark, (base, exponent))
    return base


def _postfix(reader: _Reader) -> Term:
    term = _primary(reader)
    while True:
        token = reader.peek()
        if token is None or token.kind != "mark":
            return term
        in_row = bool(reader.brackets) and reader.brackets[-1] in "[{"
        if token.text in ("'", ".'") and not token.spaced:
            reader.at += 1
            term = Term("unary", token.text, (term,))
        elif token.text == "(" and not (in_row and token.spaced):
            reader.at += 1
            term = _apply_arguments(term, _arguments(reader, ")"))
        elif token.text == "[" and not token.spaced and not in_row and term == _WHOLE_INPUT:
            # Comparison operators of C, which blocks with expressions accept as well.
            reader.at += 1
            term = Term("index", "(", (term, *_arguments(reader, "]")))
        elif token.text == "." and not token.spaced and term.kind in ("name", "field", "index"):
            reader.at += 1
            name = reader.take()
            if name.kind != "name":
                raise RejectedValueError('a field\'s name is expected after "."')
            if name.text in ACTING:
                raise SideEffectError(f"{name.text} may have side effects")
            term = Term("field", name.text, (term,))
        elif token.text == "{" and term.kind in ("name", "field", "index") and not in_row:
            reader.at += 1
            term = Term("index", "{", (term, *_arguments(reader, "}")))
        else:
            return term


def _apply_arguments(term: Term, arguments: tuple[Term, ...]) -> Term:
    """Returns a call of a pure function, or an element of a variable."""
    if term.kind == "name":
        if term.text == _INPUT:
            return Term("index", "(", (term, *arguments))
        if term.text not in PURE:
            raise UnknownFunctionError(f"{term.text}(...) is not a known function")
        if term.text in FILLING:
            _require_bounded(term.text, arguments)
        return Term("call", term.text, arguments)
    if term.kind in ("field", "index", "matrix", "call"):
        # A path of names may be a function, so only numbers may index it.
        if any(argument.kind in ("text", "cell") for argument in arguments):
            raise RejectedValueError("only numbers may index a path of names")
        return Term("index", "(", (term, *arguments))
    raise RejectedValueError("only variables can be indexed")


def _require_bounded(name: str, arguments: tuple[Term, ...]) -> None:
    """Rejects calls that create more elements than any block takes."""
    if too_many(name, arguments):
        raise RejectedValueError(f"{name}(...) creates too many elements")


def _arguments(reader: _Reader, closing: str) -> tuple[Term, ...]:
    reader.brackets.append("(")
    terms: list[Term] = []
    if not reader.eat(closing):
        while True:
            token = reader.peek()
            following = reader.tokens[reader.at + 1] if reader.at + 1 < len(reader.tokens) else None
            is_all = token is not None and token.kind == "mark" and token.text == ":"
            if is_all and following is not None and following.text in (",", closing):
                reader.at += 1
                terms.append(Term("all"))
            else:
                terms.append(_expression(reader, 0))
            if reader.eat(closing):
                break
            if not reader.eat(","):
                raise RejectedValueError(f'"{closing}" is missing')
    reader.brackets.pop()
    return tuple(terms)


def _primary(reader: _Reader) -> Term:
    token = reader.take()
    if token.kind == "number":
        return Term("number", token.text)
    if token.kind == "text":
        return Term("text", token.text)
    if token.kind == "name":
        if token.text == "end" and reader.brackets:
            return Term("end")
        if token.text in ACTING:
            raise SideEffectError(f"{token.text} may have side effects")
        return Term("name", token.text)
    if token.text == "(":
        reader.brackets.append("(")
        inner = _expression(reader, 0)
        if not reader.eat(")"):
            raise RejectedValueError('")" is missing')
        reader.brackets.pop()
        return Term("index", "", (inner,)) if inner.kind == "name" else inner
    if token.text in ("[", "{"):
        return _read_brackets(reader, token.text)
    raise RejectedValueError(f'"{token.text}" cannot begin a value')


def _read_brackets(reader: _Reader, opening: str) -> Term:
    closing = "]" if opening == "[" else "}"
    reader.brackets.append(opening)
    reader.depth += 1
    if reader.depth > _DEEPEST * len(_BINARY):
        raise RejectedValueError("it is nested too deeply")
    rows: list[Term] = []
    row: list[Term] = []
    while not reader.eat(closing):
        token = reader.peek()
        if token is None:
            raise RejectedValueError(f'"{closing}" is missing')
        if token.text == ";":
            reader.at += 1
            rows.append(Term("row", parts=tuple(row)))
            row = []
        elif token.text == "," and row:
            reader.at += 1
        else:
            row.append(_expression(reader, 0))
    rows.append(Term("row", parts=tuple(row)))
    reader.depth -= 1
    reader.brackets.pop()
    terms = tuple(term for term in rows if term.parts)
    return Term("matrix" if opening == "[" else "cell", parts=terms)
