"""What an artifact may do only when a person has approved it."""

from __future__ import annotations

from typing import Literal, get_args

from grounded_builder.diagnostics import Diagnostic, Route, found
from grounded_builder.setting import Setting

Reason = Literal[
    "host-access", "local-address", "unknown-address", "instance-api", "unreadable-workflow"
]
REASONS: tuple[Reason, ...] = get_args(Reason)

CODE = "GB404"
APPROVED = "GB405"


def approval(
    reason: Reason, at: Route, node: str, what: str, setting: Setting, *, token: str | None = None
) -> Diagnostic | None:
    """Returns the finding that a person has to approve what a node does.

    ``what`` continues the name of the node: "runs commands on the host". None where nothing is
    imported, or where the operator has opened the reason by its name. What was approved is noted.
    """
    policy = setting.policy
    opened = reason in policy.opened or (reason == "host-access" and policy.allow_host_access)
    if setting.purpose == "judge" or opened:
        return None
    name = f"{CODE}/{' > '.join((*setting.within, node))}"
    if name in setting.approvals:
        return found(
            APPROVED, at, f'"{node}" {what}, which was approved', node=node, token=token or reason
        )
    return found(
        CODE,
        at,
        f'"{node}" {what}, which a person has to approve ({reason})',
        help=f'let a person look at it and import with the approval "{name}"; an operator opens '
        f"it for all by {reason} in GROUNDED_OPEN",
        node=node,
        token=token or reason,
    )
