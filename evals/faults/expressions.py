"""Makes faults in expressions and code, to inject; yields texts that may contain expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from evals.faults.fault import Change, Fault
from evals.faults.finding import Finder, Finders
from evals.faults.names import fault_at, put_value
from evals.faults.scene import MAIN, Leaf, Placed, Scene

# Any JavaScript parser rejects each of these, and none contains closing braces.
_BROKEN = (
    "$json.first second",
    "$json.items[0",
    "$json.",
    "(1 + ",
    "$json.name ?? ",
    "'open",
    "if ($json.a)",
    "$json.a ? 'yes'",
    "foo(,)",
    "$json.items.map(x => )",
)
_BROKEN_CODE = (
    "\nconst = 5;",
    "\nif (true {\n}",
    "\nfunction (",
    "\nconst rows = [1, 2;",
    "\n}",
    "\nlet 7days = 1;",
    "\nreturn { a: };",
)
_BROKEN_PYTHON = (
    "def f(:\n    return 1\n",
    "for x in range(3)\n    pass\n",
    "items = [1, 2\nreturn items\n",
    "if True:\nreturn []\n",
    "return {'a': }\n",
)
_NO_DATE_METHODS = (
    "$now.toFormatted('yyyy')",
    "$today.minusDays(3)",
    "$now.addDays(1).toISO()",
    "DateTime.nowUtc()",
    "$now.formatTo('dd')",
)
_NO_VARIABLES = ("$jsn.name", "$nodes['A'].json", "$inputs.first()", "$item_index", "$previous.id")
_OWN_DOLLAR = re.compile(r"^(?:const|let|var) \$ *=", re.MULTILINE)
_CODE_EDITORS = frozenset({"codeNodeEditor", "jsEditor"})


def _editor_of(leaf: Leaf) -> str:
    return str((leaf.declared.get("typeOptions") or {}).get("editor", ""))


def find_expression_hosts(scene: Scene) -> Iterator[tuple[Placed, Leaf]]:
    """Yields the texts of connected nodes that may contain an expression."""
    for node in scene.nodes_with_ports:
        inputs = node.ports("inputs")
        takes = inputs is None or any(port["kind"] == MAIN for port in inputs)
        if not takes or not scene.wires_of(target=node.name):
            continue
        for leaf in node.leaves:
            free = not leaf.declared.get("noDataExpression") and not _editor_of(leaf)
            single = not (leaf.declared.get("typeOptions") or {}).get("multipleValues")
            if leaf.type == "string" and isinstance(leaf.value, str) and free and single:
                yield node, leaf


def _find_code(scene: Scene, language: str) -> Iterator[tuple[Placed, Leaf]]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            settings = leaf.declared.get("typeOptions") or {}
            value = settings.get(
                "editorLanguage", "python" if "ython" in leaf.name else "javaScript"
            )
            is_code = _editor_of(leaf) in _CODE_EDITORS and isinstance(leaf.value, str)
            written_in = str(value).lower().startswith(language)
            if is_code and written_in and not str(leaf.value).startswith("="):
                yield node, leaf


def _make_missing_name(scene: Scene, rng: Random) -> str:
    names = [name for name in scene.names if "'" not in name and "\\" not in name]
    ghost = f"{rng.choice(names)} {rng.randrange(7, 99)}" if names else "Ghost"
    return ghost if ghost not in scene.names else "Nobody Here"


def refer_to_missing_node(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in find_expression_hosts(scene):
        ghost = _make_missing_name(scene, rng)
        yield put_value(node, leaf.route, f"={{{{ $('{ghost}').item.json.value }}}}")


def refer_in_old_syntax(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in find_expression_hosts(scene):
        ghost = _make_missing_name(scene, rng)
        choice = rng.choice((f"$node['{ghost}'].json.value", f"$items('{ghost}')[0].json.value"))
        yield put_value(node, leaf.route, f"={{{{ {choice} }}}}")


def refer_in_code(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Refers to a missing node in code, unless the code defines its own ``$`` at the top level."""
    for node, leaf in _find_code(scene, "javascript"):
        if _OWN_DOLLAR.search(leaf.value):
            continue
        line = f"const ghostly7 = $('{_make_missing_name(scene, rng)}').first();\n"
        yield put_value(node, leaf.route, line + leaf.value)


def refer_to_later_node(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Refers to a node that runs later: every path from a start to it contains this node."""
    entered = {wire.target for wire in scene.wires if wire.kind == MAIN}
    starts = [name for name in scene.names if name not in entered]
    if not scene.all_known:
        return
    for node, leaf in find_expression_hosts(scene):
        beyond = scene.find_reached(node.name)
        if node.name in beyond:
            continue
        around = {name for start in starts if start != node.name for name in (start,)}
        for start in sorted(around):
            around |= scene.find_reached(start, without=node.name)
        later = sorted(name for name in beyond - around if name in scene.by_name)
        later = [name for name in later if "'" not in name and "\\" not in name]
        if later and node.name not in starts:
            choice = rng.choice(later)
            yield put_value(node, leaf.route, f"={{{{ $('{choice}').item.json.value }}}}")


def _make_finder(make: Callable[[Random], str]) -> Finder:
    def find(scene: Scene, rng: Random) -> Iterator[Fault]:
        for node, leaf in find_expression_hosts(scene):
            yield put_value(node, leaf.route, make(rng))

    return find


def break_code(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_code(scene, "javascript"):
        yield put_value(node, leaf.route, leaf.value + rng.choice(_BROKEN_CODE))


def break_python(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Writes Python code that does not parse, with the language set to the node's Python option."""
    for node in scene.nodes_with_ports:
        languages = [
            choice["value"]
            for parameter in node.variant["parameters"]
            if parameter["name"] == "language" and parameter["type"] == "options"
            for choice in parameter.get("options") or ()
        ]
        python = [item for item in languages if str(item).startswith("python")]
        if python and any(
            parameter["name"] == "pythonCode" for parameter in node.variant["parameters"]
        ):
            at = (*node.route, "parameters", "pythonCode")
            language = Change("put", (*node.route, "parameters", "language"), python[0])
            yield fault_at(node, [language, Change("put", at, rng.choice(_BROKEN_PYTHON))], at)


def remove_equals_sign(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in find_expression_hosts(scene):
        if leaf.is_expression and "{{" in leaf.value and "}}" in leaf.value:
            yield put_value(node, leaf.route, leaf.value.removeprefix("="))


FINDERS: Finders = {
    "reference-ghost": refer_to_missing_node,
    "reference-ghost-old": refer_in_old_syntax,
    "reference-ghost-in-code": refer_in_code,
    "reference-downstream": refer_to_later_node,
    "syntax-in-braces": _make_finder(lambda rng: f"={{{{ {rng.choice(_BROKEN)} }}}}"),
    "syntax-in-code": break_code,
    "syntax-in-python": break_python,
    "equals-sign-absent": remove_equals_sign,
    "braces-unclosed": _make_finder(lambda rng: rng.choice(("={{ $json.name }", "={{ $json.name"))),
    "date-method-unknown": _make_finder(lambda rng: f"={{{{ {rng.choice(_NO_DATE_METHODS)} }}}}"),
    "variable-unknown": _make_finder(lambda rng: f"={{{{ {rng.choice(_NO_VARIABLES)} }}}}"),
}
