"""Checks that a model endpoint answers and accepts the key, without asking the model."""

from __future__ import annotations

import requests

from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.endpoint import Place

_TIMEOUTS_S = (3.0, 5.0)


def check_endpoint(place: Place) -> str:
    """Returns a line about an endpoint; raises DrafterError if it fails or refuses the key.

    Requests ``GET {url}/models``; an endpoint without that list answers as well.
    """
    headers = {"Accept": "application/json"}
    if place.key:
        headers["Authorization"] = f"Bearer {place.key}"
    with requests.Session() as session:
        # Ignores proxies and .netrc, so that only the configured host is called.
        session.trust_env = False
        try:
            with session.get(
                f"{place.url.rstrip('/')}/models",
                headers=headers,
                timeout=_TIMEOUTS_S,
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
