"""Checks the syntax of MATLAB code with miss_hit_core, which runs as a separate program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.support.second_reader import provide

_DEADLINE_S = 300
# The oldest language version of the parser; R2019b accepts whatever this accepts.
_PROGRAM = """
import json, sys
from miss_hit_core import errors
from miss_hit_core.config import Config
from miss_hit_core.m_language import MATLAB_2017b_Language
from miss_hit_core.m_lexer import MATLAB_Lexer
from miss_hit_core.m_parser import MATLAB_Parser
refused = {}
for file in json.load(sys.stdin):
    messages = errors.Message_Handler("debug")
    messages.register_file(file)
    try:
        lexer = MATLAB_Lexer(MATLAB_2017b_Language(), messages, open(file).read(), file)
        MATLAB_Parser(messages, lexer, Config()).parse_file()
    except errors.Error as error:
        refused[file] = str(error) or type(error).__name__
print("\\n" + json.dumps(refused))
"""


def find_syntax_errors(files: Iterable[Path]) -> dict[str, str]:
    """Returns the files that are not valid MATLAB of R2017b, each with the reason."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps([str(file) for file in files]),
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(provide())},
        timeout=_DEADLINE_S,
    )
    entries: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return entries
