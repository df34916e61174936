"""Compile one draft for a request, and say it in JSON."""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from time import perf_counter
from typing import Any, Literal

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler import receipt
from grounded_builder.compiler.name_stats import NameOccurrence, occurrences_in, occurrences_of_name
from grounded_builder.compiler.pipeline import compile_draft, compile_with_fixes, repair_document
from grounded_builder.compiler.report import compilation_report
from grounded_builder.diagnostics import Verdict
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import switches_of
from grounded_builder.interfaces.http.request_body import (
    WORKFLOW,
    decode_object,
    encoded,
    fields_of,
    payload_of,
)
from grounded_builder.interfaces.http.schemas.bodies import ResolveBody
from grounded_builder.ir.domain import Domain, open_native_file
from grounded_builder.ir.options import CompileOptions, Purpose
from grounded_builder.resolve.diagnose import ReferenceCatalogs, no_reference_catalogs
from grounded_builder.resolve.query import QueryError, answer_query, as_json
from grounded_builder.services.adhoc_catalogs import registry_for_tool_list
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.storage.store import Store

Verb = Literal["judge", "correct", "repair"]
CONTENT_KEYS = ("workflow", "plan", "draft", "model")
_SENT = {
    "n8n": '{"workflow": {...}}, {"plan": {...}}',
    "simulink": '{"plan": {...}}, {"model": "a .slx or .mdl file in base64"}',
    "tools": '{"plan": {...}}',
}
_LONGEST_KEY = 200
_LONGEST_NAME = 2_000
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
    sighted: tuple[NameOccurrence, ...] = ()
    missing: tuple[str, ...] = ()


def draft_in(body: Mapping[str, Any], domain: str = "n8n") -> Draft:
    """Returns the draft in a request body; raises ApiError when there is none, or several.

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
    entries: dict[str, bytes] = {}
    for index, item in enumerate(listed):
        at = f"/libraries/{index}"
        if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not item["name"]:
            message = 'a library is {"name": FILE, "model": BASE64}'
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=at)
        if item["name"] in entries:
            message = f"two libraries are called {item['name'][:_LONGEST_KEY]}"
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=at)
        file = _file_in(item, at)
        entries[file.name] = file.raw
    return entries


def _file_in(body: Mapping[str, Any], at: str = "") -> ModelFile:
    """Returns the file that stands in a body in base64; raises ApiError where it does not."""
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


@dataclass(frozen=True, slots=True)
class Signing:
    """What artifacts are signed with."""

    signer: receipt.Signer
    terms: receipt.ReceiptClaims
    lifetime_s: int


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """What a route compiles a body for; with ``plain`` the answer says that it is one.

    With ``is_form`` the body is a form whose field ``payload`` holds the JSON text.
    """

    route: Literal["validate", "repair", "build"]
    setting: CompileOptions
    signing: Signing | None = None
    plain: bool = False
    is_form: bool = False


@dataclass(frozen=True, slots=True)
class Compiled:
    """The answer to a request as JSON bytes, and what is counted of it."""

    answer: bytes
    verb: Verb
    verdict: Verdict
    ms: float
    sighted: tuple[NameOccurrence, ...]


def compile_bytes(
    raw: bytes,
    request: CompileRequest,
    domain: Domain,
    active: Registry | None,
    store: Store,
    references: ReferenceCatalogs,
) -> Compiled:
    """Reads a request body and compiles the draft in it; raises ApiError with the reason."""
    body = decode_object(
        payload_of(raw) if request.is_form else raw, WORKFLOW, request.setting.limits.values
    )
    return compile_body(body, request, domain, active, store, references)


def compile_body(
    body: Mapping[str, Any],
    request: CompileRequest,
    domain: Domain,
    active: Registry | None,
    store: Store,
    references: ReferenceCatalogs,
) -> Compiled:
    """Compiles the draft in a request body and writes the answer.

    ``active`` is the active registry of the domain, None where there is none.
    """
    draft = draft_in(body, domain.name)
    _expect_fitting(draft, request, domain)
    if body.get("tools") is not None:
        registry, references = tools_in(body, domain, store), no_reference_catalogs
    elif body.get("catalog"):
        registry = stored_registry(store, domain, body["catalog"], active)
    elif active is None:
        raise no_catalog(domain.name)
    else:
        registry = active
    verb: Verb = "repair" if request.route == "repair" else "judge"
    if request.route == "build" and draft.corrected:
        verb = "correct"
    # What is signed is held to what an import is held to.
    purpose: Purpose = "import" if request.route == "build" else "judge"
    policy = request.setting.policy.narrow(switches_of(body.get("policy")))
    setting = replace(
        request.setting,
        seed=draft.seed,
        purpose=purpose,
        policy=policy,
        builds=request.route == "build",
    )
    outcome = compile_for_request(verb, draft, domain, registry, setting, references)
    echoed = {"id": draft.id} if draft.has_id else {}
    content = {**echoed, **outcome.report, **_more(outcome, request)}
    return Compiled(encoded(content), verb, outcome.verdict, outcome.ms, outcome.sighted)


def _more(outcome: Outcome, request: CompileRequest) -> dict[str, Any]:
    """Returns what a route answers with beside the report."""
    if request.route == "validate":
        missing = {"missing_libraries": outcome.missing}
        return {"ok": True, **missing} if request.plain else missing
    if request.route == "repair":
        return {"workflow": outcome.document, "fixes": outcome.report.get("fixes", [])}
    signed = None
    if outcome.artifact is not None and request.signing is not None:
        signed = receipt.make_receipt(
            outcome.artifact,
            outcome.verdict,
            replace(request.signing.terms, catalog=outcome.report["catalog"]),
            request.signing.signer,
            now=time.time(),
            lifetime_s=request.signing.lifetime_s,
        )
    return {"artifact": outcome.artifact, "receipt": signed}


def _expect_fitting(draft: Draft, request: CompileRequest, domain: Domain) -> None:
    """Refuses a draft of a kind that the route does not take."""
    is_judged = request.route == "validate"
    if isinstance(draft.content, ModelFile) and not is_judged:
        message = "the file of a model is judged only"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/model")
    if draft.libraries and (not is_judged or domain.reading.bundled_libraries is None):
        message = f"libraries of domain {domain.name} do not come with a request to do this"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/libraries")


def tools_in(
    body: Mapping[str, Any], domain: Domain, store: Store, compiling: Compiling = compile_here
) -> Registry:
    """Returns the registry of the tools that came with a request."""
    if domain.resolving.convert_catalog is None:
        message = f"tools of domain {domain.name} come in a catalog, not with a request"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/tools")
    return registry_for_tool_list(body["tools"], domain, store, compiling)


def stored_registry(
    store: Store, domain: Domain, catalog: Any, active: Registry | None
) -> Registry:
    """Returns the registry of a kept catalog of a domain, by its fingerprint."""
    if not isinstance(catalog, str) or store.catalog(catalog).domain != domain.name:
        message = f"catalog is not the fingerprint of a catalog of domain {domain.name}"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/catalog")
    if active is not None and catalog == active.fingerprint:
        return active
    return store.registry(catalog)


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """The answer to a question about a name as JSON bytes, and what is counted of it."""

    answer: bytes
    status: str
    sighted: tuple[NameOccurrence, ...]


def resolve_bytes(
    raw: bytes, domain: Domain, active: Registry | None, store: Store
) -> ResolvedName:
    """Reads a request body and resolves the name in it; raises ApiError with the reason."""
    return resolve_body(decode_object(raw, fields_of(ResolveBody)), domain, active, store)


def resolve_body(
    body: Mapping[str, Any], domain: Domain, active: Registry | None, store: Store
) -> ResolvedName:
    """Resolves the name in a request body and writes the answer."""
    if body.get("tools") is not None:
        active = tools_in(body, domain, store)
    if active is None:
        raise no_catalog(domain.name)
    text = body.get("text")
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_NAME:
        message = f"text is not a name of 1 to {_LONGEST_NAME} characters"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/text")
    started = perf_counter()
    try:
        fallback = domain.prompting.fallback
        resolution = answer_query(text, body.get("context"), active, fallback, domain.resolving)
    except QueryError as error:
        status = HTTPStatus.BAD_REQUEST
        raise ApiError(status, "bad-argument", str(error), at="/context") from error
    ms = (perf_counter() - started) * 1000
    echoed = {"id": body["id"]} if "id" in body else {}
    facts = {"catalog": active.fingerprint, "ms": round(ms, 3)}
    content = {**echoed, **as_json(resolution, active), **facts}
    return ResolvedName(encoded(content), resolution.status, occurrences_of_name(text, resolution))


def no_catalog(domain: str) -> ApiError:
    """Returns the error of a domain without a catalog."""
    return ApiError(
        HTTPStatus.CONFLICT,
        "no-catalog",
        f"no catalog of domain {domain} is loaded",
        "push one with node-catalog-sync, or run `grounded catalog load FILE`",
    )


def compile_for_request(
    verb: Verb,
    draft: Draft,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    references: ReferenceCatalogs,
) -> Outcome:
    """Judges a draft, correct and judge it, or repair it."""
    started = perf_counter()
    content = document = draft.content
    if isinstance(content, ModelFile):
        opened = open_native_file(content.raw, content.name, domain)
        content = content.raw if opened is None else opened
        document = None if opened is None else opened.document
    missing: tuple[str, ...] = ()
    if verb == "judge" and domain.reading.bundled_libraries is not None:
        brought = domain.reading.bundled_libraries(draft.libraries)
        missing = brought.missing(document, registry)
        registry = brought.widen(document, registry)
    run = {"judge": compile_draft, "correct": compile_with_fixes, "repair": repair_document}[verb]
    compilation = run(content, domain, registry, setting, references)
    ms = (perf_counter() - started) * 1000
    return Outcome(
        verdict=compilation.verdict,
        report=compilation_report(compilation, ms),
        document=compilation.document,
        artifact=compilation.artifact,
        ms=ms,
        sighted=occurrences_in(compilation, registry),
        missing=missing,
    )
