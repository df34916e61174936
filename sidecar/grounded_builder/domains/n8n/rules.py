"""Lists the rules of the n8n domain, collected from the modules that define them."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule, rules_in
from grounded_builder.domains.n8n.check import (
    agent_tools,
    credentials,
    cron_schedules,
    document,
    duplicate_nodes,
    from_ai,
    node_settings,
    policy,
    request_urls,
)
from grounded_builder.domains.n8n.check.advice import (
    deprecated,
    error_workflow,
    joinable_nodes,
    polled_services,
    replaceable_scripts,
    requests,
)
from grounded_builder.domains.n8n.check.connections import (
    duplicate_edges,
    edges,
    sub_node_inputs,
    unconnected_inputs,
    unused_outputs,
)
from grounded_builder.domains.n8n.check.flow import (
    duplicate_webhooks,
    loops,
    missing_files,
    required_trigger,
    triggers,
    unreachable_nodes,
    webhook_response,
)
from grounded_builder.domains.n8n.deploy import (
    attach_credentials,
    client,
    create,
    import_run,
    import_workflow,
    publish,
    readback_diff,
)
from grounded_builder.domains.n8n.expressions import (
    braces,
    fences,
    fields,
    order,
    references,
    returns,
    syntax,
    unavailable_members,
    unknown_members,
    variables,
)
from grounded_builder.domains.n8n.lower import agent_tools as lower_agent_tools
from grounded_builder.domains.n8n.lower import choose_operation, sign_in, wiring
from grounded_builder.domains.n8n.lower import parameters as lowered_parameters
from grounded_builder.domains.n8n.parameters import findings as parameters_findings
from grounded_builder.domains.n8n.parameters import misplaced
from grounded_builder.domains.n8n.read import connections, workflow
from grounded_builder.domains.n8n.trial import findings as trial_findings
from grounded_builder.domains.n8n.trial import run
from grounded_builder.domains.n8n.type_inference import check, versions

RULES: tuple[Rule, ...] = rules_in(
    agent_tools,
    attach_credentials,
    braces,
    check,
    choose_operation,
    client,
    connections,
    create,
    credentials,
    cron_schedules,
    deprecated,
    document,
    duplicate_edges,
    duplicate_nodes,
    duplicate_webhooks,
    edges,
    error_workflow,
    fences,
    fields,
    from_ai,
    import_run,
    import_workflow,
    joinable_nodes,
    loops,
    missing_files,
    lower_agent_tools,
    lowered_parameters,
    misplaced,
    node_settings,
    order,
    parameters_findings,
    policy,
    polled_services,
    publish,
    readback_diff,
    references,
    replaceable_scripts,
    request_urls,
    requests,
    required_trigger,
    returns,
    run,
    sign_in,
    sub_node_inputs,
    syntax,
    trial_findings,
    triggers,
    unavailable_members,
    unconnected_inputs,
    unknown_members,
    unreachable_nodes,
    unused_outputs,
    variables,
    versions,
    webhook_response,
    wiring,
    workflow,
)
