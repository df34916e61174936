"""Names that n8n does not give to expressions and code."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.bare_names import asked_without_quotes, bare_names
from grounded_builder.domains.n8n.expressions.mask_literals import outlined
from grounded_builder.domains.n8n.expressions.python import ungiven
from grounded_builder.domains.n8n.expressions.texts import Text

UNKNOWN_VARIABLE = Rule.wrong(
    "N8N326", "unknown-variable", "ExpressionError", "n8n has no variable of this name."
)

# Bounds on the length of a piece of code, and on the unknown names that one text is told of.
_LONGEST, _MOST = 2_000_000, 20
_ARGUMENTS = re.compile(r"(?<![\]},)\w$\s.])[\]},)\w$\s.]+(?==>)")
_DECLARES = re.compile(r"(?:const|let|var|function|class|catch)\b")
# What every expression sees, what only some parameters see (pagination, routing), and old names.
_KNOWN = frozenset(
    re.findall(
        r"\w+",
        """
        agentInfo average binary data env evaluateExpression evaluation execution executionId
        fromAI fromAi fromai getPairedItem if ifEmpty input item itemIndex items jmesPath jmespath
        json max min mode node nodeId nodeVersion not now parameter position prevNode rawParameter
        resumeWebhookUrl runIndex secrets self thisItem thisItemIndex thisRunIndex today tool vars
        webhookId workflow
        credentials index pageCount parent request response responseItem responses value version
        getNodeParameter getWorkflowStaticData
        """,
    )
)
_OFFERED = (
    *("binary", "env", "execution", "fromAI", "if", "ifEmpty", "input", "itemIndex", "items"),
    *("jmespath", "json", "max", "min", "node", "now", "parameter", "prevNode", "runIndex"),
    *("secrets", "today", "vars", "workflow"),
)
# What is plainly meant where only its sign is missing: what stands there is read further.
_SIGNED = "json|input|node|vars|workflow|execution|binary"
_UNSIGNED = re.compile(rf"(?<![\w$.])({_SIGNED})(?=\s*(?:\?\.|[.\[]))")
_VARIABLE = re.compile(r"(?<![\w$.])\$([A-Za-z_][\w$]*)")


def unknown_variables(text: Text, code: str, offset: int, told: set[str]) -> Iterator[Diagnostic]:
    """One finding for each unknown ``$name`` in a piece of code; ``offset`` is its place.

    ``told`` are the names that other pieces of the text were told of; it grows.
    """
    if len(told) >= _MOST:
        return
    if all(name in _KNOWN for name in _VARIABLE.findall(code)) or len(code) > _LONGEST:
        return
    outline = outlined(code)
    for match in _VARIABLE.finditer(outline):
        name = match[1]
        if name in _KNOWN or name in told or not _is_read(outline, match):
            continue
        if len(told) >= _MOST:
            return
        told.add(name)
        if not _is_declared(outline, name):
            yield _unknown(text, name, [offset + place for place in _places(outline, name)])


def unknown_bare_names(text: Text, code: str, told: set[str]) -> Iterator[Diagnostic]:
    """One finding for each name without ``$`` that an expression reads and n8n does not give."""
    for name in bare_names(code):
        if name not in told and len(told) < _MOST:
            told.add(name)
            yield _unknown_bare(text, name)


def unquoted_nodes(text: Text, known: Container[str]) -> Iterator[Diagnostic]:
    """Names without quotes for which code asks ``$``: it fails before n8n looks for a node."""
    for name in asked_without_quotes(text.value):
        fix = None
        if name in known:
            value = re.sub(rf"(\$\(\s*){re.escape(name)}(\s*\))", rf"\1'{name}'\2", text.value)
            fix = Fix(True, (Edit("set", text.at, value),), f'puts the node "{name}" in quotes')
        yield new_diagnostic(
            UNKNOWN_VARIABLE,
            text.at,
            f'the code of "{text.node}" fails there: n8n gives it no {name}',
            help=f"write the name of the node in quotes: $('{name}')",
            node=text.node,
            token=name,
            fix=fix,
        )


def ungiven_in_python(text: Text, *, is_each: bool | None) -> Iterator[Diagnostic]:
    """Yields what Python code reads of n8n's beyond its items, which is all that n8n 2 gives it."""
    for name in ungiven(text.value, is_each=is_each):
        yield new_diagnostic(
            UNKNOWN_VARIABLE,
            text.at,
            f'the code of "{text.node}" fails there: n8n gives Python no {name}',
            help="Python reads _items, or _item where it runs once for each item; what other "
            "nodes gave has to come with the items",
            node=text.node,
            token=name,
            alternatives=("_item",) if is_each else ("_items",),
        )


def _unknown_bare(text: Text, name: str) -> Diagnostic:
    places = [match.start(1) for match in _UNSIGNED.finditer(text.value) if match[1] == name]
    findall = re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text.value)
    fix = None
    if len(places) == len(findall) == 1:
        value = f"{text.value[: places[0]]}${text.value[places[0] :]}"
        fix = Fix(True, (Edit("set", text.at, value),), f"{name} is ${name}")
    return new_diagnostic(
        UNKNOWN_VARIABLE,
        text.at,
        f'an expression of "{text.node}" is empty there: n8n gives it no {name}',
        help="use what n8n gives: $json, $input, $now, DateTime, Math ...; a text stands in quotes",
        node=text.node,
        token=name,
        alternatives=(f"${name}",) if name in _OFFERED else (),
        fix=fix,
    )


def _is_read(outline: str, match: re.Match[str]) -> bool:
    """Whether a name stands for a value there: it is no key of an object and not asked for."""
    before, after = outline[: match.start()].rstrip(), outline[match.end() :].lstrip()
    if after.startswith(":") and before[-1:] in ("{", ","):
        return False
    return not before.endswith("typeof")


def _is_declared(outline: str, name: str) -> bool:
    """Returns whether code assigns to a name, takes it as an argument or declares it."""
    if re.search(
        rf"{re.escape('$' + name)}(?![\w$])\s*(?:=(?!=)|[-+*/%&|^?]{{1,2}}=(?!=))", outline
    ):
        return True
    written = re.compile(rf"{re.escape('$' + name)}(?![\w$])")
    if any(written.search(arguments) for arguments in _ARGUMENTS.findall(outline)):
        return True
    declared = (_DECLARES.search(part) for part in re.split(r"[;=]", outline))
    return any(match and written.search(match.string, match.end()) for match in declared)


def _places(outline: str, name: str) -> list[int]:
    return [match.start(1) for match in _VARIABLE.finditer(outline) if match[1] == name]


def _unknown(text: Text, name: str, places: list[int]) -> Diagnostic:
    near = find_nearest(name, _OFFERED)
    fix = None
    if near and near[0].lower() == name.lower():
        value = text.value
        for place in places:
            value = value[:place] + near[0] + value[place + len(name) :]
        fix = Fix(True, (Edit("set", text.at, value),), f"${name} is ${near[0]}")
    fails = "is empty there" if text.use == "expression" else "fails there"
    what = "an expression" if text.use == "expression" else "the code"
    return new_diagnostic(
        UNKNOWN_VARIABLE,
        text.at,
        f'{what} of "{text.node}" {fails}: n8n gives it no ${name}',
        help="use a name that n8n gives: $json, $input, $node, $now, $vars ...",
        node=text.node,
        token="$" + name,
        alternatives=tuple("$" + item for item in near),
        fix=fix,
    )
