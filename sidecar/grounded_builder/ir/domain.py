"""Defines what a domain provides to the core, as callables, and calls the optional ones."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from grounded_builder.catalog.name_index import id_head
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import Operation, ToolRow
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.ir.bundled_libraries import BundledLibraries, ExtendRegistry
from grounded_builder.ir.editor import Editor
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph
from grounded_builder.ir.intent import Meaning
from grounded_builder.ir.lowering import Lowered, StepResolution
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.resolution import NameContext, Resolution
from grounded_builder.ir.target import Exclusion, TargetOption

_HEADER_BYTES = 4_096
_HEADER = b'"kind":"header"'


@dataclass(frozen=True, slots=True)
class Reading:
    """The graph that a domain reads from a document; without a graph, compilation stops."""

    graph: Graph | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The content of a file in a domain's own format; ``document`` is None if it is broken."""

    document: Any
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """A phrase (a regular expression) that refers to a tool without naming it."""

    pattern: str
    tool: str
    starts: bool = False


@dataclass(frozen=True, slots=True)
class OperationCue:
    """A phrase without which a request does not mean an operation."""

    pattern: re.Pattern[str]
    operation: str


@dataclass(frozen=True, slots=True)
class ReadPhrase:
    """A phrase (a regular expression) that refers to one tool only.

    Every word that the pattern covers counts as read. ``params`` are the parameters of the tool,
    ``presets`` those that it needs of earlier tools, by their ids. With ``starts`` the tool is a
    trigger.
    """

    pattern: str
    tool: str
    starts: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


# (reading, draft, registry) -> clauses; the types belong to the keyword planner, above this module.
KeywordPlan = Callable[[Any, Any, Registry], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class NativeForm:
    """The form of native documents for drafters: a rule for prompts, and the JSON Schema of a
    document with these tools.
    """

    rule: str
    schema: Callable[[Sequence[str]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PromptingFacts:
    """The facts that a domain adds to prompts and to the keyword planner.

    ``rules`` are lines for prompts. ``default_trigger`` is the trigger if the request names none.
    ``always_shown_tools`` are listed in every prompt. ``parameter_outline`` returns the important
    parameters of a compiled tool with presets, ``full_outline`` all of them,
    ``short_outline`` those to show of a tool that a request hardly suggests.
    ``accepted_sub_nodes`` and ``required_sub_nodes``
    return the kinds of sub-node that a tool can have and must have, ``sub_node_kinds`` the kinds
    that it is itself. ``parameters_for`` returns a part of a request as parameters, none if the
    tool has no such parameter. ``trigger_of_step`` has the triggers that certain first steps
    require. ``fallback`` is the tool that can call any service. ``read_phrases`` are those of the
    keyword planner. ``trigger_events`` returns the events
    of a trigger's variant as operations, ``event_fields`` which fields a compiled trigger outputs,
    "" if any. ``default_parameters`` returns the parameters of a
    compiled tool when none is set. ``text_output_fields`` has the field in which a tool returns
    text, if it is always the same. ``missing_input`` returns what a compiled tool with these
    parameters needs before it does anything, "" for nothing. ``runs_code`` returns whether a tool
    runs code that is written into it. ``keyword_plan`` reads a request into a draft for the keyword
    planner and returns its clauses; without it the planner reads clause by clause.
    ``count_uses`` returns how often people use an operation of a tool, which orders operations.
    ``operation_cues`` are the phrases for operations that only certain requests mean.
    ``hints`` are phrases that list a tool although a request with them may need another.
    ``usual_tools`` returns tools that prompts name beside those that a request suggests, for the
    tools that these are.
    ``variant_for_agents`` returns the id of the variant of a tool that agents call, "" without one.
    ``native_form`` describes native documents where drafters may write them in place of plans,
    ``expectations`` how drafts state what their runs have to show.
    Callables are None if a domain has no such part.
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
    full_outline: Callable[[Any, Mapping[str, Any]], str] | None = None
    short_outline: Callable[[Any, Mapping[str, Any]], str] | None = None
    operation_cues: tuple[OperationCue, ...] = ()
    hints: tuple[PhraseRule, ...] = ()
    trigger_of_step: Mapping[str, str] = field(default_factory=dict)
    read_phrases: tuple[ReadPhrase, ...] = ()
    trigger_events: Callable[[Mapping[str, Any]], Iterable[Operation]] | None = None
    event_fields: Callable[[Any], str] | None = None
    default_parameters: Callable[[Any], Mapping[str, Any]] | None = None
    text_output_fields: Mapping[str, str] = field(default_factory=dict)
    missing_input: Callable[[Any, Mapping[str, Any]], str] | None = None
    runs_code: Callable[[Mapping[str, Any]], bool] | None = None
    keyword_plan: KeywordPlan | None = None
    count_uses: Callable[[str, Mapping[str, Any]], int] | None = None
    usual_tools: Callable[[Registry, Iterable[str]], Iterable[str]] | None = None
    variant_for_agents: Callable[[str, Registry], str] | None = None
    native_form: NativeForm | None = None
    expectations: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A text that a person wrote at a node, or about the whole document at route ``()``.

    ``at`` is the node's route, ``node`` its name.
    """

    at: Route
    text: str
    node: str | None = None


@dataclass(frozen=True, slots=True)
class Embedded:
    """A document inside a document, in the parameter of a node.

    ``at`` is the route of the parameter, ``node`` the name of its node. With ``is_text`` the
    document is the content of a text. With ``runs`` the node runs it, otherwise it is data.
    """

    at: Route
    node: str
    document: Any
    is_text: bool
    runs: bool


@dataclass(frozen=True, slots=True)
class Recognition:
    """The tools that have everything a node has, likeliest first; ``is_sure`` if only one fits.

    ``because`` is the feature that sets the first apart, ``mention_count`` the number of texts that
    name it.
    """

    tools: tuple[str, ...]
    is_sure: bool
    because: str = ""
    mention_count: int = 0


Recognise = Callable[[Node, Graph, Registry, Sequence[str]], Recognition | None]
Check = Callable[[ResolvedGraph, Registry, CompileOptions], Iterable[Diagnostic]]
# (expectations, node by each name that a draft may use, None before there is one) -> (the
# expectations with the names of nodes, what is wrong with the others)
CheckExpectations = Callable[
    [Any, Mapping[str, str] | None], tuple[tuple[Mapping[str, Any], ...], tuple[Diagnostic, ...]]
]
Resolve = Callable[[str, Registry, NameContext | None], Resolution]


@dataclass(frozen=True, slots=True)
class ReadingPart:
    """How a domain reads documents, and the names of the parts of a document."""

    read: Callable[[Any], Reading]
    """Turns a JSON value into a graph; the result has no graph where it is no such document."""

    document_hint: str
    """What a document is called in messages, with its article."""

    suffixes: tuple[str, ...] = (".json",)
    """The suffixes of files with documents."""

    tool_route: str = "tool"
    """The key of a node that names its tool."""

    params_route: tuple[str, ...] = ("params",)
    """The keys from a node to its parameters."""

    version_route: str = "version"
    """The key of a node for the version of its tool."""

    plan_keys: frozenset[str] = frozenset()
    """The looser places of steps and parameters in plans; "" is a bare list."""

    file_keys: frozenset[str] = frozenset()
    """The keys of steps that keep what a file states; a plan is compiled without them."""

    model_keys: frozenset[str] = frozenset()
    """The keys of a plan's ``model`` that keep what a file states, besides ``settings``."""

    step_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The settings that a step can state beside its parameters, each with the JSON Schema of its
    value.
    """

    plan_settings: tuple[str, ...] = ()
    """The settings of a whole document, which a plan can also state beside its steps."""

    ids_are_exact: Callable[[Node, Graph], bool] | None = None
    """Whether a program wrote the tool's id of a node, which then is no other name for a tool.

    None where documents may name any tool as people call it.
    """

    open_native: Callable[[bytes, str], OpenedFile | None] | None = None
    """Opens bytes in the domain's own format, with the name of the file or an empty text.

    Returns None for all other formats, which are read as JSON.
    """

    comments: Callable[[Any], Iterable[Comment]] | None = None
    """Finds what people wrote into a document."""

    libraries_near: Callable[[Iterable[Path]], ExtendRegistry | None] | None = None
    """Makes, of the files around documents, what adds their tools to a registry; None of others."""

    bundled_libraries: Callable[[Mapping[str, bytes]], BundledLibraries] | None = None
    """Makes the same of files that come with a document, by their names."""


@dataclass(frozen=True, slots=True)
class ResolvingPart:
    """How a domain finds the tool of a name or a node, and reads its catalogs."""

    resolve: Resolve
    """Returns which tool a name in a draft is, within what the context states."""

    compile_tool: Callable[[Mapping[str, Any], float], Any]
    """Turns a catalog entry at a version into the domain's own compact form."""

    core_packages: frozenset[str] = frozenset()
    """The packages whose tools are all known, whatever the catalog's origin."""

    package_of: Callable[[str], str] = id_head
    """Reads the package off a tool's id."""

    recognise: Recognise | None = None
    """Finds the tool of a node, among some or all, by what the node carries; None where unclear."""

    builtin: Callable[[], bytes] | None = None
    """Returns the catalog file that is used if none is loaded."""

    convert_catalog: Callable[[bytes], bytes | None] | None = None
    """Makes a catalog file of the form in which tools are published; None of anything else.

    CatalogError where such a list is faulty.
    """

    convert_tool: Callable[[Any], Mapping[str, Any]] | None = None
    """Makes a catalog line of one tool in the form in which tools are described.

    CatalogError where the tool is faulty.
    """

    parameter_names: Callable[[Any], Container[str]] | None = None
    """Returns the names of the parameters of a compiled tool."""

    contradictions: Callable[[Mapping[str, Any]], Iterable[str]] | None = None
    """Finds what a catalog entry states against itself, line by line."""

    target_options: tuple[TargetOption, ...] = ()
    """What can be stated of the installation that artifacts are made for.

    ``Policy``, ``Step`` and ``NameContext`` carry the values; no two domains have an option of the
    same name.
    """

    exclusions: tuple[Exclusion, ...] = ()
    """The constraints by which a request excludes tools, beyond those of all domains."""

    same_tool: Callable[[ToolRow], Iterable[str]] | None = None
    """Returns the ids of the tools that a tool is another spelling of: to allow one allows both."""

    unavailable_reason: Callable[[str, Registry, NameContext], str] | None = None
    """Returns why a context leaves a tool out, an empty text where it does not."""

    summary_facts: Callable[[str, Registry], Mapping[str, Any]] | None = None
    """Returns what the summary of a tool states beyond its operations and parameters."""

    replacements: Callable[[str, Registry, NameContext], Sequence[str]] | None = None
    """Returns the tools that do the work of a tool and that the context leaves, best first."""


@dataclass(frozen=True, slots=True)
class CheckingPart:
    """The checks of a domain on a resolved graph."""

    checks: tuple[Check, ...]
    """The checks in the order in which they run."""

    embedded: Callable[[ResolvedGraph], Iterable[Embedded]] | None = None
    """Finds the documents inside a document."""

    missing_editor_fields: (
        Callable[[ResolvedGraph, CompileOptions], Iterable[Diagnostic]] | None
    ) = None
    """Finds what nodes lack by which editors know them, with the fix that fills it in."""

    expectations: CheckExpectations | None = None
    """Checks what a draft expects of its runs; None where nothing judges it."""

    forward_reference_is_wrong: bool = False
    """Whether a step may depend on earlier steps only."""

    self_loop_is_wrong: bool = True
    """Whether a step must not depend on itself; where False the domain's checks judge that."""

    remembers_nodes: bool = False
    """Whether nodes follow from their place and source alone.

    What passes keep in the memo of a node is then good for the same node in other drafts.
    """


@dataclass(frozen=True, slots=True)
class BuildingPart:
    """How a domain writes documents and artifacts."""

    build: Callable[[ResolvedGraph, CompileOptions], Mapping[str, Any]]
    """Makes the artifact of a graph without errors."""

    lower: Callable[[Plan, tuple[StepResolution, ...], Registry, CompileOptions], Lowered]
    """Makes a native document of a plan and the tools of its steps."""

    reads_stated_keys: bool = False
    """Whether ``lower`` reads what steps state beside their parameters."""

    annotate: Callable[[Mapping[str, Any], Sequence[str]], Mapping[str, Any]] | None = None
    """Writes open points into an artifact for people; None where it has no place for them."""

    update_notes: Callable[[Any, Sequence[str]], Any] | None = None
    """Brings the open points in an edited document up to date; None where it has none."""

    draw: Callable[[Any, str | None], str] | None = None
    """Makes an SVG picture of a document that reads without fault, or of the part at a path.

    KeyError names a part that does not exist.
    """


@dataclass(frozen=True, slots=True)
class Domain:
    """One kind of automation graph, as the core sees it.

    A part that a domain lacks is None, here and within the parts.
    """

    name: str
    reading: ReadingPart
    resolving: ResolvingPart
    checking: CheckingPart
    building: BuildingPart
    prompting: PromptingFacts
    editing: Editor | None = None


def open_native_file(raw: bytes, name: str, domain: Domain) -> OpenedFile | None:
    """Returns the content of bytes in the domain's own format, None for any other format."""
    open_native = domain.reading.open_native
    return None if open_native is None else open_native(raw, name)


def find_comments(document: Any, domain: Domain) -> tuple[Comment, ...]:
    """Returns the comments in a document, none if the domain has no comments."""
    comments = domain.reading.comments
    return () if comments is None else tuple(comments(document))


def find_extension(files: Iterable[Path], domain: Domain) -> ExtendRegistry | None:
    """Returns a callable that adds the tools in files around documents, None if there is none."""
    libraries_near = domain.reading.libraries_near
    return None if libraries_near is None else libraries_near(files)


def convert_catalog(source: BinaryIO, domain: Domain) -> BinaryIO:
    """Returns a catalog file, converted if it is in the form in which tools are published.

    Raises CatalogError if the published list is invalid.
    """
    beginning = source.read(_HEADER_BYTES)
    source.seek(0)
    convert = domain.resolving.convert_catalog
    if convert is None or _HEADER in beginning.split(b"\n", 1)[0].replace(b" ", b""):
        return source
    converted = convert(source.read())
    source.seek(0)
    return source if converted is None else io.BytesIO(converted)


def convert_tool(document: Mapping[str, Any], domain: Domain) -> Mapping[str, Any]:
    """Returns one tool as a catalog line, converted if it is not one already.

    Raises CatalogError if the tool is invalid.
    """
    convert = domain.resolving.convert_tool
    return document if convert is None or "variants" in document else convert(document)
