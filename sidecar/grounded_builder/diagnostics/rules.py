"""The table of rules: every diagnostic the product can emit is one line here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]
Kind = Literal["wrong", "incomplete", "advice"]
Stage = Literal["parse", "resolve", "check", "build", "import", "run"]

_STAGE_BY_DIGIT: dict[str, Stage] = {
    "1": "parse",
    "2": "resolve",
    "3": "check",
    "4": "build",
    "5": "import",
    "6": "run",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its code never changes meaning and is never reused.

    ``kind`` says what a finding does to the verdict; ``error_type`` is the plain
    name of the field for the short form of a report.
    """

    code: str
    name: str
    summary: str
    severity: Severity
    kind: Kind
    error_type: str
    since: str = "0.1.0"

    @property
    def stage(self) -> Stage:
        """The pipeline stage, read off the first digit of the code."""
        return _STAGE_BY_DIGIT[self.code[-3]]


def _wrong(code: str, name: str, error_type: str, summary: str) -> Rule:
    return Rule(code, name, summary, "error", "wrong", error_type)


def _incomplete(code: str, name: str, error_type: str, summary: str) -> Rule:
    return Rule(code, name, summary, "warning", "incomplete", error_type)


def _advice(code: str, name: str, error_type: str, summary: str) -> Rule:
    return Rule(code, name, summary, "warning", "advice", error_type)


def _info(code: str, name: str, summary: str) -> Rule:
    return Rule(code, name, summary, "info", "advice", "Note")


RULES: tuple[Rule, ...] = (
    # GB1: reading a draft
    _wrong("GB101", "no-document", "ParseError", "The draft holds no JSON document."),
    _info("GB102", "repaired-json", "The draft's JSON was slightly broken and has been mended."),
    _info("GB103", "document-in-text", "The document was taken out of surrounding text."),
    _wrong("GB104", "too-large", "ParseError", "The draft is larger than the limit."),
    _wrong("GB105", "too-deep", "ParseError", "The draft is nested deeper than the limit."),
    _wrong("GB106", "wrong-document", "ParseError", "The document is not of the domain's shape."),
    _info("GB110", "loose-shape", "The plan was written loosely and read as meant."),
    _wrong("GB111", "malformed-step", "ParseError", "A step of the plan is not in shape."),
    _wrong("GB112", "duplicate-step", "DuplicateName", "Two steps share one id."),
    _advice("GB113", "unused-ignore", "Note", "An ignore comment hides nothing."),
    _advice("GB114", "unknown-rule", "Note", "An ignore comment names no rule."),
    _wrong("GB115", "immense-number", "ParseError", "A number is beyond what JSON readers hold."),
    # GB2: resolving names
    _wrong("GB201", "unknown-tool", "UnknownTool", "No tool of this name is in the catalog."),
    _wrong("GB202", "ambiguous-tool", "AmbiguousTool", "Several tools answer to this name."),
    _wrong("GB203", "near-miss-name", "UnknownTool", "The name is not exact; one tool is meant."),
    _wrong("GB204", "unavailable-tool", "UnavailableTool", "The tool exists but not here."),
    _wrong(
        "GB205", "unsupported-version", "UnsupportedVersion", "The tool has no such version here."
    ),
    _advice(
        "GB206", "unverified-tool", "UnverifiedTool", "The catalog cannot say if this tool exists."
    ),
    _wrong("GB207", "missing-tool", "UnknownTool", "A node names no tool."),
    # GB3: checking what was resolved
    _incomplete("GB301", "missing-parameter", "MissingParameter", "A required value is absent."),
    _wrong("GB302", "misnamed-parameter", "UnknownParameter", "A parameter has a near-miss name."),
    _advice("GB303", "unknown-parameter", "UnknownParameter", "The tool has no such parameter."),
    _wrong("GB304", "type-mismatch", "TypeMismatch", "A value has a type the tool cannot take."),
    _wrong("GB305", "unknown-option", "UnknownOption", "A value is not among a closed list."),
    _advice("GB306", "hidden-parameter", "UnknownParameter", "A set parameter has no effect here."),
    _wrong("GB307", "out-of-range", "TypeMismatch", "A number lies outside its bounds."),
    _incomplete("GB308", "unplaced-value", "UnknownParameter", "A drafted value has no place."),
    _info("GB309", "renamed-parameter", "A loosely named parameter was given its real name."),
    _info("GB310", "assumed-order", "A step without inputs follows the one before it."),
    _wrong("GB311", "duplicate-name", "DuplicateName", "Two nodes share one name."),
    _wrong("GB312", "duplicate-id", "DuplicateName", "Two nodes share one id."),
    _wrong("GB313", "dangling-edge", "InvalidConnection", "An edge touches a node that is absent."),
    _wrong("GB314", "unknown-port", "InvalidConnection", "An edge uses a port the node lacks."),
    _wrong("GB315", "mismatched-edge", "InvalidConnection", "The two ends differ in kind."),
    _wrong("GB316", "unconnected-input", "InvalidConnection", "A required input has no edge."),
    _wrong(
        "GB317", "too-many-edges", "InvalidConnection", "An input has more edges than it takes."
    ),
    _wrong("GB318", "unaccepted-tool", "InvalidConnection", "The port does not take this tool."),
    _advice("GB319", "duplicate-edge", "InvalidConnection", "Two ports are connected twice."),
    _wrong("GB320", "self-dependency", "InvalidDependency", "A step depends on itself."),
    _wrong("GB321", "missing-dependency", "InvalidDependency", "A step depends on nothing."),
    _wrong("GB322", "forward-dependency", "InvalidDependency", "A step depends on a later one."),
    _wrong("GB323", "dependency-cycle", "InvalidDependency", "Steps depend on each other."),
    _wrong("GB324", "unknown-output", "InvalidConnection", "A step has no output of this name."),
    _wrong("GB325", "stray-sub-node", "InvalidConnection", "A sub-node belongs to no step."),
    _advice("GB326", "loose-type", "TypeMismatch", "A value works, but is of another type."),
    _wrong("GB327", "fixed-value", "TypeMismatch", "An expression stands where none is taken."),
    _wrong("GB328", "broken-json", "TypeMismatch", "A text that is read as JSON does not parse."),
    _wrong("GB329", "unmatched-pattern", "TypeMismatch", "A value lacks the form it must have."),
    _advice("GB330", "goal-not-covered", "UncoveredGoal", "The goal names what no step covers."),
    # GB4: the artifact
    _wrong("GB401", "not-allowed", "PolicyError", "Policy keeps this tool out of artifacts."),
    _info("GB402", "corrected", "A mechanical fault was corrected."),
    _info("GB403", "resolved-name", "A loose tool name was given its real one."),
    _incomplete("GB404", "needs-approval", "PolicyError", "A person has to approve what it does."),
    _info("GB405", "approved", "A person has approved what a node does."),
    _advice("GB406", "unused-approval", "PolicyError", "An approval belongs to no node."),
    _wrong(
        "GB407", "stale-approval", "PolicyError", "An approval is not for what a node does now."
    ),
    # GB5: the execution guard
    _wrong("GB501", "missing-receipt", "ReceiptError", "The artifact comes without a receipt."),
    _wrong("GB502", "foreign-receipt", "ReceiptError", "The receipt is not for this artifact."),
    _wrong("GB503", "expired-receipt", "ReceiptError", "The receipt is past its time."),
    _wrong(
        "GB504", "changed-catalog", "ReceiptError", "The catalog is not the one judged against."
    ),
    # N8N1: reading a workflow
    _wrong("N8N101", "unknown-key", "InvalidDocument", "n8n refuses a key of this document."),
    _info("N8N102", "stripped-key", "An export-only key is left out of the artifact."),
    _wrong("N8N103", "malformed-node", "InvalidDocument", "A node or setting is not in shape."),
    _wrong("N8N104", "malformed-edges", "InvalidConnection", "The connections are not in shape."),
    # N8N3: checking a workflow
    _incomplete("N8N301", "missing-trigger", "MissingTrigger", "Nothing starts the workflow."),
    _advice("N8N302", "manual-only", "MissingTrigger", "Only a person can start the workflow."),
    _incomplete("N8N303", "missing-credential", "MissingCredential", "A credential is not set."),
    _wrong("N8N304", "unaccepted-credential", "CredentialError", "The node takes another type."),
    _wrong("N8N305", "unknown-credential-type", "CredentialError", "No such credential type."),
    _incomplete(
        "N8N306", "missing-stored-credential", "MissingCredential", "The instance lacks it."
    ),
    _incomplete("N8N307", "manual-publish", "MissingTrigger", "n8n publishes no manual start."),
    _wrong("N8N311", "respond-without-webhook", "InvalidConnection", "Nothing to respond to."),
    _wrong("N8N312", "webhook-without-respond", "InvalidConnection", "Nobody responds."),
    _wrong("N8N313", "unused-respond", "InvalidConnection", "The webhook does not wait."),
    _advice("N8N314", "unreachable-node", "InvalidConnection", "No trigger leads to a node."),
    _advice("N8N315", "unused-output", "InvalidConnection", "Nobody reads an output."),
    _advice("N8N316", "infinite-loop", "InvalidConnection", "A circle has no way out."),
    _wrong("N8N317", "loop-never-returns", "InvalidConnection", "A loop never comes to its end."),
    _wrong("N8N318", "duplicate-tool-name", "DuplicateName", "Two tools of an agent share a name."),
    _advice("N8N319", "undescribed-tool", "MissingParameter", "A tool has no description."),
    _wrong("N8N320", "misplaced-from-ai", "ExpressionError", "No model fills in a $fromAI."),
    _wrong("N8N321", "broken-expression", "ExpressionError", "An expression does not parse."),
    _wrong("N8N322", "unknown-reference", "ExpressionError", "An expression names no node here."),
    _advice("N8N323", "literal-braces", "ExpressionError", "Braces without = stay plain text."),
    _advice("N8N324", "unclosed-braces", "ExpressionError", "Braces open and never close."),
    _advice("N8N325", "missing-braces", "ExpressionError", "Code without braces stays plain text."),
    _wrong("N8N326", "unknown-variable", "ExpressionError", "n8n has no variable of this name."),
    _wrong("N8N327", "unknown-member", "ExpressionError", "A value has no member of this name."),
    _wrong(
        "N8N328", "node-runs-later", "ExpressionError", "The data of a node is read before it runs."
    ),
    _advice("N8N329", "unordered-node", "ExpressionError", "A node is read that may not have run."),
    _advice("N8N330", "missing-field", "ExpressionError", "A field is read that is never given."),
    _advice("N8N331", "deprecated-tool", "SuboptimalTool", "n8n keeps this node for old flows."),
    _advice("N8N332", "host-access", "PolicyError", "The node reaches the host machine."),
    _advice("N8N333", "replaceable-request", "SuboptimalTool", "A node makes this request."),
    _info("N8N334", "service-request", "The service called has a node of its own."),
    _advice("N8N335", "replaceable-script", "SuboptimalTool", "A core node does this."),
    _advice("N8N336", "prefer-trigger-node", "SuboptimalTool", "The service has a trigger."),
    _info("N8N337", "joinable-nodes", "One node does what several here do."),
    _info("N8N338", "no-error-workflow", "Nobody hears of a run that fails."),
    _advice("N8N339", "deprecated-setting", "SuboptimalTool", "n8n calls a setting deprecated."),
    _advice("N8N340", "inner-setting", "UnknownParameter", "A node's setting is a parameter."),
    _wrong("N8N341", "outer-parameter", "InvalidDocument", "A parameter stands on the node."),
    _advice(
        "N8N342", "mismatched-type", "UnknownTool", "A type takes nothing of what a node carries."
    ),
    _advice(
        "N8N343", "mismatched-version", "UnsupportedVersion", "Parameters are of another version."
    ),
    _advice(
        "N8N345", "missing-merge-input", "InvalidConnection", "Not all inputs of a node are fed."
    ),
    _wrong("N8N346", "duplicate-webhook", "DuplicateName", "Two webhooks wait for one call."),
    _advice("N8N347", "too-many-triggers", "InvalidConnection", "n8n takes fewer such triggers."),
    _advice(
        "N8N348", "single-batch-loop", "InvalidConnection", "A loop goes on with one batch only."
    ),
    _wrong("N8N349", "wrong-trigger", "MissingTrigger", "A node needs another trigger's run."),
    _wrong("N8N350", "missing-call-argument", "ExpressionError", "A function lacks an argument."),
    _advice("N8N351", "environment", "PolicyError", "n8n hides its environment by default."),
    _advice("N8N352", "no-items", "ExpressionError", "Code hands nothing back."),
    _wrong(
        "N8N353",
        "expression-ends-early",
        "ExpressionError",
        "Braces inside end an expression too early.",
    ),
    _wrong("N8N354", "unreadable-schedule", "TypeMismatch", "No cron expression of n8n's."),
    _wrong("N8N355", "unsupported-url-scheme", "TypeMismatch", "No call reaches such an address."),
    _advice(
        "N8N356",
        "unknown-setting-value",
        "TypeMismatch",
        "n8n does not know the word of a setting.",
    ),
    _advice("N8N357", "unread-workflow", "PolicyError", "A workflow inside cannot be judged."),
    # N8N5: an import
    _wrong("N8N501", "unreachable-instance", "ImportError", "n8n did not answer."),
    _wrong("N8N502", "invalid-api-key", "ImportError", "n8n refused the API key."),
    _wrong("N8N503", "refused-workflow", "ImportError", "n8n refused the workflow."),
    _wrong("N8N504", "stored-differently", "ImportError", "n8n stored something else."),
    _wrong("N8N505", "refused-publish", "ImportError", "n8n refused to publish the workflow."),
    _wrong("N8N506", "failed-instance", "ImportError", "n8n answered with a failure."),
    _incomplete("N8N507", "several-credentials", "MissingCredential", "Several would fit."),
    _wrong("N8N508", "edit-conflict", "ImportError", "The workflow was changed meanwhile."),
    _advice("N8N509", "left-unpublished", "ImportError", "Imported, but not published."),
    _wrong("N8N510", "import-in-progress", "ImportError", "The same import is still running."),
    _wrong("N8N511", "reused-key", "ImportError", "The import's key stands for something else."),
    _wrong("N8N512", "rollback-failed", "ImportError", "A failed import could not be undone."),
    _advice("N8N513", "not-live", "ImportError", "Published, but its triggers do not run yet."),
    # N8N6: a trial run
    _wrong("N8N601", "failed-run", "ExecutionError", "A node fails when the workflow runs."),
    _advice("N8N602", "failed-on-sample", "ExecutionError", "A node fails on sample data."),
    _advice("N8N603", "unfinished-run", "ExecutionError", "A trial run did not end in its time."),
    _advice("N8N604", "unclear-run", "ExecutionError", "A trial could not be run to its end."),
    _advice(
        "N8N605", "trial-copy-not-deleted", "ExecutionError", "A trial's copy could not be deleted."
    ),
    # SLX1: reading a model file
    _wrong("SLX101", "unreadable-model", "ParseError", "The file cannot be read as a model."),
    _wrong("SLX102", "missing-diagram", "ParseError", "A diagram of the model is not in its file."),
    _info("SLX103", "left-out-part", "Parts of the file are not understood and left out."),
    _wrong("SLX104", "malformed-model", "ParseError", "A drafted model is not in shape."),
    # SLX3: checking a model
    _wrong("SLX301", "refused-value", "TypeMismatch", "A value is more than a plain value."),
    _info("SLX302", "expanded-pattern", "A pattern that was asked for was made of blocks."),
    _advice(
        "SLX303",
        "side-effect-in-value",
        "TypeMismatch",
        "A value runs what does more than compute.",
    ),
    _incomplete(
        "SLX304",
        "undefined-subsystem-ports",
        "MissingParameter",
        "A block's ports wait for what is inside.",
    ),
    _advice("SLX321", "unconnected-port", "InvalidConnection", "An input of a block has no line."),
    _advice("SLX322", "dangling-line", "InvalidConnection", "A line begins or ends at no block."),
    _wrong(
        "SLX323", "mixed-physical-domains", "InvalidConnection", "Ports of two domains are joined."
    ),
    _wrong("SLX324", "unsolved-network", "InvalidConnection", "Nothing solves a network."),
    _advice("SLX325", "floating-circuit", "InvalidConnection", "A circuit has no reference."),
    _advice("SLX326", "algebraic-loop", "InvalidConnection", "A loop has nothing that delays."),
    _wrong("SLX327", "duplicate-port", "DuplicateName", "A diagram has a port twice."),
    _advice("SLX328", "unmatched-tag", "InvalidConnection", "No Goto feeds a From."),
    _wrong("SLX329", "duplicate-tag", "DuplicateName", "Two blocks define one tag or memory."),
    _wrong("SLX330", "missing-bus-signal", "InvalidConnection", "A bus lacks a selected signal."),
    _wrong("SLX331", "unequal-lengths", "TypeMismatch", "Signals differ in their lengths."),
    _wrong("SLX332", "unequal-types", "TypeMismatch", "Signals differ in their types."),
    _wrong("SLX333", "misplaced-rate", "TypeMismatch", "A rate lies in a triggered subsystem."),
    _wrong(
        "SLX334", "cyclic-library-link", "InvalidConnection", "Library blocks link in a circle."
    ),
    _wrong("SLX335", "broken-value", "TypeMismatch", "A value in a file is no expression."),
    _advice("SLX337", "replaceable-block", "SuboptimalTool", "One block does what this does."),
    _wrong("SLX338", "contradicting-values", "TypeMismatch", "Values of one block contradict."),
    _wrong("SLX339", "refused-size", "TypeMismatch", "A block takes no signal of this size."),
    _wrong("SLX340", "refused-type", "TypeMismatch", "A block takes no signal of this type."),
    _wrong(
        "SLX341", "mismatched-sample-time", "TypeMismatch", "A solver cannot keep a sample time."
    ),
    _wrong("SLX342", "joined-rates", "TypeMismatch", "A signal changes its rate unbuffered."),
    _wrong("SLX343", "refused-setting", "TypeMismatch", "A model's setting cannot be kept."),
    _wrong(
        "SLX344",
        "duplicate-solver-configuration",
        "InvalidConnection",
        "A network has two solvers.",
    ),
    _wrong(
        "SLX345", "excluded-port", "InvalidConnection", "Ports of a subsystem exclude each other."
    ),
    _advice("SLX346", "undefined-data-store", "InvalidConnection", "No memory keeps a data store."),
    _wrong("SLX347", "misplaced-part", "InvalidConnection", "A part of a subsystem lies in none."),
    _advice("SLX351", "newer-block", "UnsupportedVersion", "A block is newer than its file."),
    _advice("SLX352", "newer-file", "UnsupportedVersion", "A file is newer than the release here."),
    _info("SLX353", "needed-products", "A model needs products beside Simulink."),
    _advice("SLX354", "old-release", "UnsupportedVersion", "Scripts are for later releases."),
    # SLX6: a build in MATLAB
    _wrong("SLX601", "failed-build", "ExecutionError", "MATLAB could not build or run a model."),
    _wrong("SLX602", "build-mismatch", "ExecutionError", "What was built is not what was meant."),
    # TLS3: checking calls
    _wrong("TLS301", "missing-argument", "MissingParameter", "A required argument is absent."),
    _wrong("TLS302", "unknown-argument", "UnknownParameter", "The tool has no such argument."),
    _advice("TLS303", "unchecked-arguments", "TypeMismatch", "A schema cannot judge arguments."),
    _wrong("TLS304", "mismatched-argument", "TypeMismatch", "A value breaks a rule of its schema."),
)

BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}
