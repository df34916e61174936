"""Defines the JSON bodies and answers of compiler, token and health routes, and of errors."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from grounded_builder.diagnostics import Kind, Severity, Stage, Verdict
from grounded_builder.interfaces.http.schemas.base import Shape
from grounded_builder.storage import Scope


class ErrorFacts(Shape):
    """The error and its remedy."""

    code: str
    message: str
    help: str
    at: str | None = None


class Error(Shape):
    """The shape of all errors."""

    error: ErrorFacts


class EditShape(Shape):
    """One change on a JSON pointer."""

    op: Literal["set", "remove", "rename"]
    at: str
    value: Any = None


class FixShape(Shape):
    """Edits that together remove a finding."""

    safe: bool
    reason: str
    edits: list[EditShape]


class RelatedShape(Shape):
    """Another place that belongs to a finding."""

    at: str
    message: str


class DiagnosticShape(Shape):
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


class ShortError(Shape):
    """The plain form of a finding."""

    type: str
    tool_name: str | None = None
    message: str
    severity: Severity
    suggested_tools: list[str]


class Report(Shape):
    """The findings in a document, the catalog they were checked against, and the time in
    milliseconds.
    """

    id: Any = None
    verdict: Verdict
    diagnostics: list[DiagnosticShape]
    errors: list[ShortError]
    catalog: str
    ms: float
    fixes: list[DiagnosticShape] = Field([])


class Judged(Report):
    """A report, with the libraries that a model links to and that are unknown."""

    missing_libraries: list[str] = Field([])


class Repaired(Report):
    """A report, and the document after the safe fixes."""

    workflow: Any


class ReceiptShape(Shape):
    """The signature over an artifact; send it unchanged.

    `approvals` are the findings that a person has approved, where any.
    """

    artifact: str
    catalog: str
    verdict: Verdict
    policy: str
    instance: str
    key: str
    expires: int
    approvals: list[str] = Field([])
    signature: str


class Built(Report):
    """A report, and unless the verdict is wrong the artifact with its receipt."""

    artifact: dict[str, Any] | None
    receipt: ReceiptShape | None


class PolicyBody(Shape):
    """The restrictions of a token or a request; the strictest applies, nothing is permitted by
    them.

    `allowed_hosts` are names and patterns such as `*.acme.com`.
    """

    allowed_hosts: list[str] | None = None
    no_code: bool = False
    core_only: bool = False
    no_host_access: bool = False
    denied: list[str] = Field([])


class DraftBody(Shape):
    """Exactly one of `workflow`, `plan` and `draft`; `id` is echoed.

    `tools`, in domain tools, are definitions to check against instead of the stored catalog. With
    `as_draft` a value that the tool would ignore is an error, as it always is in a plan.
    """

    id: Any = None
    workflow: dict[str, Any] | None = None
    as_draft: bool = False
    plan: dict[str, Any] | list[Any] | None = None
    tools: dict[str, Any] | list[Any] | None = None
    draft: Any = Field(None, description="A document, or text that contains one.")
    policy: PolicyBody | None = None


class LibraryFile(Shape):
    """A library by the name of its file, such as `pumps.slx`, and its bytes in base64."""

    name: str = Field(min_length=1, max_length=200)
    model: str


class JudgeBody(DraftBody):
    """A document to check, or `model`, a file of the domain's own format in base64.

    `name` is the file name, `catalog` the fingerprint of a stored catalog to check against.
    `libraries` are files that the model links to.
    """

    model: str | None = None
    name: str = ""
    libraries: list[LibraryFile] = Field([], max_length=100)
    catalog: str = ""


class BuildBody(DraftBody):
    """A document to build; with the same `key`, generated identifiers are the same."""

    key: str = ""
    correct: bool = Field(True, description="Apply safe fixes before building.")


class ResolveBody(Shape):
    """A name to resolve; `id` is echoed, `context` describes where the name is used."""

    id: Any = None
    text: str
    tools: dict[str, Any] | list[Any] | None = None
    context: dict[str, Any] | None = None


class CandidateShape(Shape):
    """One possible tool; fields that do not apply are omitted.

    A `fallback` is not what the name means, but can do the work of an absent tool.
    """

    tool: str
    params: dict[str, Any]
    confidence: float
    fallback: bool = False
    availability: str = Field("installed", description="Omitted where it is installed.")
    replaced_by: list[str] = Field([])
    requires_license: str = ""


class Resolved(Shape):
    """The tool that a name means."""

    id: Any = None
    status: Literal["resolved", "ambiguous", "unknown"]
    tool: str | None
    params: dict[str, Any]
    confidence: float
    method: str
    candidates: list[CandidateShape]
    catalog: str
    ms: float


class TokenShape(Shape):
    """A token, without its text."""

    id: str
    label: str
    scopes: list[Scope]
    created_at: str
    policy: PolicyBody


class Tokens(Shape):
    """All tokens, oldest first."""

    tokens: list[TokenShape]


class TokenBody(Shape):
    """The token to create."""

    label: str = Field(min_length=1, max_length=200)
    scopes: list[Scope] = Field(min_length=1)
    policy: PolicyBody | None = None


class MadeToken(TokenShape):
    """A new token; `token` is shown only once."""

    token: str


class Health(Shape):
    """The process answers; `time`, in seconds since 1970, is the clock that leases use."""

    status: Literal["ok"]
    version: str
    time: float


class Readiness(Shape):
    """Whether requests can be served: the active catalogs by domain."""

    status: Literal["ready"]
    catalogs: dict[str, str]
