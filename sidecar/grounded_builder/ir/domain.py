"""The seam to a domain: a frozen value of callables, nothing to inherit from."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from grounded_builder.catalog.name_index import head
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import Operation
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.ir.bundled_libraries import (
    BundledLibraries,
    ExtendRegistry,
    no_libraries_near,
)
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph
from grounded_builder.ir.intent import Meaning
from grounded_builder.ir.lowering import Lowered, StepResolution
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.resolution import NameContext, Resolution

_BEGINNING = 4_096
_HEADER = b'"kind":"header"'


@dataclass(frozen=True, slots=True)
class Reading:
    """What a domain read out of a document; without a graph nothing can follow."""

    graph: Graph | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """What a file in a domain's own format holds; ``document`` is None where it is broken."""

    document: Any
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """A phrase (a regular expression) by which people mean a tool without naming it."""

    pattern: str
    tool: str
    starts: bool = False


def runs_no_code(tool: Mapping[str, Any]) -> bool:
    """A domain without tools that run code."""
    del tool
    return False


@dataclass(frozen=True, slots=True)
class ReadPhrase:
    """A phrase (a regular expression) that stands for one tool and nothing else.

    Every word that the pattern covers counts as read. ``params`` are those of the tool, ``presets``
    those that it needs of earlier tools, by their ids. With ``starts`` the tool starts a graph.
    """

    pattern: str
    tool: str
    starts: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def no_events(variant: Mapping[str, Any]) -> Iterable[Operation]:
    """Returns nothing: a domain whose triggers have no events to choose."""
    del variant
    return ()


def no_defaults(spec: Any) -> Mapping[str, Any]:
    """Returns nothing: a domain whose tools have no operation by default."""
    del spec
    return {}


def no_missing_input(spec: Any, params: Mapping[str, Any]) -> str:
    """A domain whose tools all do something as they are."""
    del spec, params
    return ""


@dataclass(frozen=True, slots=True)
class PromptingFacts:
    """What the domain tells drafters beyond its catalog.

    ``rules`` are lines for prompts; ``default_trigger`` is the tool that starts a graph when the
    request names none; ``always_shown_tools`` are always among the tools shown;
    ``parameter_outline`` lists the parameters that matter of a compiled tool with presets;
    ``accepted_sub_nodes`` and ``required_sub_nodes`` list the kinds of sub-node that it can have
    and must have, ``sub_node_kinds`` those that it is; ``parameters_for`` writes what a request
    says as parameters, none where there is no place; ``trigger_of_step`` are the tools that start a
    graph whose first step is a certain one; ``fallback`` is the tool that can call any service,
    where none of its own is there; ``read_phrases`` are those that the keyword planner reads,
    ``branch_tool`` is the tool that parts the ways by a condition, ``trigger_events`` lists the
    events of a trigger's variant as operations, ``default_parameters`` are those that a compiled
    tool has when nothing is set;
    ``text_output_fields`` are the fields in which tools give a text, where it is always the same;
    ``missing_input`` names what a compiled tool with these parameters lacks to do anything, empty
    where nothing; ``runs_code`` says of a catalog entry whether it runs code that is written into
    it.
    """

    rules: tuple[str, ...]
    default_trigger: str
    always_shown_tools: tuple[str, ...]
    phrases: tuple[PhraseRule, ...]
    parameter_outline: Callable[[Any, Mapping[str, Any]], str]
    accepted_sub_nodes: Callable[[Any, Mapping[str, Any]], tuple[str, ...]]
    required_sub_nodes: Callable[[Any, Mapping[str, Any]], tuple[str, ...]]
    sub_node_kinds: Callable[[Any, Mapping[str, Any]], tuple[str, ...]]
    parameters_for: Callable[[Any, Mapping[str, Any], Meaning], Mapping[str, Any]]
    fallback: str = ""
    trigger_of_step: Mapping[str, str] = field(default_factory=dict)
    read_phrases: tuple[ReadPhrase, ...] = ()
    branch_tool: str = ""
    trigger_events: Callable[[Mapping[str, Any]], Iterable[Operation]] = no_events
    default_parameters: Callable[[Any], Mapping[str, Any]] = no_defaults
    text_output_fields: Mapping[str, str] = field(default_factory=dict)
    missing_input: Callable[[Any, Mapping[str, Any]], str] = no_missing_input
    runs_code: Callable[[Mapping[str, Any]], bool] = runs_no_code


@dataclass(frozen=True, slots=True)
class Comment:
    """A text that a person wrote beside a node, or about the whole document at route ``()``.

    ``at`` is the node's route, ``node`` its name.
    """

    at: Route
    text: str
    node: str | None = None


@dataclass(frozen=True, slots=True)
class Embedded:
    """A document inside a document, in the parameter of a node.

    ``at`` is the route of the parameter, ``node`` the name of its node; the document was read out
    of a text where ``is_text``. With ``runs`` the node runs it, else it is data.
    """

    at: Route
    node: str
    document: Any
    is_text: bool
    runs: bool


def nothing_embedded(resolved: ResolvedGraph) -> Iterable[Embedded]:
    """A domain whose documents hold no others."""
    del resolved
    return ()


def no_native_file(raw: bytes, name: str) -> OpenedFile | None:
    """A domain whose documents are JSON."""
    del raw, name
    return None


def no_exact_ids(node: Node, graph: Graph) -> bool:
    """A domain whose documents may name any tool as people call it."""
    del node, graph
    return False


def no_comments(document: Any) -> Iterable[Comment]:
    """A document of a domain without a place for comments has none."""
    del document
    return ()


@dataclass(frozen=True, slots=True)
class Recognition:
    """The tools that take all a node carries, likeliest first; ``sure`` when one alone is meant.

    ``because`` says what tells the first apart; ``spoken`` counts the texts that name it.
    """

    tools: tuple[str, ...]
    sure: bool
    because: str = ""
    spoken: int = 0


def always_available(tool: str, registry: Registry, context: NameContext) -> str:
    """A domain whose tools do not hang on releases, products and licences."""
    del tool, registry, context
    return ""


def no_replacements(tool: str, registry: Registry, context: NameContext) -> Sequence[str]:
    """A domain in which nothing is known to stand in for a tool."""
    del tool, registry, context
    return ()


Recognise = Callable[[Node, Graph, Registry, Sequence[str]], Recognition | None]


def no_contradictions(tool: Mapping[str, Any]) -> Iterable[str]:
    """A domain that finds nothing in a catalog entry that contradicts itself."""
    del tool
    return ()


def no_recognition(
    node: Node, graph: Graph, registry: Registry, among: Sequence[str] = ()
) -> Recognition | None:
    """A domain that tells no tool by what a node carries."""
    del node, graph, registry, among
    return None


def no_missing_editor_fields(
    resolved: ResolvedGraph, setting: CompileOptions
) -> Iterable[Diagnostic]:
    """A domain whose nodes lack nothing that a program could write."""
    del resolved, setting
    return ()


def no_conversion(raw: bytes) -> bytes | None:
    """A domain whose catalogs come in the one file format only."""
    del raw
    return None


# (reading, draft, registry) -> clauses; the types belong to the keyword planner, above this module.
KeywordPlan = Callable[[Any, Any, Registry], Sequence[Any]]
Check = Callable[[ResolvedGraph, Registry, CompileOptions], Iterable[Diagnostic]]
Resolve = Callable[[str, Registry, NameContext | None], Resolution]


@dataclass(frozen=True, slots=True)
class Domain:
    """One kind of automation graph.

    ``read`` turns a JSON value into a graph, ``compile_tool`` a catalog entry at a version into the
    domain's own compact form, ``checks`` run in order over the resolved graph, ``build`` makes the
    artifact of a graph that is not wrong, ``lower`` makes a native document of a plan. With
    ``forward_reference_is_wrong`` a step may depend on earlier steps only; without
    ``self_loop_is_wrong`` the domain judges steps that depend on themselves. ``annotate`` writes
    open points into an artifact for people. ``comments`` finds what people wrote into a document,
    ``embedded`` the documents inside one. ``open_native`` opens bytes in the domain's own format,
    None for all others, which are read as JSON; it may be given the name of the file. ``suffixes``
    are those of files that hold documents. ``draw`` makes an SVG picture of a document that was
    read without fault, or of the part at a path; KeyError names one that is not there.
    ``missing_editor_fields`` finds what nodes lack by which editors know them, with the fix that
    fills it in. ``recognise`` tells a node's tool, among some or all, by what the node carries.
    ``contradictions`` says, line by line, what a catalog entry says against itself.
    ``core_packages`` are those whose tools are all known whatever the catalog's origin;
    ``package_of`` reads the package off a tool's id. ``builtin`` gives the catalog file that ships
    for whoever has loaded none. ``keyword_plan`` reads a request of the
    keyword planner into a draft and returns its clauses; without it the request is read clause by
    clause. ``resolve`` tells which tool a name in a
    draft is; of a node whose tool is ``ids_are_exact`` a program wrote the id, and what the catalog
    does not have is no other name for what it has. ``libraries_near`` makes, of the files that lie
    around documents, what widens a registry by the tools that a document names and they hold; None
    where they never hold any. ``bundled_libraries`` does so of files that come with a document, by
    their names. ``unavailable_reason`` says why release, products or library of a question leave a
    tool out, and nothing where they do not; ``replacements`` are the tools that do its work and
    that they leave. ``convert_catalog`` makes a catalog file of what tools are published as, None
    of anything else. ``plan_keys`` are the looser places of steps and parameters that this domain's
    plans are written with; "" is a bare list. With ``remembers_nodes`` nodes follow from their
    place and source, and what passes keep in the memo of one is good for its like in other drafts.
    """

    name: str
    document_hint: str
    core_packages: frozenset[str]
    read: Callable[[Any], Reading]
    compile_tool: Callable[[Mapping[str, Any], float], Any]
    checks: tuple[Check, ...]
    build: Callable[[ResolvedGraph, CompileOptions], Mapping[str, Any]]
    lower: Callable[[Plan, tuple[StepResolution, ...], Registry, CompileOptions], Lowered]
    annotate: Callable[[Mapping[str, Any], Sequence[str]], Mapping[str, Any]]
    prompting: PromptingFacts
    resolve: Resolve
    comments: Callable[[Any], Iterable[Comment]] = no_comments
    embedded: Callable[[ResolvedGraph], Iterable[Embedded]] = nothing_embedded
    open_native: Callable[[bytes, str], OpenedFile | None] = no_native_file
    suffixes: tuple[str, ...] = (".json",)
    draw: Callable[[Any, str | None], str] | None = None
    recognise: Recognise = no_recognition
    missing_editor_fields: Callable[[ResolvedGraph, CompileOptions], Iterable[Diagnostic]] = (
        no_missing_editor_fields
    )
    contradictions: Callable[[Mapping[str, Any]], Iterable[str]] = no_contradictions
    ids_are_exact: Callable[[Node, Graph], bool] = no_exact_ids
    package_of: Callable[[str], str] = head
    builtin: Callable[[], bytes] | None = None
    keyword_plan: KeywordPlan | None = None
    libraries_near: Callable[[Iterable[Path]], ExtendRegistry | None] = no_libraries_near
    bundled_libraries: Callable[[Mapping[str, bytes]], BundledLibraries] | None = None
    unavailable_reason: Callable[[str, Registry, NameContext], str] = always_available
    replacements: Callable[[str, Registry, NameContext], Sequence[str]] = no_replacements
    convert_catalog: Callable[[bytes], bytes | None] = no_conversion
    plan_keys: frozenset[str] = frozenset()
    forward_reference_is_wrong: bool = False
    self_loop_is_wrong: bool = True
    remembers_nodes: bool = False
    tool_route: str = "tool"
    params_route: tuple[str, ...] = ("params",)
    version_route: str = "version"


def catalog_of(source: BinaryIO, domain: Domain) -> BinaryIO:
    """A catalog file, or the one that a domain makes of what its tools are published as.

    CatalogError where such a list is faulty.
    """
    begin = source.read(_BEGINNING)
    source.seek(0)
    if domain.convert_catalog is no_conversion or _HEADER in begin.split(b"\n", 1)[0].replace(
        b" ", b""
    ):
        return source
    adopted = domain.convert_catalog(source.read())
    source.seek(0)
    return source if adopted is None else io.BytesIO(adopted)
