"""Reports unknown ``$names``, bare names and unquoted nodes in expressions or Python."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.shapes import Shape
from grounded_builder.domains.n8n.expressions.bare_names import find_bare_names, find_unquoted_nodes
from grounded_builder.domains.n8n.expressions.mask_literals import NAME_START, mask_literals
from grounded_builder.domains.n8n.expressions.python import find_unavailable_names
from grounded_builder.domains.n8n.expressions.texts import Text

UNKNOWN_VARIABLE = Rule.wrong(
    "N8N326", "unknown-variable", "ExpressionError", "n8n has no variable of this name."
)

# Bounds of the length of a piece of code, and of the unknown names reported for a text.
_MAX_LENGTH, _MAX_REPORTED = 2_000_000, 20
_ARGUMENTS = re.compile(r"(?<![\]},)\w$\s.])[\]},)\w$\s.]+(?==>)")
_DECLARES = re.compile(r"(?:const|let|var|function|class|catch)\b")
# Variables of every expression, of certain parameters only (pagination, routing), and old names.
_KNOWN_VARIABLES = frozenset(
    re.findall(
        r"\w+",
        """
        agentInfo average binary data env evaluateExpression evaluation execution executionId
        fromAI fromAi fromai getPairedItem if ifEmpty input item itemIndex items jmesPath jmespath
        json max min mode node nodeId nodeVersion not now parameter position prevNode rawParameter
        resumeWebhookUrl runIndex secrets self thisItem thisItemIndex thisRunIndex today tool vars
        webhookId workflow
        index pageCount parent request response responseItem responses value version
        getNodeParameter getWorkflowStaticData
        """,
    )
)
_SUGGESTED = (
    *("binary", "env", "execution", "fromAI", "if", "ifEmpty", "input", "itemIndex", "items"),
    *("jmespath", "json", "max", "min", "node", "now", "parameter", "prevNode", "runIndex"),
    *("secrets", "today", "vars", "workflow"),
)
# Variables whose name without $ is unambiguous if a member is read.
_PREFIXED_NAMES = "json|input|node|vars|workflow|execution|binary"
_NAME_WITHOUT_PREFIX = re.compile(rf"{NAME_START}({_PREFIXED_NAMES})(?=\s*(?:\?\.|[.\[]))")
_LONE_NAME = re.compile(r"=\s{0,9}\{\{\s{0,9}([A-Za-z_]\w{0,80})\s{0,9}\}\}\s{0,9}")
_VARIABLE = re.compile(rf"{NAME_START}\$([A-Za-z_][\w$]*)")


def report_unknown_variables(
    text: Text, code: str, offset: int, reported: set[str]
) -> Iterator[Diagnostic]:
    """Reports each unknown ``$name`` in a piece of code at position ``offset``.

    Adds the names to ``reported``, which also holds those of other pieces of the text.
    """
    if len(reported) >= _MAX_REPORTED:
        return
    if all(name in _KNOWN_VARIABLES for name in _VARIABLE.findall(code)) or len(code) > _MAX_LENGTH:
        return
    outline = mask_literals(code)
    for match in _VARIABLE.finditer(outline):
        name = match[1]
        if name in _KNOWN_VARIABLES or name in reported or not _is_value(outline, match):
            continue
        if len(reported) >= _MAX_REPORTED:
            return
        reported.add(name)
        if not _is_declared(outline, name):
            yield _report_variable(
                text, name, [offset + place for place in _positions(outline, name)]
            )


def report_bare_names(
    text: Text, code: str, reported: set[str], received: Shape | None
) -> Iterator[Diagnostic]:
    """Reports each name without ``$`` that an expression reads and n8n does not provide.

    A name of a field that the node certainly receives is corrected to that field.
    """
    for name in find_bare_names(code):
        if name not in reported and len(reported) < _MAX_REPORTED:
            reported.add(name)
            yield _report_bare_name(text, name, received)


def find_lone_name(value: str) -> str | None:
    """Returns the name that is all of an expression, such as ``={{ chat_id }}``."""
    match = _LONE_NAME.fullmatch(value)
    return match[1] if match else None


def report_unquoted_nodes(text: Text, known: Container[str]) -> Iterator[Diagnostic]:
    """Reports node names without quotes in ``$(Name)``, with which the code always fails."""
    for name in find_unquoted_nodes(text.value):
        fix = None
        if name in known:
            value = re.sub(rf"(\$\(\s*){re.escape(name)}(\s*\))", rf"\1'{name}'\2", text.value)
            fix = Fix(True, (Edit("set", text.at, value),), f'puts the node "{name}" in quotes')
        yield new_diagnostic(
            UNKNOWN_VARIABLE,
            text.at,
            f'the code of "{text.node}" fails: n8n does not provide {name}',
            help=f"write the name of the node in quotes: $('{name}')",
            node=text.node,
            token=name,
            fix=fix,
        )


def report_unavailable_in_python(text: Text, *, is_each: bool | None) -> Iterator[Diagnostic]:
    """Reports names that Python code reads other than its items, the only ones in n8n 2."""
    for name in find_unavailable_names(text.value, is_each=is_each):
        yield new_diagnostic(
            UNKNOWN_VARIABLE,
            text.at,
            f'the code of "{text.node}" fails: n8n does not provide {name} to Python',
            help="read _items, or _item if the code runs once for each item; data of other nodes "
            "must be part of the items",
            node=text.node,
            token=name,
            alternatives=("_item",) if is_each else ("_items",),
        )


def _report_bare_name(text: Text, name: str, received: Shape | None) -> Diagnostic:
    places = [
        match.start(1) for match in _NAME_WITHOUT_PREFIX.finditer(text.value) if match[1] == name
    ]
    findall = re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text.value)
    fix = None
    if len(places) == len(findall) == 1:
        value = f"{text.value[: places[0]]}${text.value[places[0] :]}"
        fix = Fix(True, (Edit("set", text.at, value),), f"{name} is ${name}")
    elif received is not None and name in received.fields:
        value = re.sub(
            rf"(\{{\{{\s*){re.escape(name)}(?![\w$(])", rf"\g<1>$json.{name}", text.value
        )
        if value != text.value:
            fix = Fix(True, (Edit("set", text.at, value),), f"{name} is the field $json.{name}")
    near = f"${name}" if name in _SUGGESTED else f"$json.{name}"
    is_called = re.search(rf"(?<![\w$.]){re.escape(name)}\s*\(", text.value) is not None
    return new_diagnostic(
        UNKNOWN_VARIABLE,
        text.at,
        f'an expression of "{text.node}" is empty: n8n does not provide {name}',
        help="use $json, $input, $now, DateTime, Math ..., or put a text in quotes"
        if is_called
        else f"write {near} if it is data of the step before; put a text in quotes",
        node=text.node,
        token=name,
        alternatives=() if is_called else (near,),
        fix=fix,
    )


def _is_value(outline: str, match: re.Match[str]) -> bool:
    """Returns whether a name is read as a value: neither an object's key nor after ``typeof``."""
    before, after = outline[: match.start()].rstrip(), outline[match.end() :].lstrip()
    if after.startswith(":") and before[-1:] in ("{", ","):
        return False
    return not before.endswith("typeof")


def _is_declared(outline: str, name: str) -> bool:
    """Returns whether code assigns to a name, has it as an argument or declares it."""
    if re.search(
        rf"{re.escape('$' + name)}(?![\w$])\s*(?:=(?!=)|[-+*/%&|^?]{{1,2}}=(?!=))", outline
    ):
        return True
    written = re.compile(rf"{re.escape('$' + name)}(?![\w$])")
    if any(written.search(arguments) for arguments in _ARGUMENTS.findall(outline)):
        return True
    declared = (_DECLARES.search(part) for part in re.split(r"[;=]", outline))
    return any(match and written.search(match.string, match.end()) for match in declared)


def _positions(outline: str, name: str) -> list[int]:
    return [match.start(1) for match in _VARIABLE.finditer(outline) if match[1] == name]


def _report_variable(text: Text, name: str, places: list[int]) -> Diagnostic:
    near = find_nearest(name, _SUGGESTED)
    fix = None
    if near and near[0].lower() == name.lower():
        value = text.value
        for place in places:
            value = value[:place] + near[0] + value[place + len(name) :]
        fix = Fix(True, (Edit("set", text.at, value),), f"${name} is ${near[0]}")
    effect = "is empty" if text.use == "expression" else "fails"
    what = "an expression" if text.use == "expression" else "the code"
    return new_diagnostic(
        UNKNOWN_VARIABLE,
        text.at,
        f'{what} of "{text.node}" {effect}: n8n does not provide ${name}',
        help="select a credential in the node, which signs its requests"
        if name == "credentials"
        else "use a variable of n8n: $json, $input, $node, $now, $vars ...",
        node=text.node,
        token="$" + name,
        alternatives=tuple("$" + item for item in near),
        fix=fix,
    )
