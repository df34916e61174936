"""Opens the bytes of a .slx or .mdl file as a model with diagnostics, None for other files."""

from __future__ import annotations

from pathlib import PurePath

from grounded_builder.domains.simulink.read.model import is_model, open_model
from grounded_builder.ir.domain import OpenedFile

OWN_SUFFIXES = (".slx", ".mdl")
SUFFIXES = (*OWN_SUFFIXES, ".json")


def open_native(raw: bytes, name: str) -> OpenedFile | None:
    """Returns the model of a file; None where neither bytes nor name are those of a model file."""
    file = PurePath(name)
    if file.suffix.lower() not in OWN_SUFFIXES and not is_model(raw):
        return None
    model, diagnostics = open_model(raw, file.stem)
    return OpenedFile(model, tuple(diagnostics))
