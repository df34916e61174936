"""Lists the injected kinds of fault, which were fixed before any measurement.

n8n refuses, drops or fails on a hard fault whatever the data, so it must be an error at its place.
A soft fault lacks a value that only the user can supply, or fails on some data, so it must be
reported at its place. A diagnostic is at the place if its route equals or contains that of the
fault, or if it is in the node of the fault and names its key; for an edge, at its entry or at
either end.
"""

from __future__ import annotations

from dataclasses import dataclass

GROUPS = (
    "type",
    "version",
    "parameter",
    "edge",
    "credential",
    "expression",
    "structure",
    "document",
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault: what is changed, and the route that counts as its place."""

    name: str
    group: str
    hard: bool
    change: str
    place: str


def _hard(group: str, name: str, change: str, place: str) -> Kind:
    return Kind(name, group, True, change, place)


def _soft(group: str, name: str, change: str, place: str) -> Kind:
    return Kind(name, group, False, change, place)


_TYPE = "nodes/N/type"
_VERSION = "nodes/N/typeVersion"
_VALUE = "the value's route"
_EDGE = "the edge's entry, or either end"
_NODE = "the node"
_CODE = "the code's route"
_TEXT = "the expression's route"

KINDS: tuple[Kind, ...] = (
    _hard("type", "type-wrong-case", "a letter of the node's type changes case", _TYPE),
    _hard("type", "type-without-prefix", "the package's scope or `n8n-` is left out", _TYPE),
    _hard("type", "type-without-package", "only the short name remains", _TYPE),
    _hard("type", "type-invented", "a type that no package has", _TYPE),
    _hard("type", "type-misspelt", "two adjacent letters of the type are swapped", _TYPE),
    _hard("type", "type-operation-glued", "the operation is glued to the type", _TYPE),
    _hard("type", "type-unavailable", "a type that is excluded on this instance", _TYPE),
    _hard("type", "type-other-package", "the type is moved to another installed package", _TYPE),
    _hard("type", "type-invented-tool", "the Tool variant of a node that has none", _TYPE),
    _hard("type", "type-absent", "the node's type is left out", _NODE),
    _hard("version", "version-too-high", "a version above the newest", _VERSION),
    _hard("version", "version-in-gap", "a version between two that exist", _VERSION),
    _hard("version", "version-text", "the version as a text", _VERSION),
    _hard("version", "version-negative", "a version below zero", _VERSION),
    _soft("parameter", "required-absent", "a required value that is shown is left out", _VALUE),
    _soft("parameter", "required-empty", "a required value that is shown is emptied", _VALUE),
    _hard("parameter", "required-misspelt", "the name of a required value is misspelled", _VALUE),
    _hard("parameter", "optional-misspelt", "the name of an optional value is misspelled", _VALUE),
    _soft("parameter", "name-invented", "a parameter that the node does not have", _VALUE),
    _soft("parameter", "hidden-set", "a parameter of another operation is set", _VALUE),
    _hard("parameter", "object-for-text", "an object where a text belongs", _VALUE),
    _hard("parameter", "list-for-text", "a list where a text belongs", _VALUE),
    _hard("parameter", "object-for-number", "an object where a number belongs", _VALUE),
    _hard("parameter", "text-for-number", "a word where a number belongs", _VALUE),
    _hard("parameter", "boolean-for-number", "true where a number belongs", _VALUE),
    _hard("parameter", "object-for-boolean", "an object where a boolean belongs", _VALUE),
    _hard("parameter", "text-for-boolean", "a word where a boolean belongs", _VALUE),
    _soft("parameter", "number-for-boolean", "7 where a boolean belongs", _VALUE),
    _hard("parameter", "object-for-option", "an object where one of a list belongs", _VALUE),
    _hard("parameter", "option-unknown", "a value outside a closed list, core node", _VALUE),
    _hard("parameter", "option-unknown-langchain", "the same on a langchain node", _VALUE),
    _hard("parameter", "option-unknown-tool", "the same on a Tool variant", _VALUE),
    _hard("parameter", "option-unknown-nested", "the same inside a collection", _VALUE),
    _hard("parameter", "option-wrong-case", "a letter of a closed option changes case", _VALUE),
    _hard("parameter", "operation-unknown", "an operation that the resource lacks", _VALUE),
    _hard("parameter", "operation-of-other", "the operation of another resource", _VALUE),
    _hard("parameter", "resource-unknown", "a resource that the node lacks", _VALUE),
    _hard("parameter", "number-out-of-bounds", "a number below or above what is allowed", _VALUE),
    _hard("parameter", "date-unreadable", "a text that is no date", _VALUE),
    _hard("parameter", "json-broken", "JSON that does not parse", _VALUE),
    _hard("parameter", "colour-broken", "a text that is no colour", _VALUE),
    # Each is fixed, or left to the user as a value to choose.
    _soft("parameter", "locator-mode-unknown", "a mode that the locator lacks", _VALUE),
    _soft("parameter", "locator-pattern", "a value that its mode's pattern refuses", _VALUE),
    _soft("parameter", "locator-plain-text", "a plain text instead of a locator", _VALUE),
    _hard("parameter", "collection-as-text", "a text where a collection belongs", _VALUE),
    _hard("parameter", "collection-as-list", "a list where a collection belongs", _VALUE),
    _hard("parameter", "collection-child-unknown", "a child's name is misspelled", _VALUE),
    _hard("parameter", "groups-as-list", "a list where named groups belong", _VALUE),
    _hard("parameter", "group-as-object", "one object where a group's list belongs", _VALUE),
    _hard("parameter", "group-entry-as-text", "a text for an entry of a group's list", _VALUE),
    _hard("parameter", "group-unknown", "the name of a group is misspelled", _VALUE),
    _hard("parameter", "member-unknown", "a member outside a closed list of several", _VALUE),
    _hard("parameter", "members-as-object", "an object where a list of options belongs", _VALUE),
    _hard("parameter", "filter-operator", "an operator that the operand's type lacks", _VALUE),
    _hard("parameter", "filter-shape", "one object where the conditions' list belongs", _VALUE),
    _hard("parameter", "assignments-as-list", "a bare list of assignments", _VALUE),
    _soft("parameter", "assignment-type", "an assignment of a type that n8n lacks", _VALUE),
    _soft("parameter", "node-key-inside", "a setting of the node among its parameters", _VALUE),
    _hard("parameter", "parameter-outside", "a parameter next to `parameters`", "nodes/N/KEY"),
    _soft("parameter", "fixed-as-expression", "an expression where n8n takes none", _VALUE),
    _hard("edge", "edge-target-absent", "an edge to a node that does not exist", _EDGE),
    _hard("edge", "edge-source-absent", "edges from a node that does not exist", _EDGE),
    _hard("edge", "edge-main-as-ai", "a main edge between main nodes is given an AI kind", _EDGE),
    _hard("edge", "edge-ai-ends-at-main", "the target's type of an AI edge says main", _EDGE),
    _hard("edge", "edge-ai-other-kind", "an AI edge is given another AI kind", _EDGE),
    _hard("edge", "edge-ai-reversed", "an AI edge starts at the root", _EDGE),
    _hard("edge", "edge-input-index", "an input index that the target lacks", _EDGE),
    _hard("edge", "edge-input-negative", "an input index below zero", _EDGE),
    _hard("edge", "edge-output-index", "an output that the source lacks", _EDGE),
    _hard("edge", "edge-sub-node-on-main", "a sub-node connects by main", _EDGE),
    _hard("edge", "edge-into-trigger", "an edge leads into a trigger", _EDGE),
    _hard("edge", "edge-too-many-models", "a second model on an input for one", _EDGE),
    _hard("edge", "root-without-model", "the edge of the only model is removed", _EDGE),
    _hard("edge", "store-without-embedding", "the edge of the only embedding is removed", _EDGE),
    _hard("edge", "name-twice", "two nodes share a name", "either node's name"),
    _hard("credential", "credential-not-taken", "a known type that the node never takes", _VALUE),
    _hard("credential", "credential-unknown", "a credential type that does not exist", _VALUE),
    _soft("credential", "credential-of-other-mode", "the type of another mode alone", _NODE),
    _soft("credential", "credential-absent", "a required credential is removed", _NODE),
    _hard("expression", "reference-ghost", "`$('X')` of no node", _TEXT),
    _hard("expression", "reference-ghost-old", "`$node['X']` or `$items('X')` of no node", _TEXT),
    _hard("expression", "reference-ghost-in-code", "`$('X')` of no node in a Code node", _CODE),
    _hard("expression", "reference-downstream", "`$('X')` of a node that only runs later", _TEXT),
    _hard("expression", "syntax-in-braces", "a syntax error inside `{{ }}`", _TEXT),
    _hard("expression", "syntax-in-code", "a syntax error in JavaScript code", _CODE),
    _hard("expression", "syntax-in-python", "a syntax error in Python code", _CODE),
    _soft("expression", "equals-sign-absent", "the `=` before an expression is left out", _TEXT),
    _soft("expression", "braces-unclosed", "the braces of an expression stay open", _TEXT),
    _soft("expression", "date-method-unknown", "a method that dates do not have", _TEXT),
    _soft("expression", "variable-unknown", "a `$variable` that n8n does not have", _TEXT),
    _soft("structure", "from-ai-outside-tool", "`$fromAI` where no agent calls", _TEXT),
    _soft("structure", "trigger-absent", "the only trigger is removed", "nodes"),
    _hard("structure", "respond-without-webhook", "the webhook becomes a schedule", _NODE),
    _hard("structure", "webhook-without-respond", "the Respond node is removed", _NODE),
    _soft("structure", "tool-undescribed", "the description of a tool is emptied", _NODE),
    _soft("structure", "loop-never-returns", "the edge back into the loop is removed", _NODE),
    _soft("structure", "node-unreachable", "the edges into a node are removed", _NODE),
    _hard("document", "id-twice", "two nodes share an id", "either node's id"),
    _hard("document", "workflow-key", "a key next to `nodes` that n8n refuses", "the key"),
    _hard("document", "settings-key", "a key in `settings` that n8n refuses", "the key"),
    _hard("document", "node-as-text", "a text where a node belongs", "nodes/N"),
    _hard("document", "node-nameless", "a node without its name", _NODE),
    _hard("document", "parameters-as-list", "a list where parameters belong", "nodes/N/parameters"),
    _hard("document", "targets-flat", "the targets of an output without their list", _EDGE),
    _hard("document", "connections-as-list", "a list where connections belong", "connections"),
)

BY_NAME: dict[str, Kind] = {kind.name: kind for kind in KINDS}
