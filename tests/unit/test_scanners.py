"""Every hand-written reader of outside text takes a time that grows with the text, no faster."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from grounded_builder.compiler.parse import _nesting, parse
from grounded_builder.domains.n8n.check.advice.normalize_script import statements
from grounded_builder.domains.n8n.expressions.mask_literals import attempts, certain_until, outlined
from grounded_builder.domains.n8n.expressions.references import references
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.tolerant_syntax import mended
from grounded_builder.domains.simulink.read.mdl_text import read_mdl
from grounded_builder.domains.simulink.read.section import UnreadableError
from grounded_builder.ir.options import Limits
from grounded_builder.redaction.redact import without_secrets_in_json, written_out
from tests.support.growth import growth_fault
from tests.support.patience import spending
from tests.unit.domains.n8n.drafts import said
from tests.unit.domains.n8n.expressions.test_expressions import drafted

Work = Callable[[str], object]


def _mdl(text: str) -> object:
    with suppress(UnreadableError):
        return read_mdl("Model {\n" + text)
    return None


SCANNERS: dict[str, Work] = {
    "nesting of a draft": _nesting,
    "JavaScript outline": outlined,
    "JavaScript that n8n lets pass": mended,
    "JavaScript statements": statements,
    "names of nodes in code": lambda code: list(references(code)),
    "model text": _mdl,
    "pieces of an expression": split,
    "places where failures are caught": attempts,
    "places that are certain to be read": certain_until,
    "secrets in a text": without_secrets_in_json,
    "what is written out": written_out,
}

_QUOTES = ('"', "'", "`", '\\"', "\\'", "\\`", '"\\', "'\\", "`\\", '""', "''", "``", '"\n', "' ")
_BRACKETS = ("[", "{", "(", "]", "}", ")", "{{", "}}", "${", "`${", "[]", "{}", "()", "[(", "(/[")
_SLASHES = ("/", "//", "/*", "*/", "/**/", "/* */", "(/[(/]", "=/[", "= /a", "/\\/", "\\", "<!--")
_GAPS = (" ", "\n", "\t", "\r\n", " \n", "  # ", ";", ",", ".", ":", "=")
_WORDS = ("a", "a ", "1", "1.", "$json.a", ".a", "a.", "a-", "_", "$", "return ", "x=", "é")
_LINES = ('K "a"\n', '"a"\n', 'A "b" "c"\n', "B {\n", "- a\n", "# a\n", "```\n", "a: ")
PUMPS = (*_QUOTES, *_BRACKETS, *_SLASHES, *_GAPS, *_WORDS, *_LINES)
"""What hostile texts are made of: the same over and over, behind an opening that nothing closes."""
OPENINGS = ("", '"', "'", "`", "[", "/*", "(/", "{{ ")
ENDS = ("", "\x00", "\\")


TEXTS = [
    (opening, pump, ENDS[(first + second) % len(ENDS)])
    for first, opening in enumerate(OPENINGS)
    for second, pump in enumerate(PUMPS)
]
_LENGTH = 8_000


def _text(opening: str, pump: str, end: str, size: int) -> str:
    return opening + pump * (size // len(pump)) + end


@pytest.mark.parametrize("name", SCANNERS)
def test_a_reader_takes_no_more_than_its_time(name: str) -> None:
    """Twice the text takes at most two and a half times as long, whatever is repeated in it."""
    faults: list[str] = []
    for opening, pump, end in TEXTS:
        fault = growth_fault(
            SCANNERS[name],
            partial(_text, opening, pump, end),
            shortest=_LENGTH,
            longest=_LENGTH,
        )
        if fault:
            faults.append(f"{opening!r} + {pump!r} repeated + {end!r}: {fault}")
    assert faults == []


def test_an_unclosed_string_does_not_hold_up_a_draft() -> None:
    """A string of escaped quotes that nothing closes is read once, not once for each quote."""
    with spending(8):
        parse('{"a":"' + '\\"' * 50_000, Limits())


def test_unclosed_strings_do_not_hold_up_a_workflow() -> None:
    """The same in the code of a node and in an expression."""
    with spending(8):
        said(drafted("={{ '" + "\\'" * 120_000), "N8N321")
        outlined('"' + '\\"' * 50_000)


def test_a_text_of_many_pieces_is_joined_once() -> None:
    """A model file whose value goes on over hundreds of thousands of lines is read at once."""
    with spending(8):
        model = read_mdl('Model {\n  Name "x"\n' + '  "abc"\n' * 400_000 + "}\n")
    assert model.parts[0].own["Name"] == "x" + "abc" * 400_000
