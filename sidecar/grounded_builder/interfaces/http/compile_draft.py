"""Compiles the draft, or resolves the name, in a request body; answers in JSON, signed if built."""

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
    encode_json,
    fields_of,
    payload_of,
)
from grounded_builder.interfaces.http.schemas.bodies import ResolveBody
from grounded_builder.ir.domain import Domain, open_native_file
from grounded_builder.ir.options import CompileOptions, Purpose
from grounded_builder.resolve.diagnose import ReferenceCatalogs, no_reference_catalogs
from grounded_builder.resolve.query import QueryError, answer_query, as_json
from grounded_builder.services.adhoc_catalogs import registry_for_tool_list
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
    """An uploaded file in the domain's own format."""

    raw: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft to compile; ``seed`` makes its identifiers repeatable.

    ``libraries`` are the library files of the request, by name.
    """

    content: Any
    id: Any = None
    has_id: bool = False
    seed: str = ""
    corrected: bool = True
    libraries: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a draft as JSON values; ``ms`` is the compile time alone.

    ``sighted`` are the names in it that are not exactly a tool's, ``missing`` the unknown libraries
    that it names.
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

    The help names the drafts of ``domain``.
    """
    present = [key for key in CONTENT_KEYS if key in body]
    if len(present) != 1:
        reason = "several drafts" if present else "no draft"
        message = f"the body has {reason}: exactly one of {', '.join(CONTENT_KEYS)} is expected"
        help_text = f'send {_SENT[domain]}, or {{"draft": "text that holds one"}}'
        raise ApiError(HTTPStatus.BAD_REQUEST, "no-draft", message, help_text)
    seed, corrected = body.get("key", ""), body.get("correct", True)
    if not isinstance(seed, str) or len(seed) > _LONGEST_KEY:
        message = f"key is not a text of at most {_LONGEST_KEY} characters"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/key")
    if not isinstance(corrected, bool):
        message = "correct is not true or false"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/correct")
    content = _file_in(body) if present == ["model"] else body[present[0]]
    libraries = _libraries_in(body)
    if libraries and present[0] not in ("model", "workflow"):
        message = "libraries require a model that is a file or a document"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/libraries")
    return Draft(content, body.get("id"), "id" in body, seed, corrected, libraries)


def _libraries_in(body: Mapping[str, Any]) -> dict[str, bytes]:
    listed = [] if body.get("libraries") is None else body["libraries"]
    if not isinstance(listed, list) or len(listed) > _MOST_LIBRARIES:
        message = f"libraries is not a list of at most {_MOST_LIBRARIES} files"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/libraries")
    libraries: dict[str, bytes] = {}
    for index, library in enumerate(listed):
        at = f"/libraries/{index}"
        if (
            not isinstance(library, dict)
            or not isinstance(library.get("name"), str)
            or not library["name"]
        ):
            message = 'a library is {"name": FILE, "model": BASE64}'
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=at)
        if library["name"] in libraries:
            message = f"two libraries are named {library['name'][:_LONGEST_KEY]}"
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=at)
        file = _file_in(library, at)
        libraries[file.name] = file.raw
    return libraries


def _file_in(body: Mapping[str, Any], at: str = "") -> ModelFile:
    """Returns the base64 file in a body; raises ApiError where it is malformed."""
    text: Any = body.get("model")
    name = body.get("name", "")
    if not isinstance(name, str) or len(name) > _LONGEST_KEY:
        message = f"name is not a text of at most {_LONGEST_KEY} characters"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=f"{at}/name")
    try:
        # MATLAB and other encoders insert line breaks.
        raw = base64.b64decode("".join(text.split()), validate=True)
    except (AttributeError, ValueError) as error:
        message = "model is not the bytes of a file in base64"
        status = HTTPStatus.BAD_REQUEST
        raise ApiError(status, "bad-argument", message, at=f"{at}/model") from error
    return ModelFile(raw, name)


@dataclass(frozen=True, slots=True)
class Signing:
    """The key and the terms with which artifacts are signed."""

    signer: receipt.Signer
    terms: receipt.ReceiptClaims
    lifetime_s: int


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """A compile route's request; with ``plain`` the answer has the field ``ok``.

    With ``is_form`` the body is a form whose field ``payload`` contains the JSON text.
    """

    route: Literal["validate", "repair", "build"]
    options: CompileOptions
    signing: Signing | None = None
    plain: bool = False
    is_form: bool = False


@dataclass(frozen=True, slots=True)
class Compiled:
    """The answer to a request as JSON bytes, with the values for the metrics."""

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
    """Reads a request body and compiles the draft in it; raises ApiError for an unusable body."""
    body = decode_object(
        payload_of(raw) if request.is_form else raw, WORKFLOW, request.options.limits.values
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
    """Compiles the draft in a request body and returns the answer.

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
    # A signed artifact passes the same checks as an import.
    purpose: Purpose = "import" if request.route == "build" else "judge"
    policy = request.options.policy.narrow(switches_of(body.get("policy")))
    options = replace(
        request.options,
        seed=draft.seed,
        purpose=purpose,
        policy=policy,
        builds=request.route == "build",
        is_draft=bool(body.get("as_draft")),
    )
    outcome = compile_for_request(verb, draft, domain, registry, options, references)
    echoed = {"id": draft.id} if draft.has_id else {}
    content = {**echoed, **outcome.report, **_route_fields(outcome, request)}
    return Compiled(encode_json(content), verb, outcome.verdict, outcome.ms, outcome.sighted)


def _route_fields(outcome: Outcome, request: CompileRequest) -> dict[str, Any]:
    """Returns the fields that a route adds to the report."""
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
    """Raises ApiError for a draft that the route does not accept."""
    is_judged = request.route == "validate"
    if isinstance(draft.content, ModelFile) and not is_judged:
        message = "a model file can only be validated"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/model")
    if draft.libraries and (not is_judged or domain.reading.bundled_libraries is None):
        message = f"a request of domain {domain.name} takes no libraries here"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/libraries")


def tools_in(body: Mapping[str, Any], domain: Domain, store: Store) -> Registry:
    """Returns the registry of the tools that came with a request."""
    if domain.resolving.convert_catalog is None:
        message = f"tools of domain {domain.name} are loaded as a catalog, not sent with a request"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/tools")
    return registry_for_tool_list(body["tools"], domain, store)


def stored_registry(
    store: Store, domain: Domain, catalog: Any, active: Registry | None
) -> Registry:
    """Returns the registry of a stored catalog of a domain, by its fingerprint."""
    if not isinstance(catalog, str) or store.catalog(catalog).domain != domain.name:
        message = f"catalog is not the fingerprint of a catalog of domain {domain.name}"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/catalog")
    if active is not None and catalog == active.fingerprint:
        return active
    return store.registry(catalog)


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """The answer to a name as JSON bytes, with the values for the metrics."""

    answer: bytes
    status: str
    sighted: tuple[NameOccurrence, ...]


def resolve_bytes(
    raw: bytes, domain: Domain, active: Registry | None, store: Store
) -> ResolvedName:
    """Reads a request body and resolves the name in it; raises ApiError for an unusable body."""
    return resolve_body(decode_object(raw, fields_of(ResolveBody)), domain, active, store)


def resolve_body(
    body: Mapping[str, Any], domain: Domain, active: Registry | None, store: Store
) -> ResolvedName:
    """Resolves the name in a request body and returns the answer."""
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
    return ResolvedName(
        encode_json(content), resolution.status, occurrences_of_name(text, resolution)
    )


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
    options: CompileOptions,
    references: ReferenceCatalogs,
) -> Outcome:
    """Validates, builds or repairs a draft, as the verb of the route demands."""
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
    compilation = run(content, domain, registry, options, references)
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
