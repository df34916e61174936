"""Compile one draft for a request, and say it in JSON."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from time import perf_counter
from typing import Any, Literal

from grounded_builder.api.errors import ApiError
from grounded_builder.diagnostics import Verdict
from grounded_builder.diagnostics.report import report
from grounded_builder.domain import Domain
from grounded_builder.pipeline import correct, judge, repair
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting
from grounded_builder.sighting import Sighting, seen_in
from grounded_builder.unresolved import References

Verb = Literal["judge", "correct", "repair"]
CONTENT_KEYS = ("workflow", "plan", "draft", "model")
_SENT = {
    "n8n": '{"workflow": {...}}, {"plan": {...}}',
    "simulink": '{"plan": {...}}, {"model": "a .slx or .mdl file in base64"}',
    "tools": '{"plan": {...}}',
}
_LONGEST_KEY = 200
_MOST_LIBRARIES = 100


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file in the domain's own format, as it came."""

    raw: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What a request asks to be compiled; ``seed`` makes identifiers repeatable.

    ``libraries`` are files that it came with, by their names.
    """

    content: Any
    id: Any = None
    has_id: bool = False
    seed: str = ""
    corrected: bool = True
    libraries: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a draft, as JSON values; ``ms`` is the compile alone.

    ``sighted`` are the names in it that are not simply a tool's, ``missing`` the libraries that
    it names and nothing is known of.
    """

    verdict: Verdict
    report: dict[str, Any]
    document: Any
    artifact: Any
    ms: float
    sighted: tuple[Sighting, ...] = ()
    missing: tuple[str, ...] = ()


def draft_in(body: Mapping[str, Any], domain: str = "n8n") -> Draft:
    """The draft in a request body; ApiError when there is none, or several.

    ``domain`` is whose drafts the help names.
    """
    present = [key for key in CONTENT_KEYS if key in body]
    if len(present) != 1:
        what = "several drafts" if present else "no draft"
        message = f"the body has {what}: exactly one of {', '.join(CONTENT_KEYS)} is expected"
        help_text = f'send {_SENT[domain]}, or {{"draft": "text that holds one"}}'
        raise ApiError(HTTPStatus.BAD_REQUEST, "no-draft", message, help_text)
    seed, corrected = body.get("key", ""), body.get("correct", True)
    if not isinstance(seed, str) or len(seed) > _LONGEST_KEY:
        message = f"key is not a text of at most {_LONGEST_KEY} characters"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/key")
    if not isinstance(corrected, bool):
        message = "correct is neither true nor false"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/correct")
    content = _file_in(body) if present == ["model"] else body[present[0]]
    libraries = _libraries_in(body)
    if libraries and present[0] not in ("model", "workflow"):
        message = "libraries come with a model that is a file or a document"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/libraries")
    return Draft(content, body.get("id"), "id" in body, seed, corrected, libraries)


def _libraries_in(body: Mapping[str, Any]) -> dict[str, bytes]:
    listed = [] if body.get("libraries") is None else body["libraries"]
    if not isinstance(listed, list) or len(listed) > _MOST_LIBRARIES:
        message = f"libraries is not a list of at most {_MOST_LIBRARIES} files"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/libraries")
    found: dict[str, bytes] = {}
    for index, one in enumerate(listed):
        at = f"/libraries/{index}"
        if not isinstance(one, dict) or not isinstance(one.get("name"), str) or not one["name"]:
            message = 'a library is {"name": FILE, "model": BASE64}'
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=at)
        if one["name"] in found:
            message = f"two libraries are called {one['name'][:_LONGEST_KEY]}"
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=at)
        file = _file_in(one, at)
        found[file.name] = file.raw
    return found


def _file_in(body: Mapping[str, Any], at: str = "") -> ModelFile:
    """The file that stands in a body in base64; ApiError where it does not."""
    text: Any = body.get("model")
    name = body.get("name", "")
    if not isinstance(name, str) or len(name) > _LONGEST_KEY:
        message = f"name is not a text of at most {_LONGEST_KEY} characters"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=f"{at}/name")
    try:
        # MATLAB and others break the lines of what they encode.
        raw = base64.b64decode("".join(text.split()), validate=True)
    except (AttributeError, ValueError) as error:
        message = "model is not the bytes of a file in base64"
        status = HTTPStatus.BAD_REQUEST
        raise ApiError(status, "bad-argument", message, at=f"{at}/model") from error
    return ModelFile(raw, name)


def compile_draft(
    verb: Verb,
    draft: Draft,
    domain: Domain,
    registry: Registry,
    setting: Setting,
    references: References,
) -> Outcome:
    """Judge a draft, correct and judge it, or repair it."""
    started = perf_counter()
    content = document = draft.content
    if isinstance(content, ModelFile):
        opened = domain.native(content.raw, content.name)
        content = content.raw if opened is None else opened
        document = None if opened is None else opened.document
    missing: tuple[str, ...] = ()
    if verb == "judge" and domain.bring is not None:
        brought = domain.bring(draft.libraries)
        missing = brought.missing(document, registry)
        registry = brought.widen(document, registry)
    run = {"judge": judge, "correct": correct, "repair": repair}[verb]
    compilation = run(content, domain, registry, setting, references)
    ms = (perf_counter() - started) * 1000
    return Outcome(
        verdict=compilation.verdict,
        report=report(compilation, ms),
        document=compilation.document,
        artifact=compilation.artifact,
        ms=ms,
        sighted=seen_in(compilation, registry),
        missing=missing,
    )
