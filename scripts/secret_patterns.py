"""Converts the rules of gitleaks into the secret patterns that the sidecar ships.

``python -m scripts.secret_patterns gitleaks.toml`` takes the default configuration of gitleaks
(8.30.1, MIT), as its program holds it. Rules that need a whole file, or that look for what
``redaction.py`` finds by names, are left out; patterns are put in Python's dialect, without the
open beginnings and fixed ends that only serve to show a match.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

_OUT = (
    Path(__file__).parents[1]
    / "sidecar"
    / "grounded_builder"
    / "redaction"
    / "secret_patterns.json"
)
_LEFT_OUT = (
    "generic-api-key",
    "private-key",
    "curl-auth-header",
    "curl-auth-user",
    "kubernetes-secret-yaml",
    "jwt-base64",
    "hashicorp-tf-password",
    "nuget-config-password",
)
_START = re.compile(r"^\(\?i\)\[\\w\.-\]\{0,50\}\?")
_END = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
# Bounded repeats keep the time of a match at any position bounded.
_BOUNDLESS = re.compile(r"(?<=[\])dw])[+*](?![+?])")
_NOTICE = "gitleaks, Copyright (c) 2019 Zachary Rice, MIT licence"


def main() -> None:
    """Convert the rules of the file on the command line, and write the patterns."""
    rules = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["rules"]
    patterns = [_pattern(rule) for rule in rules if "regex" in rule and rule["id"] not in _LEFT_OUT]
    content = {"source": "gitleaks 8.30.1", "notice": _NOTICE, "patterns": patterns}
    _OUT.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(patterns)} patterns\n")


def _pattern(rule: dict[str, Any]) -> dict[str, Any]:
    text = rule["regex"].replace(_END, "(?![A-Za-z0-9_])").replace(r"\z", r"\Z")
    text = _START.sub("(?i)", text).replace("[[:alnum:]]", "[A-Za-z0-9]")
    pattern = _BOUNDLESS.sub(_bound_match, _with_scoped_flags(text))
    re.compile(pattern)
    return {
        "id": rule["id"],
        "keywords": rule["keywords"],
        "pattern": pattern,
        "group": rule.get("secretGroup", 1 if re.compile(pattern).groups else 0),
        "entropy": rule.get("entropy", 0),
    }


def _bound_match(match: re.Match[str]) -> str:
    return "{1,400}" if match.group() == "+" else "{0,400}"


def _with_scoped_flags(text: str) -> str:
    """Return the pattern with flags in its middle as groups: Python takes them at the start."""
    while (at := text.find("(?i)", 1)) > 0:
        end, depth = at + 4, 0
        is_class = False
        while end < len(text):
            character = text[end]
            if character == "\\":
                end += 1
            elif is_class:
                is_class = character != "]"
            elif character == "[":
                is_class = True
            elif character == "(":
                depth += 1
            elif character == ")":
                if depth == 0:
                    break
                depth -= 1
            end += 1
        text = f"{text[:at]}(?i:{text[at + 4 : end]}){text[end:]}"
    return text


if __name__ == "__main__":
    main()
