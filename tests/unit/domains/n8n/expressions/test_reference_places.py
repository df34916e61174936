"""Found references equal those of the syntax tree, at any position in code."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grounded_builder.domains.n8n.expressions.references import find_references
from grounded_builder.domains.n8n.lower.references import rename_references
from tests.support.time_bounds import PATIENCE_S

_COUNT = 1_000
_NAMES = ("A", "new lead", "It's me", 'say "x"', "b`c", "Größe", "a/b", "x}}")
Tree = list[list[object]]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("{ ...$('new lead').item.json }", ["new lead"]),
        ("[...$('x').all(), ...$items('y')]", ["x", "y"]),
        ("f(... $node['x'].json)", ["x"]),
        ("$ ('x').item", ["x"]),
        ("$(\n  /* which */ 'x'\n).first()", ["x"]),
        ("$?.('x')?.item", ["x"]),
        ("$node?.['x'].json + $node\n.y.json", ["x", "y"]),
        ("$items( 'x' , 0, 1)", ["x"]),
        ("`${ [...$('x').all()].map(i => `${$('y').item.json.a}`) }`", ["x", "y"]),
        ("'it\\'s' + $('x').item.json.a.replace(/'/g, '') + $('y').item.json.b", ["x", "y"]),
        ("$json.a.match(/[\"'`/]/) ? $('x').item : $('y').item", ["x", "y"]),
        ("$json.a / 2 + $('x').item.json.b / 4", ["x"]),
        ("a.$('x') + a?.$('y') + a . $('z')", []),
    ],
)
def test_references_are_found_in_any_position(code: str, names: list[str]) -> None:
    """A spread, spaces, comments, optional chains and patterns do not hide a reference."""
    assert [reference.name for reference in find_references(code)] == names


@pytest.mark.long
def test_generated_code_has_the_references_of_its_syntax_tree(
    n8n_dir: Path, node: Path, tmp_path: Path
) -> None:
    """Names and places are those of a parser's tree, before and after every name is replaced."""
    chance = random.Random(20)
    drafted = [_Writer(chance).write() for _ in range(_COUNT)]
    trees = _parse(drafted, n8n_dir, node, tmp_path)
    parsed = [
        (form, code, tree)
        for (form, code), tree in zip(drafted, trees, strict=True)
        if tree is not None
    ]
    assert len(parsed) > 0.9 * _COUNT
    assert sum(len(tree) for _, _, tree in parsed) > _COUNT
    for _, code, tree in parsed:
        ours = [[item.name, item.start, item.end] for item in find_references(code)]
        assert ours == tree, code
    renamed = {name: f"{name} anew" for name in (*_NAMES, "A")}
    written = [(form, rename_references(code, renamed)) for form, code, _ in parsed]
    after = _parse(written, n8n_dir, node, tmp_path)
    for (_, code, tree), changed in zip(parsed, after, strict=True):
        assert changed is not None, code
        assert [item[0] for item in changed] == [f"{item[0]} anew" for item in tree], code


def _parse(
    drafted: list[tuple[str, str]], n8n_dir: Path, node_binary: Path, tmp_path: Path
) -> list[Tree | None]:
    file = tmp_path / "code.json"
    file.write_text(json.dumps(drafted), "utf-8")
    script = Path(__file__).with_name("references.cjs")
    command = [str(node_binary), str(script), str(n8n_dir), str(file)]
    answered = subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
    trees: list[Tree | None] = json.loads(answered.stdout)
    return trees


class _Writer:
    """Writes JavaScript of random shape: references, and texts that look like references."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def write(self) -> tuple[str, str]:
        """Returns a form and code: the inside of braces, or the body of a Code node."""
        if self._chance.random() < 0.6:
            return "expression", self._gap() + self._value(4) + self._gap()
        count = self._chance.randint(1, 5)
        statements = [self._statement(2) for _ in range(count)]
        return "body", "".join(statements) + f"return {self._value(2)};"

    def _pick(self, *choices: str) -> str:
        return self._chance.choice(choices)

    def _gap(self) -> str:
        return self._pick("", "", "", " ", " ", "\n", "  \n ", "/* $('A') ' */", "// it's \"`\n")

    def _quote_text(self, text: str) -> str:
        quote = self._pick("'", '"', "`")
        body = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
        return quote + (body.replace("${", "\\${") if quote == "`" else body) + quote

    def _name(self) -> str:
        return self._quote_text(self._chance.choice(_NAMES))

    def _reference(self) -> str:
        gap = self._gap
        member = self._pick(".item.json.a", ".first()", ".all()", "?.item", "[0]", "")
        form: Callable[[], str] = self._chance.choice(
            [
                lambda: f"${gap()}({gap()}{self._name()}{gap()})",
                lambda: f"$({self._name()})",
                lambda: f"$?.({self._name()})",
                lambda: f"$node{gap()}[{gap()}{self._name()}{gap()}]",
                lambda: f"$node{self._pick('.', '?.', ' . ')}A",
                lambda: f"$items({gap()}{self._name()}{self._pick('', ', 0', ' , 0, 1')})",
                lambda: f"$item(0).$node[{self._name()}]",
            ]
        )
        return form() + member

    def _atom(self) -> str:
        form: Callable[[], str] = self._chance.choice(
            [
                self._reference,
                self._reference,
                self._reference,
                lambda: self._quote_text(
                    self._pick("it's $('A')", '$("A")', "// $('A')", "/*", "a")
                ),
                lambda: self._pick(
                    r"/'/g", r"/[/'\"`]/", r"/\/\*$('A')/", r"/\$\('A'\)/u.test(a)", "/a{2}`/"
                ),
                lambda: self._pick("1", "a", "$json.b", "a.$('A')", "a?.$node['A']", "$items()"),
                lambda: self._pick("a$('A')", "$(a)", "$node[a]", "$('A' + a)", "x$node.A"),
            ]
        )
        return form()

    def _value(self, depth: int) -> str:
        if depth == 0:
            return self._atom()
        gap = self._gap

        def value() -> str:
            return self._value(depth - 1)

        form: Callable[[], str] = self._chance.choice(
            [
                self._atom,
                lambda: (
                    f"({value()}){gap()}{self._pick('+', '/', '*', '??', '<', '===')} {value()}"
                ),
                lambda: f"({value()}) / {value()} / ({value()})",
                lambda: f"({value()}) ? {value()} :{gap()}({value()})",
                lambda: f"[{gap()}...{gap()}{value()},{value()}]",
                lambda: f"({{ ...{value()}, k: {value()}, [{value()}]: 1, '$': 2 }})",
                lambda: f"f({value()}, ...{value()})",
                lambda: f"`$('A') ' {{ ${{ {value()} }} \\` $ }} ${{{value()}}}`",
                lambda: f"a.map(x => ({value()}))",
                lambda: f"a.map((x, i) => {{ {self._statement(depth - 1)} return {value()}; }})",
                lambda: f"{self._pick('!', '-', '~', 'typeof ', 'void ')}({value()})",
                lambda: f"new Map([{value()}])",
                lambda: f"a[{value()}]",
            ]
        )
        return form()

    def _statement(self, depth: int) -> str:
        gap = self._gap

        def value() -> str:
            return self._value(depth)

        form: Callable[[], str] = self._chance.choice(
            [
                lambda: f"f({value()});{gap()}",
                lambda: f"var v = {value()};\n",
                lambda: f"if ({value()}) {{ f({value()}); }} else f({value()});\n",
                lambda: f"for (const x of [{value()}]) {{ a = x / {value()}; }}\n",
                lambda: f"try {{ f({value()}); }} catch {{}}\n/'/.test({value()});",
                lambda: f"while (false) {{ break; }}{gap()}",
            ]
        )
        return form()
