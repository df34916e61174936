from __future__ import annotations

import io
from dataclasses import replace

import pytest

from grounded_builder.catalog.catalog_file import Bounds, CatalogError, read_catalog
from grounded_builder.catalog.stored_tool import unpack
from grounded_builder.catalog.text_cleaning import clean_name, clean_text
from tests.support import catalogs


def _get_refusal(content: bytes, domain: str | None = None, bounds: Bounds | None = None) -> str:
    with pytest.raises(CatalogError) as caught:
        read_catalog(content, domain, bounds)
    assert caught.value.help
    return str(caught.value)


def test_a_sound_file_is_read_whole() -> None:
    """Every tool and credential type of a valid file becomes one entry, from bytes or a stream."""
    file = read_catalog(catalogs.acme_bytes(), "n8n")
    assert [entry.kind for entry in file.entries].count("tool") == 7
    assert [entry.kind for entry in file.entries].count("credential") == 2
    assert read_catalog(io.BytesIO(catalogs.acme_bytes())) == file


def test_every_cut_is_noticed() -> None:
    """A file cut off at any byte before its last line feed is refused."""
    whole = catalogs.acme_bytes()
    for length in range(0, len(whole) - 1, 97):
        assert _get_refusal(whole[:length])
    assert "cut off" in _get_refusal(whole[: whole.rindex(b"\n", 0, -1) + 1])
    # The last line feed itself may be missing.
    read_catalog(whole[:-1])


def test_lines_lost_in_the_middle_are_noticed() -> None:
    """The end line counts the lines of each kind."""
    lines = catalogs.acme()
    del lines[3]
    message = _get_refusal(catalogs.jsonl(lines))
    assert "states 7" in message
    assert "has 6" in message


def test_another_schema_is_named() -> None:
    """A file of another schema states which one it has and which is read."""
    message = _get_refusal(catalogs.acme_bytes(schema=7))
    assert "schema 7" in message
    assert "schema 1" in message


def test_another_domain_is_named() -> None:
    """A file of another domain than the one expected is refused."""
    assert "domain tools, not n8n" in _get_refusal(catalogs.acme_bytes(domain="tools"), "n8n")


def test_doubles_name_both_places() -> None:
    """Two lines with one id are refused with both line numbers; kinds have ids of their own."""
    lines = [catalogs.header(), catalogs.hook(), catalogs.mail(), catalogs.hook()]
    message = _get_refusal(catalogs.jsonl(catalogs.add_end_line(lines)))
    assert message == f"line 4: tool {catalogs.HOOK} is on line 2 already"
    namesake = {"kind": "credential", "id": catalogs.HOOK, "name": "Hook"}
    read_catalog(catalogs.jsonl(catalogs.add_end_line([*lines[:3], namesake])))


def test_a_version_in_two_variants_names_both() -> None:
    """A version belongs to exactly one variant of a tool."""
    mail = catalogs.mail()
    mail["variants"][1]["versions"] = [1.1, 2]
    message = _get_refusal(catalogs.jsonl(catalogs.add_end_line([catalogs.header(), mail])))
    assert "version 1.1 is in variants 0 and 1" in message


def test_all_faults_are_reported_at_once() -> None:
    """One reading names the faults of every line, each with its number."""
    nameless, doubled = catalogs.mail(), catalogs.hook()
    del nameless["name"]
    lines = [catalogs.header(), catalogs.hook(), nameless, doubled, {"kind": "widget"}]
    content = catalogs.jsonl(catalogs.add_end_line(lines)).replace(b'"widget"', b'"gadget"')
    message = _get_refusal(content)
    for number in ("line 3: tool acme-nodes.mail: name", "line 4:", "line 5: unknown kind"):
        assert number in message


def test_garbage_is_refused_soon() -> None:
    """Bytes that are no catalog are refused at the first line, or after twenty faults."""
    assert "empty" in _get_refusal(b"")
    assert "not a catalog header" in _get_refusal(b"\x00\x01" * 1_000)
    assert "not a catalog header" in _get_refusal(b"[" * 100_000 + b"\n")
    header = catalogs.jsonl([catalogs.header()])
    assert _get_refusal(header + b"junk\n" * 10_000).count("not JSON") == 20
    assert "nested" in _get_refusal(header + b'{"a":' * 300 + b"1" + b"}" * 300 + b"\n")
    assert "two files" in _get_refusal(catalogs.acme_bytes() + catalogs.acme_bytes())


def test_files_and_lines_are_bounded() -> None:
    """A line or a file beyond its bound is refused without being held in memory."""
    whole = catalogs.acme_bytes()
    assert "longer than" in _get_refusal(whole, bounds=replace(Bounds(), line_bytes=500))
    assert "larger than" in _get_refusal(whole, bounds=replace(Bounds(), file_bytes=1_000))
    assert "larger than" in _get_refusal(whole, bounds=replace(Bounds(), lines=3))


def test_descriptions_are_harmless() -> None:
    """Control, direction and invisible characters go, overlong text is cut; values stay."""
    hook = catalogs.hook()
    hook["name"] = "Acme\u202e \x1bHook\u200b" + "\U000e0041"
    hook["description"] = "fine\ttext\nhere\x00" + "y" * 10_000
    hook["variants"][0]["parameters"][0] |= {"hint": "a\u2066b", "default": "\u202e"}
    file = read_catalog(catalogs.jsonl(catalogs.add_end_line([catalogs.header(), hook])))
    row = file.entries[0].row
    assert row.name == "Acme Hook"
    body = unpack(row.id, file.entries[0].body).decode()
    assert '"hint":"ab"' in body
    assert '"default":"\u202e"' in body
    assert "fine\\ttext\\nhere" in body
    assert len(body) < 6_000


def test_cleaning_is_idempotent() -> None:
    """Cleaning a cleaned text changes nothing."""
    for text in ("a\nb", "é\u0301 한글 👩‍💻", "x" * 9_000, "\ufeff\u00ad", " spaced  out "):
        assert clean_name(clean_name(text)) == clean_name(text)
        assert clean_text(clean_text(text)) == clean_text(text)
