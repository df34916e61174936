"""Reading drafts: clean, wrapped, broken, oversized."""

from __future__ import annotations

import json
from functools import partial

import pytest

from grounded_builder.compiler.parse import parse
from grounded_builder.ir.options import Limits
from tests.support.growth import confirm_fault, find_growth_fault
from tests.support.time_bounds import limit_cpu_time


def codes(draft: object, limits: Limits | None = None) -> list[str]:
    """The codes that reading a draft gives."""
    return [d.code for d in parse(draft, limits or Limits())[1]]


def test_clean_json_is_taken_as_it_is() -> None:
    """A draft that is exactly JSON passes without a note."""
    assert parse('{"nodes": []}', Limits()) == ({"nodes": []}, ())


@pytest.mark.parametrize(
    "text",
    [
        'Sure!\n```json\n{"nodes": []}\n```\nDone.',
        'Here it is: {"nodes": []} and that is all',
        '```\n{"nodes": []}\n```',
    ],
)
def test_a_document_in_text_is_found_and_noted(text: str) -> None:
    """Prose and fences are stripped, with one note."""
    value, diagnostics = parse(text, Limits())
    assert value == {"nodes": []}
    assert [d.code for d in diagnostics] == ["GB103"]


_ONE, _OTHER = '{"steps": [{"id": "a"}]}', '{"steps": [{"id": "b"}]}'


@pytest.mark.parametrize(
    "text",
    [
        f"{_ONE}\n{_OTHER}",
        f"First:\n```json\n{_ONE}\n```\nbetter:\n```json\n{_OTHER}\n```",
        f"{_ONE} or {_OTHER}, or even {_ONE}",
        '{"nodes": [{"a": 1}], "connections": {}} {"nodes": [{"a": 2}], "connections": {}}',
        f'{_ONE} {{"nodes": [{{"a": 2}}], "connections": {{}}}}',
        f'{_ONE}\n```json\n{{"nodes": [{{"a": 2}}], "connections": {{}}}}\n```',
    ],
)
def test_several_documents_are_an_error(text: str) -> None:
    """None of several different documents is chosen silently."""
    value, diagnostics = parse(text, Limits())
    assert value is None
    assert [d.code for d in diagnostics] == ["GB116"]


@pytest.mark.parametrize(
    "draft",
    [
        {"steps": [{"id": "a"}], "nodes": [{"id": "b"}]},
        [{"steps": [{"id": "a"}]}, {"steps": [{"id": "b"}]}],
        '[{"steps": [{"id": "a"}]}, {"nodes": [{"id": "b"}]}]',
    ],
)
def test_a_plan_beside_a_workflow_is_an_error(draft: object) -> None:
    assert codes(draft) == ["GB116"]


@pytest.mark.parametrize(
    "text",
    [
        f"{_ONE}\n{_ONE}",
        f'```json\n{_ONE}\n```\nwhere an item is\n```json\n{{"id": 1}}\n```',
        f'an item is {{"id": 1}}, and the plan {_ONE}',
        f'the plan is {_ONE}, each item {{"rows": [1, 2]}}',
    ],
)
def test_a_document_beside_examples_is_found(text: str) -> None:
    """A repeated document, and fragments beside it, are no second document."""
    value, diagnostics = parse(text, Limits())
    assert value == json.loads(_ONE)
    assert [d.code for d in diagnostics] == ["GB103"]


@pytest.mark.parametrize("text", ['{"nodes": [],}', "{'nodes': []}", '{"nodes": []'])
def test_broken_json_is_mended_and_noted(text: str) -> None:
    """A small fault is corrected, with one note."""
    value, diagnostics = parse(text, Limits())
    assert value == {"nodes": []}
    assert [d.code for d in diagnostics] == ["GB102"]


@pytest.mark.parametrize("draft", ["", "   ", "no document here", "42", b"\x80\x81", b"\xff\xfea"])
def test_an_empty_draft_is_reported(draft: object) -> None:
    """An empty draft has one error and no value."""
    value, diagnostics = parse(draft, Limits())
    assert value is None
    assert [d.code for d in diagnostics] == ["GB101"]


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_read(mark: str) -> None:
    """A document with a mark at its start is the same document."""
    assert parse('{"a": "ü"}'.encode(mark), Limits()) == ({"a": "ü"}, ())


def test_size_is_bounded() -> None:
    """A draft beyond the limit is refused before it is read."""
    assert codes('{"a": "' + "x" * 100 + '"}', Limits(draft_bytes=50)) == ["GB104"]


@pytest.mark.parametrize(
    "draft",
    [
        "[" * 10_000 + "]" * 10_000,
        '{"a":' * 10_000,
        "[" * 500 + "]" * 500,
        json.loads("[" * 250 + "]" * 250),
        'it"s {"a": [{"b": ' + "[" * 1_000 + "]" * 1_000 + '}]} and {"c": 1}',
    ],
    ids=["closed", "open", "readable", "value", "in prose"],
)
def test_depth_is_bounded(draft: object) -> None:
    """A draft nested beyond the limit is refused, as text and as a value."""
    assert codes(draft) == ["GB105"]


@pytest.mark.long
@pytest.mark.parametrize(
    "draft",
    [
        '<div class="a">{x}</div>' * 2_000,
        "{" * 190 + "a" * 39_900,
        '{"a": [1,2,' * 30 + '"x' * 20_000,
        "```json\n{'a\n```\n" * 5_000,
    ],
    ids=["markup", "open", "quotes", "fences"],
)
def test_parse_limits_time_of_repairs(draft: str) -> None:
    """Text whose repair would take minutes is answered within seconds."""
    with limit_cpu_time(20):
        parse(draft, Limits())


@pytest.mark.parametrize("number", [10**309, -(10**400)])
def test_a_number_beyond_all_floats_is_refused(number: int) -> None:
    """The finding names its place in a value, in JSON and in corrected JSON."""
    for draft in (
        {"nodes": [{"typeVersion": number}]},
        f'{{"nodes": [{{"typeVersion": {number},}}]}}',
    ):
        _, diagnostics = parse(draft, Limits())
        wrong = [diagnostic for diagnostic in diagnostics if diagnostic.rule.kind == "wrong"]
        assert [(diagnostic.code, diagnostic.at) for diagnostic in wrong] == [
            ("GB115", ("nodes", 0, "typeVersion"))
        ]
    assert codes({"nodes": [1.7976931348623157e308, 10**308]}) == []


@pytest.mark.parametrize("shape", ["list", "fences"])
def test_many_documents_are_compared_in_linear_time(shape: str) -> None:
    """Documents are distinguished without a comparison of each with each."""

    def make(size: int) -> str:
        texts = [json.dumps({"a": number}) for number in range(size)]
        if shape == "list":
            return f"[{','.join(texts)}]"
        return "".join(f"```json\n{text}\n```\n" for text in texts)

    measure = partial(find_growth_fault, codes, make, shortest=8_000, longest=8_000)
    assert confirm_fault(measure) == ""


_PLAN = '{"goal": "x", "steps": [{"id": "a", "params": {"q": "hello there"}}, {"id": "b"}]}'


@pytest.mark.parametrize("end", [30, 55, 70, len(_PLAN) - 5])
@pytest.mark.parametrize("before", ["", "Sure:\n```json\n"])
def test_a_text_that_ends_within_a_value_is_cut_off(before: str, end: int) -> None:
    """What was read is returned, with a finding that quotes the end."""
    value, diagnostics = parse(before + _PLAN[:end], Limits())
    assert isinstance(value, dict)
    (finding,) = [d for d in diagnostics if d.code == "GB119"]
    assert _PLAN[end - 8 : end].rsplit(maxsplit=1)[-1] in finding.message


@pytest.mark.parametrize(
    "text",
    [
        _PLAN[:-1],
        _PLAN[:-2],
        f"```json\n{_PLAN[:-2]}\n```\nThat is all.",
        f"{_PLAN[:-1]}\n\nHope this helps",
        _PLAN.replace('"', "'"),
        "{steps: [{tool: 'it\"s'},],}",
    ],
)
def test_missing_brackets_at_the_end_are_not_cut_off(text: str) -> None:
    """Nothing is lost with them."""
    value, diagnostics = parse(text, Limits())
    assert isinstance(value, dict)
    assert "GB119" not in [d.code for d in diagnostics]
