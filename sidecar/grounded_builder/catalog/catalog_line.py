"""Defines the pydantic models of catalog file lines: header, tools, credential types, end."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, TypeAdapter

SCHEMA = 1


def _check_distinct(numbers: list[float]) -> list[float]:
    if len(set(numbers)) != len(numbers):
        raise ValueError("the versions repeat themselves")
    return numbers


def _to_whole(number: float) -> int:
    if not float(number).is_integer():
        raise ValueError("a whole number is expected")
    return int(number)


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Open(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


# JSON Schema accepts 3.0 as an integer, and so does this type.
_Count = Annotated[float, AfterValidator(_to_whole), Field(ge=0)]
_Strings = list[str]
_Text = Annotated[str, Field(min_length=1)]
_Versions = Annotated[list[float], Field(min_length=1), AfterValidator(_check_distinct)]
_Object = Annotated[dict[str, Any], Strict()]


class PackageFacts(_Closed):
    """One package that the catalog was read from."""

    name: _Text
    version: str | None = None
    community: bool = False
    error: str = ""


class HeaderLine(_Closed):
    """The first line: the origin of the catalog."""

    kind: Literal["header"]
    domain: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
    schema_: Annotated[float, Field(alias="schema", ge=SCHEMA, le=SCHEMA)]
    origin: Literal["installed", "login", "assumed", "builtin"]
    versions: dict[str, str]
    packages: list[PackageFacts]
    generator: str = ""


class EndLine(_Closed):
    """The last line: the number of lines of each kind before it."""

    kind: Literal["end"]
    tools: _Count
    credentials: _Count


class Port(_Closed):
    """One input or output."""

    kind: _Text
    name: str = ""
    required: bool = False
    max: _Count | None = None
    accepts: _Strings = []
    refuses: _Strings = []
    role: Literal["error"] = "error"


class PortRow(_Closed):
    """The ports for one combination of parameters."""

    when: _Object
    ports: list[Port]


class DependentPorts(_Closed):
    """Ports that depend on parameters."""

    source: str
    reads: _Strings = []
    table: list[PortRow] = []


class Parameter(_Open):
    """A parameter in the domain's own notation; all domains share only the name and the type."""

    name: str
    type: str


class CredentialParameter(_Open):
    """A parameter of a credential type, checked only for a name and a type."""

    name: Any
    type: Any


class CredentialUse(_Open):
    """A credential type that a variant takes."""

    name: str
    required: bool = False


class OperationLine(_Closed):
    """An operation of a tool, as preset parameters."""

    params: _Object
    name: str
    description: str = ""
    versions: list[float] = []


class RequestLine(_Closed):
    """An HTTP request that a tool is known to make."""

    path: _Text
    method: str = ""
    params: _Object = {}


class Variant(_Closed):
    """One implementation and the versions it serves."""

    versions: _Versions
    name: str = ""
    inputs: list[Port] | DependentPorts
    outputs: list[Port] | DependentPorts
    parameters: list[Parameter]
    operations: list[OperationLine] = []
    credentials: list[CredentialUse] = []
    traits: _Object = {}


class ToolLine(_Closed):
    """One tool with all its versions."""

    kind: Literal["tool"]
    id: Annotated[str, Field(min_length=1, max_length=300)]
    name: _Text
    aliases: _Strings = []
    keywords: _Strings = []
    description: str = ""
    category: str = ""
    family: str = ""
    capabilities: _Strings = []
    package: str = ""
    availability: Literal["installed", "excluded", "broken"] = "installed"
    is_generic: bool = False
    hidden: bool = False
    default_version: float | None = None
    version_introduced: str | None = None
    version_deprecated: str | None = None
    requires_license: str | None = None
    equivalent_to: _Strings = []
    replaced_by: _Strings = []
    is_a: _Strings = []
    part_of: _Strings = []
    hosts: _Strings = []
    requests: list[RequestLine] = []
    subcomponents: _Strings = []
    examples: list[_Object] = []
    variants: Annotated[list[Variant], Field(min_length=1)]


class CredentialLine(_Closed):
    """One credential type."""

    kind: Literal["credential"]
    id: _Text
    name: str
    extends: _Strings = []
    package: str = ""
    parameters: list[CredentialParameter] = []
    tools: _Strings = []
    traits: _Object = {}


AnyLine = HeaderLine | ToolLine | CredentialLine | EndLine
LINE: TypeAdapter[AnyLine] = TypeAdapter(Annotated[AnyLine, Field(discriminator="kind")])
KINDS = ("header", "tool", "credential", "end")
