"""The JSON shapes of requests and answers, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from grounded_builder.diagnostics import Kind, Severity, Stage, Verdict
from grounded_builder.storage import Scope


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ErrorFacts(_Shape):
    """What went wrong and what to do."""

    code: str
    message: str
    help: str
    at: str | None = None


class Error(_Shape):
    """The one shape of an error."""

    error: ErrorFacts


class EditShape(_Shape):
    """One change on a JSON pointer."""

    op: Literal["set", "remove", "rename"]
    at: str
    value: Any = None


class FixShape(_Shape):
    """Edits that together remove a finding."""

    safe: bool
    reason: str
    edits: list[EditShape]


class RelatedShape(_Shape):
    """Another place that belongs to a finding."""

    at: str
    message: str


class DiagnosticShape(_Shape):
    """One finding; `at` is a JSON pointer into the document."""

    code: str
    name: str
    severity: Severity
    kind: Kind = Field(alias="class")
    stage: Stage
    at: str
    node: str | None
    message: str
    help: str
    alternatives: list[str]
    related: list[RelatedShape]
    fix: FixShape | None


class ShortError(_Shape):
    """The plain form of a finding."""

    type: str
    tool_name: str | None = None
    message: str
    severity: Severity
    suggested_tools: list[str]


class Report(_Shape):
    """What was found in a document, against which catalog, in how many milliseconds."""

    id: Any = None
    verdict: Verdict
    diagnostics: list[DiagnosticShape]
    errors: list[ShortError]
    catalog: str
    ms: float
    fixes: list[DiagnosticShape] = []


class Repaired(Report):
    """A report, and the document after the safe fixes."""

    workflow: Any


class ReceiptShape(_Shape):
    """The signature over an artifact; send it along unchanged."""

    artifact: str
    catalog: str
    verdict: Verdict
    policy: str
    instance: str
    key: str
    expires: int
    signature: str


class Built(Report):
    """A report, and unless the verdict is wrong the artifact with its receipt."""

    artifact: dict[str, Any] | None
    receipt: ReceiptShape | None


class DraftBody(_Shape):
    """Exactly one of `workflow`, `plan` and `draft`; `id` is echoed.

    `tools`, in domain tools, are definitions to judge against instead of the stored catalog.
    """

    id: Any = None
    workflow: dict[str, Any] | None = None
    plan: dict[str, Any] | list[Any] | None = None
    tools: dict[str, Any] | list[Any] | None = None
    draft: Any = Field(None, description="A document, or text that holds one.")


class JudgeBody(DraftBody):
    """What to judge: also `model`, a file of the domain's own format in base64.

    `name` is what the file is called, `catalog` the fingerprint of a kept catalog to judge by.
    """

    model: str | None = None
    name: str = ""
    catalog: str = ""


class BuildBody(DraftBody):
    """What to build; with the same `key`, generated identifiers are the same."""

    key: str = ""
    correct: bool = Field(True, description="Apply safe fixes before building.")


class ResolveBody(_Shape):
    """A name to resolve; `id` is echoed, `context` says what the name stands in."""

    id: Any = None
    text: str
    tools: dict[str, Any] | list[Any] | None = None
    context: dict[str, Any] | None = None


class CandidateShape(_Shape):
    """One tool that could be meant."""

    tool: str
    params: dict[str, Any]
    confidence: float


class Resolved(_Shape):
    """What a name stands for."""

    id: Any = None
    status: Literal["resolved", "ambiguous", "unknown"]
    tool: str | None
    params: dict[str, Any]
    confidence: float
    method: str
    candidates: list[CandidateShape]
    catalog: str
    ms: float


class PackageShape(_Shape):
    """One package that a catalog was read from."""

    name: str
    version: str | None
    community: bool
    error: str | None


class CatalogShape(_Shape):
    """A kept catalog."""

    fingerprint: str
    domain: str
    origin: str
    versions: dict[str, str]
    packages: list[PackageShape]
    tools: int
    credentials: int
    loaded_at: str
    is_active: bool
    is_reference: bool
    overlay: list[str]


class Catalogs(_Shape):
    """The kept catalogs of a domain, the one loaded or used last first."""

    catalogs: list[CatalogShape]


class Change(_Shape):
    """A tool with different content."""

    id: str
    versions_added: list[float]
    versions_removed: list[float]


class DiffShape(_Shape):
    """Tools and credential types added, changed and removed."""

    added: list[str]
    changed: list[Change]
    removed: list[str]
    credentials_added: list[str]
    credentials_changed: list[str]
    credentials_removed: list[str]


class LoadedShape(_Shape):
    """What loading a catalog did; the counts are of tools, against the one active before."""

    fingerprint: str
    is_new: bool
    added: int
    changed: int
    removed: int
    catalog: CatalogShape


class UseBody(_Shape):
    """The catalog to use: its fingerprint or a unique beginning of it."""

    fingerprint: str


class ToolShape(_Shape):
    """A tool in short."""

    id: str
    name: str
    description: str
    versions: list[float]
    package: str
    availability: str
    operations: list[str]


class Tools(_Shape):
    """Tools found, best first; `total` counts all that fit."""

    tools: list[ToolShape]
    total: int
    catalog: str


class ToolDetail(_Shape):
    """The whole catalog entry of a tool."""

    tool: dict[str, Any]
    fingerprint: str
    catalog: str


class TokenShape(_Shape):
    """A token, without the token itself."""

    id: str
    label: str
    scopes: list[Scope]
    created_at: str


class Tokens(_Shape):
    """All tokens, the oldest first."""

    tokens: list[TokenShape]


class TokenBody(_Shape):
    """The token to make."""

    label: str = Field(min_length=1, max_length=200)
    scopes: list[Scope] = Field(min_length=1)


class MadeToken(TokenShape):
    """A new token; `token` is shown this once."""

    token: str


class Health(_Shape):
    """The process answers."""

    status: Literal["ok"]
    version: str


class Readiness(_Shape):
    """Whether requests can be served: the active catalogs by domain."""

    status: Literal["ready"]
    catalogs: dict[str, str]
