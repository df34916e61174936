"""Lists the kinds of fault with a single possible repair, fixed before any measurement.

A fault is mechanical if exactly one workflow can be intended: repair restores it, or leaves and
reports the fault. Kinds that evals/faults also injects are shared with it; kinds that are ambiguous
there are restricted here to unambiguous cases.
"""

from __future__ import annotations

from dataclasses import dataclass

GROUPS = ("type", "version", "name", "option", "shape", "value", "expression", "edge", "document")


@dataclass(frozen=True, slots=True)
class Mechanical:
    """One kind of fault: its change to a sound workflow, and whether evals/faults shares it."""

    name: str
    group: str
    change: str
    shared: bool


def _make_shared(group: str, name: str, change: str) -> Mechanical:
    return Mechanical(name, group, change, True)


def _make_own(group: str, name: str, change: str) -> Mechanical:
    return Mechanical(name, group, change, False)


MECHANICAL: tuple[Mechanical, ...] = (
    _make_shared("type", "type-wrong-case", "a letter of the type changes case"),
    _make_shared("type", "type-without-prefix", "the package's scope or `n8n-` is left out"),
    _make_shared("type", "type-without-package", "only the short name of the type remains"),
    _make_shared("type", "type-misspelt", "two adjacent letters of the type are swapped"),
    _make_shared("type", "type-other-package", "the type is moved to another installed package"),
    _make_own("type", "type-operation-glued", "the operation moves into the type (`gmailSend`)"),
    _make_own(
        "version", "version-above-newest", "the newest version becomes one that does not exist yet"
    ),
    _make_shared("version", "version-text", "the version as a text"),
    _make_shared("name", "required-misspelt", "the name of a required value is misspelled"),
    _make_shared("name", "optional-misspelt", "the name of an optional value is misspelled"),
    _make_shared(
        "name", "collection-child-unknown", "the name of a collection's child is misspelled"
    ),
    _make_shared("name", "group-unknown", "the name of a group is misspelled"),
    _make_own("name", "name-snake-case", "`pageSize` becomes `page_size`"),
    _make_own("name", "name-kebab-case", "`pageSize` becomes `page-size`"),
    _make_own("name", "name-spaced", "`pageSize` becomes `Page Size`"),
    _make_own("name", "name-as-label", "a parameter is named by its label"),
    _make_own("name", "node-key-inside", "a setting of the node moves into its parameters"),
    _make_shared("name", "parameter-outside", "a parameter next to `parameters`"),
    _make_shared("option", "option-wrong-case", "a letter of an option changes case"),
    _make_own(
        "option", "option-misspelt", "an option is misspelled, but resembles no other option"
    ),
    _make_own("option", "option-as-label", "an option is named by its label"),
    _make_own("option", "operator-near", "a filter's operator has a similar name"),
    _make_own("option", "operator-old", "a filter's operator has its name of older versions"),
    _make_own("shape", "collection-in-list", "a collection is wrapped in a list"),
    _make_own("shape", "group-as-object", "one object where the group's list of one belongs"),
    _make_own("shape", "group-as-list", "a list of one where the group's object belongs"),
    _make_own("shape", "groups-unwrapped", "the entries of the only group replace the collection"),
    _make_own(
        "shape", "entry-unwrapped", "the only entry of the only group replaces the collection"
    ),
    _make_shared("shape", "assignments-as-list", "a bare list of assignments"),
    _make_own(
        "shape", "assignments-old-keys", "`assignments` becomes `values.string[]` of version 2"
    ),
    _make_own("shape", "values-new-keys", "`values.string[]` of version 2 becomes `assignments`"),
    _make_own("shape", "filter-of-one", "the only condition of a filter replaces the list"),
    _make_own(
        "shape", "filter-old-keys", "a filter becomes the `conditions.string[]` of version 1"
    ),
    _make_own("shape", "locator-plain", "the value of a locator replaces the locator"),
    _make_own("shape", "locator-without-mode", "the mode `id` of a locator is left out"),
    _make_own("shape", "member-bare", "the only member of a list of options replaces the list"),
    _make_own("value", "number-as-text", "`5` becomes `'5'`"),
    _make_own("value", "boolean-as-text", "`true` becomes `'true'`"),
    _make_own("value", "flag-as-text", "a setting of the node becomes `'true'`"),
    _make_own("value", "operand-as-text", "a number that a filter compares becomes a text"),
    _make_own("value", "required-of-one", "a required value with one possible option is left out"),
    _make_own(
        "expression", "equals-sign-lost", "the `=` before a value that is one expression is lost"
    ),
    _make_own("expression", "reference-recased", "`$('Name')` in another case than the node's"),
    _make_shared("edge", "edge-ai-ends-at-main", "the target's type of an AI edge says main"),
    _make_shared("edge", "edge-ai-reversed", "an AI edge starts at the root"),
    _make_shared("edge", "edge-sub-node-on-main", "a sub-node connects by main"),
    _make_own("edge", "edge-from-root-on-main", "a sub-node is connected from its root by main"),
    _make_own("edge", "edge-ai-unindexed", "the index of an AI edge is left out"),
    _make_own("edge", "edge-untyped", "the type of an edge's target is left out"),
    _make_shared("edge", "edge-input-negative", "an input index below zero"),
    _make_own("edge", "edge-beyond-only-input", "an index beyond the only input"),
    _make_own("edge", "target-by-id", "edges lead to a node by its id"),
    _make_own("edge", "source-by-id", "edges leave a node by its id"),
    _make_own("edge", "target-bare", "an edge is only the name of its target"),
    _make_own("edge", "edge-twice", "an edge is drawn a second time"),
    _make_own("edge", "target-flat", "the only target of the only output without its list"),
    _make_own("document", "name-of-note", "a note shares the name of a node"),
    _make_own(
        "document", "name-implied-by-edges", "two nodes share a name; edges still use the lost one"
    ),
    _make_shared("document", "id-twice", "two nodes share an id"),
    _make_own("document", "ids-absent", "the nodes have no ids"),
    _make_own("document", "positions-absent", "the nodes have no positions"),
    _make_own("document", "webhook-id-absent", "a webhook has no webhookId"),
    _make_shared("document", "workflow-key", "a key next to `nodes` that n8n refuses"),
    _make_shared("document", "settings-key", "a key in `settings` that n8n refuses"),
)
