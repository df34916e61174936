"""Reports whether the configured n8n answers and accepts its API key."""

from __future__ import annotations

from grounded_builder.domains.n8n.deploy.instance_status import Condition
from grounded_builder.interfaces.cli.doctor.finding import Observation

_PART = "n8n"


def check_instance(seen: Condition) -> Observation:
    """Returns whether n8n answers and accepts the key, with its version."""
    if seen.url is None:
        text = "not set: `grounded import` and `grounded try` need GROUNDED_N8N_URL"
        return Observation(_PART, "absent", text)
    if seen.fault is not None:
        return Observation(_PART, "failed", seen.fault.message, seen.fault.help or "")
    text = f"{seen.version or 'of unknown version'} at {seen.url}"
    if not seen.has_key:
        value = f"{text}; GROUNDED_N8N_API_KEY is not set"
        return Observation(_PART, "failed", value, "create a key in n8n, under Settings, n8n API")
    if seen.closed:
        value = f"{text}; the key has no access to {', '.join(seen.closed)}"
        return Observation(_PART, "doubtful", value, "create a key in n8n with these scopes too")
    return Observation(_PART, "ok", text)
