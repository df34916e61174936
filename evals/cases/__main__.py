"""Drafts workflows for collected conversations with any chat model, and judges them.

``python -m evals.cases open --folder CASES --out OUT`` starts a sidecar and writes the first
messages for a model to ``OUT/CASE/round-1.json``; ``reply --out OUT --case CASE --file REPLY``
gives the model's reply to the sidecar and writes the next messages, or ``result.json``. ``judge
--out OUT --expect EXPECTATIONS`` rehearses the results in every scenario of a case and prints a
table. ``stop`` ends the sidecar.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from evals.cases.case_files import read_cases
from evals.cases.case_server import find_sidecar, start_sidecar, stop_sidecar
from evals.cases.judge_results import judge_results
from evals.cases.talk import open_talk, reply


def main() -> None:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("open", "reply", "judge", "stop"))
    parser.add_argument("--folder", type=Path, help="The folder of the cases.")
    parser.add_argument("--out", type=Path, required=True, help="The folder of the conversations.")
    parser.add_argument("--state", type=Path, help="That of the sidecar; several may share it.")
    parser.add_argument("--case", default="", help="The name of one case.")
    parser.add_argument("--file", type=Path, help="The model's reply.")
    parser.add_argument("--expect", type=Path, help="The folder of the scenarios.")
    options = parser.parse_args()
    state = options.state or options.out / ".state"
    if options.step == "open":
        address = start_sidecar(state)
        for case in read_cases(options.folder, options.case):
            print(open_talk(case, address, options.out), flush=True)
    elif options.step == "reply":
        running = find_sidecar(state)
        if running is None:
            raise SystemExit(f"no sidecar runs in {state}: open the cases first")
        print(reply(options.case, options.file.read_text("utf-8"), running, options.out))
    elif options.step == "judge":
        judge_results(options.out, options.expect, options.case)
    else:
        stop_sidecar(state)


if __name__ == "__main__":
    main()
