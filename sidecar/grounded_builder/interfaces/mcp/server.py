"""Creates the MCP server: registers its tools, and checks the scope of each call."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from grounded_builder import __version__
from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.domains.n8n.expectations import FAULTS
from grounded_builder.interfaces.mcp.arguments import ExplainingServer
from grounded_builder.interfaces.mcp.context import McpContext, RefusedError
from grounded_builder.interfaces.mcp.tools import ToolAnswer, ToolService
from grounded_builder.ir.options import Switches
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.services.session_lookup import ConversationError
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.tokens import Scope

NAME = "grounded-builder"
INSTRUCTIONS = (
    "Grounds drafts of automation graphs in the installed tools. Find tools before you "
    "draft, validate what you drafted, build it when nothing is wrong, then import it. "
    "Domains: n8n (workflows), simulink (models), tools (calls of any connected tools)."
)

_EXPECTED = (RefusedError, ConversationError, StorageError, CatalogError)

# Returns the policy switches of the caller of a request; raises RefusedError where the caller lacks
# the scope.
Permit = Callable[[Any, Scope], Switches]

_LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_MAKES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_SENDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)

_Domain = Annotated[str, Field(description="n8n, simulink or tools.")]
_Policy = Annotated[
    dict[str, Any] | None,
    Field(description="Narrows the policy: allowed_hosts, denied, no_code, core_only, ..."),
]
_Draft = Annotated[
    dict[str, Any] | list[Any] | str,
    Field(description="A plan, a native document, or text that contains one."),
]


def permit_all(request: Any, scope: Scope) -> Switches:
    """Returns no switches: the user who started the program may do everything."""
    del request, scope
    return Switches()


def serve_on(workplace: McpContext, permit: Permit = permit_all) -> MCPServer[Any]:
    """Returns the server over a context; ``permit`` is called with the HTTP request, if any."""
    server = ExplainingServer(
        NAME, version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )

    def call_tool(
        context: Context[Any, Any],
        scope: Scope,
        work: Callable[[ToolService], ToolAnswer],
        policy: dict[str, Any] | None = None,
    ) -> ToolAnswer:
        try:
            switches = permit(context.request_context.request, scope)
            return work(ToolService(workplace.narrow(switches).under(policy)))
        except (*_EXPECTED, CompileLimitError) as error:
            hint = getattr(error, "help", "")
            raise ToolError(f"{error}{f'; {hint}' if hint else ''}") from error

    @server.tool(annotations=_LOOKS)
    def find_tool(
        context: Context[Any, Any],
        query: Annotated[str, Field(description="The purpose, in words.")],
        domain: _Domain = "n8n",
        limit: Annotated[int, Field(ge=1, le=50)] = 8,
        kind: Annotated[str, Field(description="Only tools of this kind.")] = "",
        family: Annotated[str, Field(description="Only tools of this vendor or service.")] = "",
    ) -> dict[str, Any]:
        """Find installed tools by what they do, best first, with the operation that fits."""
        return call_tool(
            context,
            "validate",
            lambda offers: offers.find_tool(query, domain, limit, kind or None, family or None),
        )

    @server.tool(annotations=_LOOKS)
    def get_tool(
        context: Context[Any, Any],
        tool: Annotated[str, Field(description="The id of a tool.")],
        domain: _Domain = "n8n",
        params: Annotated[
            dict[str, Any] | None, Field(description="Presets of one operation.")
        ] = None,
    ) -> dict[str, Any]:
        """Show one installed tool: its operations, or the parameters of one of them."""
        return call_tool(
            context, "validate", lambda offers: offers.get_tool(tool, domain, params or {})
        )

    @server.tool(annotations=_LOOKS)
    def resolve(
        context: Context[Any, Any],
        name: Annotated[str, Field(description="A name as written.")],
        domain: _Domain = "n8n",
        about: Annotated[
            dict[str, Any] | None, Field(description="kind, tool, action, params, goal, ...")
        ] = None,
    ) -> dict[str, Any]:
        """Find the installed tool that a name means: one, several candidates, or none."""
        return call_tool(context, "validate", lambda offers: offers.resolve(name, domain, about))

    @server.tool(annotations=_LOOKS)
    def validate(
        context: Context[Any, Any],
        draft: _Draft,
        domain: _Domain = "n8n",
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Check a draft against the installed tools: every name, value and edge."""
        return call_tool(context, "validate", lambda offers: offers.validate(draft, domain), policy)

    @server.tool(annotations=_LOOKS)
    def repair(
        context: Context[Any, Any],
        draft: _Draft,
        domain: _Domain = "n8n",
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Correct the mechanical faults of a draft, and report what remains."""
        return call_tool(context, "draft", lambda offers: offers.repair(draft, domain), policy)

    @server.tool(annotations=_LOOKS)
    def build(
        context: Context[Any, Any],
        draft: _Draft,
        domain: _Domain = "n8n",
        key: Annotated[str, Field(description="Equal keys give equal ids.")] = "",
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Build the artifact of a draft in which nothing is wrong, with its receipt."""
        return call_tool(context, "draft", lambda offers: offers.build(draft, domain, key), policy)

    @server.tool(annotations=_MAKES)
    def rehearse(
        context: Context[Any, Any],
        draft: _Draft,
        samples: Annotated[
            dict[str, list[dict[str, Any]]] | None,
            Field(description="Items with which a trigger begins, by the name of its node."),
        ] = None,
        expectations: Annotated[
            list[dict[str, Any]] | None,
            Field(description="What must happen, as objects (docs/rehearsal.md)."),
        ] = None,
        faults: Annotated[
            dict[str, str] | None,
            Field(description=f"What nodes get in place of answers: {', '.join(FAULTS)}."),
        ] = None,
        at: Annotated[str, Field(description="The time of schedules, in ISO 8601.")] = "",
        against: Annotated[
            dict[str, Any] | None,
            Field(description="The answer to an earlier rehearsal, to compare with."),
        ] = None,
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Run the real nodes of a workflow in an n8n without a network; show their requests."""
        asked = {
            "samples": samples,
            "expectations": expectations,
            "faults": faults,
            "at": at,
            "against": against,
        }
        return call_tool(context, "import", lambda offers: offers.rehearse(draft, asked), policy)

    @server.tool(name="import", annotations=_SENDS)
    def import_(
        context: Context[Any, Any],
        artifact: Annotated[dict[str, Any], Field(description="The artifact of build.")],
        receipt: Annotated[dict[str, Any], Field(description="The receipt of the artifact.")],
        publish: Annotated[
            bool, Field(description="Publish it, so that its triggers run.")
        ] = False,
        workflow_id: Annotated[str, Field(description="A workflow to replace.")] = "",
        key: Annotated[str, Field(description="Equal keys are one import.")] = "",
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Import a built workflow into n8n; requires a valid receipt for exactly this workflow."""
        return call_tool(
            context,
            "import",
            lambda offers: offers.import_(
                artifact, receipt, key, workflow_id or None, publish=publish
            ),
            policy,
        )

    @server.tool(annotations=_MAKES)
    def generate(
        context: Context[Any, Any],
        request: Annotated[str, Field(description="The request, in words.")],
        domain: _Domain = "n8n",
        constraints: Annotated[
            dict[str, Any] | None,
            Field(description="forbid, allow, use: lists of tools; switches of a policy."),
        ] = None,
    ) -> dict[str, Any]:
        """Generate an artifact for a request: drafted, compiled and corrected until it is right."""
        return call_tool(
            context, "draft", lambda offers: offers.generate(request, domain, constraints or {})
        )

    logging.getLogger("mcp").setLevel(logging.WARNING)
    return server
