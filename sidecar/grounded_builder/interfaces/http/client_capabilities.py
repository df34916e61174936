"""Determines from a request's headers whether its client reads error bodies or sends a form."""

from __future__ import annotations

from fastapi import Request

_CLIENT = "grounded-matlab"
_FORM = "application/x-www-form-urlencoded"


def is_plain(request: Request) -> bool:
    """Returns whether a client reads only the body of a success, as Octave does."""
    return is_form(request) or _CLIENT in request.headers.get("user-agent", "")


def is_form(request: Request) -> bool:
    """Returns whether the body is a form with its JSON text in the field ``payload``."""
    return request.headers.get("content-type", "").startswith(_FORM)
