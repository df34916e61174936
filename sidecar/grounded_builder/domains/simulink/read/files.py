"""Model files as the core opens them."""

from __future__ import annotations

from pathlib import PurePath

from grounded_builder.domains.simulink.read.model import is_model, open_model
from grounded_builder.ir.domain import OpenedFile

OWN_SUFFIXES = (".slx", ".mdl")
SUFFIXES = (*OWN_SUFFIXES, ".json")


def native(raw: bytes, name: str) -> OpenedFile | None:
    """The model in a file, None where the bytes are no model file and are not named as one."""
    file = PurePath(name)
    if file.suffix.lower() not in OWN_SUFFIXES and not is_model(raw):
        return None
    model, diagnostics = open_model(raw, file.stem)
    return OpenedFile(model, tuple(diagnostics))
