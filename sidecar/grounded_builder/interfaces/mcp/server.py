"""The server: eight tools, each a typed function that asks for leave and answers in short."""

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
from grounded_builder.interfaces.mcp.context import McpContext, RefusedError
from grounded_builder.interfaces.mcp.tools import Offers, Told
from grounded_builder.ir.options import Switches
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.services.session_lookup import ConversationError
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.tokens import Scope

NAME = "grounded-builder"
INSTRUCTIONS = (
    "Grounds drafts of automation graphs in what is really installed. Find tools before you "
    "draft, validate what you drafted, build it when nothing is wrong, then import it. "
    "Domains: n8n (workflows), simulink (models), tools (calls of any connected tools)."
)

_EXPECTED = (RefusedError, ConversationError, StorageError, CatalogError)

# What whoever calls through this request narrows the policy by; a RefusedError says that they may
# not do what needs the scope.
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
    Field(description="A plan, a native document, or text that holds one."),
]


def permit_all(request: Any, scope: Scope) -> Switches:
    """Returns the switches of whoever started the program, who may do all that it can: none."""
    del request, scope
    return Switches()


def serve_on(workplace: McpContext, permit: Permit = permit_all) -> MCPServer[Any]:
    """Returns the server over a workplace; ``permit`` is asked with the HTTP request, if there is
    one.
    """
    server: MCPServer[Any] = MCPServer(
        NAME, version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )

    def answered(
        context: Context[Any, Any],
        scope: Scope,
        work: Callable[[Offers], Told],
        policy: dict[str, Any] | None = None,
    ) -> Told:
        try:
            switches = permit(context.request_context.request, scope)
            return work(Offers(workplace.narrow(switches).under(policy)))
        except (*_EXPECTED, CompileLimitError) as error:
            hint = getattr(error, "help", "")
            raise ToolError(f"{error}{f'; {hint}' if hint else ''}") from error

    @server.tool(annotations=_LOOKS)
    def find_tool(
        context: Context[Any, Any],
        query: Annotated[str, Field(description="What is to be done, in words.")],
        domain: _Domain = "n8n",
        limit: Annotated[int, Field(ge=1, le=50)] = 8,
        kind: Annotated[str, Field(description="Only what can serve as this.")] = "",
        family: Annotated[str, Field(description="Only of this vendor or service.")] = "",
    ) -> dict[str, Any]:
        """Find installed tools by what they do, best first, with the operation that fits."""
        return answered(
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
        return answered(
            context, "validate", lambda offers: offers.get_tool(tool, domain, params or {})
        )

    @server.tool(annotations=_LOOKS)
    def resolve(
        context: Context[Any, Any],
        name: Annotated[str, Field(description="A name as somebody wrote it.")],
        domain: _Domain = "n8n",
        about: Annotated[
            dict[str, Any] | None, Field(description="kind, tool, action, params, goal, ...")
        ] = None,
    ) -> dict[str, Any]:
        """Say which installed tool a name stands for: one, several candidates, or none."""
        return answered(context, "validate", lambda offers: offers.resolve(name, domain, about))

    @server.tool(annotations=_LOOKS)
    def validate(
        context: Context[Any, Any],
        draft: _Draft,
        domain: _Domain = "n8n",
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Judge a draft against what is installed: every name, value and edge."""
        return answered(context, "validate", lambda offers: offers.validate(draft, domain), policy)

    @server.tool(annotations=_LOOKS)
    def repair(
        context: Context[Any, Any],
        draft: _Draft,
        domain: _Domain = "n8n",
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Correct the mechanical faults of a draft, and tell what remains."""
        return answered(context, "draft", lambda offers: offers.repair(draft, domain), policy)

    @server.tool(annotations=_LOOKS)
    def build(
        context: Context[Any, Any],
        draft: _Draft,
        domain: _Domain = "n8n",
        key: Annotated[str, Field(description="Equal keys make equal ids.")] = "",
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Make the artifact of a draft in which nothing is wrong, with its receipt."""
        return answered(context, "draft", lambda offers: offers.build(draft, domain, key), policy)

    @server.tool(name="import", annotations=_SENDS)
    def import_(
        context: Context[Any, Any],
        artifact: Annotated[dict[str, Any], Field(description="What build made.")],
        receipt: Annotated[dict[str, Any], Field(description="The receipt it came with.")],
        publish: Annotated[bool, Field(description="Let its triggers run.")] = False,
        workflow_id: Annotated[str, Field(description="A workflow to replace.")] = "",
        key: Annotated[str, Field(description="Equal keys are one import.")] = "",
        policy: _Policy = None,
    ) -> dict[str, Any]:
        """Put a built workflow into n8n; without a fresh receipt for exactly it, nothing is."""
        return answered(
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
        request: Annotated[str, Field(description="What is wanted, in words.")],
        domain: _Domain = "n8n",
        constraints: Annotated[
            dict[str, Any] | None,
            Field(description="forbid, allow, use: lists of tools; switches of a policy."),
        ] = None,
    ) -> dict[str, Any]:
        """Make an artifact of a request: drafted, compiled and corrected until it is right."""
        return answered(
            context, "draft", lambda offers: offers.generate(request, domain, constraints or {})
        )

    logging.getLogger("mcp").setLevel(logging.WARNING)
    return server
