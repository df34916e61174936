"""Every hand-written reader of outside text takes a time that grows with the text, no faster."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.misspelled_id import misspelled_id
from grounded_builder.catalog.text_cleaning import clean_name, clean_text, without_number
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.compiler.duplicate_keys import find_repeats
from grounded_builder.compiler.parse import _measure_nesting, parse
from grounded_builder.compiler.text_edits import rewrite_text
from grounded_builder.domains.n8n.expressions.field_reads import find_field_reads
from grounded_builder.domains.n8n.expressions.mask_literals import (
    find_first_branch,
    find_try_spans,
    mask_literals,
)
from grounded_builder.domains.n8n.expressions.references import find_references
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.tolerant_syntax import add_missing_commas
from grounded_builder.domains.n8n.expressions.unknown_members import _find_unknown_member
from grounded_builder.domains.n8n.expressions.variables import _is_declared as is_declared
from grounded_builder.domains.n8n.lower.references import rewrite_references
from grounded_builder.domains.n8n.rehearsal.answers.graphql_query import read_selections
from grounded_builder.domains.n8n.trial.expected_fields import Shape, _follow
from grounded_builder.domains.simulink.matlab_expr.parse import parse as parse_matlab
from grounded_builder.domains.simulink.matlab_expr.scan import RejectedValueError
from grounded_builder.domains.simulink.matlab_expr.syntax_errors import find_syntax_error
from grounded_builder.domains.simulink.read.mdl_text import read_mdl
from grounded_builder.domains.simulink.read.package import read_package
from grounded_builder.domains.simulink.read.section import UnreadableError
from grounded_builder.domains.simulink.read.xml_text import read_xml
from grounded_builder.domains.simulink.resolve.name_index import as_path, fold
from grounded_builder.domains.simulink.resolve.name_variants import forms
from grounded_builder.drafting.planner.reading import cut, keep_clauses, read_request
from grounded_builder.ir.options import Limits
from grounded_builder.redaction.find_secrets import find_secrets
from grounded_builder.redaction.redact import strip_expressions, without_secrets_in_json
from grounded_builder.resolve.mentions import find_mentions
from grounded_builder.routing.reply import read_reply
from tests.support.growth import confirm_fault, find_growth_fault
from tests.support.time_bounds import limit_cpu_time
from tests.support.tool_lists import make_tool_registry
from tests.unit.domains.n8n.drafts import REGISTRY, findings_of
from tests.unit.domains.n8n.expressions.test_expressions import draft_value

pytestmark = pytest.mark.long

Work = Callable[[str], object]


def _mdl(text: str) -> object:
    with suppress(UnreadableError):
        return read_mdl("Model {\n" + text)
    return None


def _xml(text: str) -> object:
    with suppress(UnreadableError):
        return read_xml(f"<Model>{text}".encode(), "model.xml")
    return None


def _matlab(text: str) -> object:
    # Without its cache: each try is to read the text.
    with suppress(RejectedValueError):
        return parse_matlab.__wrapped__(text)
    return None


def _names(text: str) -> object:
    return as_path(text), list(forms(text)), split_identifier(text), fold(text)


def _near_names(text: str) -> object:
    return misspelled_id(f"n8n-nodes-base/{text}", REGISTRY), find_nearest(
        text, (text[1:], "Slack")
    )


def _clauses(text: str) -> object:
    """The rest of a request beyond the characters that are read costs nothing."""
    reading = read_request(text, "n8n")
    clauses = cut(reading, re.compile(r"\s*,\s*|\s+and\s+"))
    keep_clauses(reading, clauses)
    return [reading.unread(clause.start, clause.end) for clause in clauses]


SCANNERS: dict[str, Work] = {
    "positions in JSON": lambda text: rewrite_text(json.dumps([text, 1]), [text, 1], [text, 2]),
    "model XML": _xml,
    "MATLAB expressions": _matlab,
    "mistakes in MATLAB expressions": find_syntax_error,
    "names of blocks and tools": _names,
    "names like others": _near_names,
    "tool definitions": lambda text: make_tool_registry(
        [{"name": "t", "description": text, "parameters": {"type": "object", "title": text}}]
    ),
    "texts of catalogs": lambda text: (clean_text(text), clean_name(text), without_number(text)),
    "replies of models": lambda text: read_reply(text, Limits()),
    "variables that code declares": lambda text: is_declared(text, "json"),
    "secrets": lambda text: list(find_secrets(f"private key token= {text}")),
    "nesting of a draft": _measure_nesting,
    "keys that a draft repeats": lambda text: list(find_repeats(text)),
    "JavaScript outline": mask_literals,
    "JavaScript that n8n lets pass": add_missing_commas,
    "names of nodes in code": lambda code: list(find_references(code)),
    "fields that code reads": lambda code: list(find_field_reads(code)),
    "steps that expressions read": lambda code: rewrite_references(f"={{{{{code}}}}}", {"a": "b"}),
    "fields that a GraphQL request selects": lambda text: read_selections(f"{{{text}", {}),
    "model text": _mdl,
    "pieces of an expression": split,
    "places where failures are caught": find_try_spans,
    "places that are certain to be read": find_first_branch,
    "clauses of a request": _clauses,
    "secrets in a text": without_secrets_in_json,
    "what is written out": strip_expressions,
    "tools that a text mentions": lambda text: find_mentions(text, REGISTRY),
    "members that code reads": lambda code: _follow(code, 0, Shape()),
    "members of values": lambda code: _find_unknown_member(code, 0, "a value", is_body=False),
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
        measure = partial(
            find_growth_fault,
            SCANNERS[name],
            partial(_text, opening, pump, end),
            shortest=_LENGTH,
            longest=_LENGTH,
        )
        if fault := confirm_fault(measure):
            faults.append(f"{opening!r} + {pump!r} repeated + {end!r}: {fault}")
    assert faults == []


def _zip(
    names: list[str], content: bytes = b"", comment: bytes = b"", *, packed: bool = False
) -> bytes:
    buffer = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), content)
        archive.comment = comment
    return buffer.getvalue()


def _directory(count: int, name: bytes) -> bytes:
    """A package whose directory lists so many files under one name, all of them the first."""
    first = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0) + name
    entry = struct.pack(
        "<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, *[0] * 3, len(name), *[0] * 6
    )
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, count * len(entry + name), len(first), 0)
    return first + (entry + name) * count + end


_DIAGRAM = "simulink/blockdiagram.xml"
PACKAGES: dict[str, Callable[[int], bytes]] = {
    "many files": lambda size: _zip([f"a{number}" for number in range(size // 100)]),
    "many diagrams": lambda size: _zip(
        [f"simulink/systems/system_{number}.xml" for number in range(size // 150)], b"<a/>"
    ),
    "one name many times": lambda size: _directory(size // 50, b"a"),
    "one diagram many times": lambda size: _directory(size // 80, _DIAGRAM.encode()),
    "long names": lambda size: _zip(["a/" * 15_000 + str(n) for n in range(1 + size // 60_000)]),
    "a long comment": lambda size: _zip([_DIAGRAM], comment=b"PK\5\6" * (min(size, 65_000) // 4)),
    "ends without an archive": lambda size: b"PK\3\4" + b"PK\5\6" * (size // 4),
    "a packed diagram": lambda size: _zip([_DIAGRAM], b"<a/>" * (size // 4), packed=True),
    "a package in a package": lambda size: _zip(
        [_DIAGRAM], _zip([f"a{number}" for number in range(size // 100)])
    ),
    "parts of a text": lambda size: (
        b"# MathWorks OPC Text Package\n"
        + b"__MWOPC_PART_BEGIN__ /a BASE64\nAA==\n" * (size // 36)
        + b"__MWOPC_PACKAGE_END__\n"
    ),
    "parts without an end": lambda size: (
        b"# MathWorks OPC Text Package\n" + b"__MWOPC_PART_BEGIN__ /" * (size // 22)
    ),
}


def _package(raw: bytes) -> object:
    with suppress(UnreadableError):
        return read_package(raw)
    return None


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_takes_no_more_than_its_time(name: str) -> None:
    """Twice the package takes at most two and a half times as long, whatever it holds."""
    measure = partial(
        find_growth_fault, _package, PACKAGES[name], shortest=16_000, longest=1_024_000
    )
    assert confirm_fault(measure) == ""


def test_an_unclosed_string_does_not_hold_up_a_draft() -> None:
    """A string of escaped quotes that nothing closes is read once, not once for each quote."""
    with limit_cpu_time(8):
        parse('{"a":"' + '\\"' * 50_000, Limits())


def test_unclosed_strings_do_not_hold_up_a_workflow() -> None:
    """The same in the code of a node and in an expression."""
    with limit_cpu_time(8):
        findings_of(draft_value("={{ '" + "\\'" * 120_000), "N8N321")
        mask_literals('"' + '\\"' * 50_000)


def test_a_text_of_many_pieces_is_joined_once() -> None:
    """A model file whose value continues over hundreds of thousands of lines is read at once."""
    with limit_cpu_time(8):
        model = read_mdl('Model {\n  Name "x"\n' + '  "abc"\n' * 400_000 + "}\n")
    assert model.parts[0].own["Name"] == "x" + "abc" * 400_000
