"""Ask whether a model could be asked, without asking it anything."""

from __future__ import annotations

import requests

from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.endpoint import Place

_PATIENCE_S = (3.0, 5.0)


def reach(place: Place) -> str:
    """What an endpoint says of its models; DrafterError where nobody answers or the key is refused.

    ``GET {url}/models`` is asked; an endpoint that knows no such list answers all the same.
    """
    headers = {"Accept": "application/json"}
    if place.key:
        headers["Authorization"] = f"Bearer {place.key}"
    with requests.Session() as session:
        # No proxy and no .netrc: the configured host is called, and no other.
        session.trust_env = False
        try:
            with session.get(
                f"{place.url.rstrip('/')}/models",
                headers=headers,
                timeout=_PATIENCE_S,
                allow_redirects=False,
                stream=True,
            ) as answer:
                status = answer.status_code
        except requests.Timeout as error:
            raise DrafterError("slow", f"no answer from {place.url}") from error
        except requests.RequestException as error:
            raise DrafterError("unreachable", f"no connection to {place.url}") from error
    if status in (401, 403):
        raise DrafterError("refused", f"{place.url} refused the key ({status})", status)
    if status >= 500:
        raise DrafterError("failed", f"{place.url} answered {status}", status)
    return f"{place.model} at {place.url} answers"
