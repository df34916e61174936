"""Measures the sync of a large synthetic installation from Octave over a slow connection.

``python -m evals.bench.simulink_sync 20000 1000000``
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.support.faulty_connection import open_line
from tests.support.live_sidecar import run_sidecar
from tests.support.octave import TOOLBOX

_EACH = 200
# Replaces Simulink: libraries of two hundred blocks with twelve parameters each.
_INSTALLED = {
    "load_system": "function load_system(~)\nend\n",
    "new_system": "function new_system(~)\nend\n",
    "close_system": "function close_system(varargin)\nend\n",
    "add_block": "function add_block(varargin)\nend\n",
    "bdIsLoaded": "function is = bdIsLoaded(~)\nis = false;\nend\n",
    "license": "function is = license(varargin)\nis = true;\nend\n",
    "find_system": """function found = find_system(system, varargin)
form = [system '/Block %d'];
count = {each};
if strcmp(system, 'acme_large')
    form = 'acme_large/Shelf %d';
    count = {shelves};
end
found = arrayfun(@(n) sprintf(form, n), (1:count)', 'UniformOutput', false);
end
""",
    "get_param": """function value = get_param(path, name)
is_shelf = sum(path == '/') < 2 && strncmp(path, 'acme', 4);
value = '1';
switch name
    case 'BlockType'
        value = 'Gain';
        if is_shelf, value = 'SubSystem'; end
    case 'Ports'
        value = [1 1 0 0 0 0 0 0] * ~is_shelf;
    case 'MaskType'
        value = '';
    case 'DialogParameters'
        value = [];
        for k = 1:12 * ~is_shelf
            value.(sprintf('Parameter%d', k)) = struct('Prompt', 'A parameter', ...
                'Type', 'enum', 'Enum', {{{{'slow', 'fast'}}}}, 'Attributes', {{{{'read-write'}}}});
        end
end
end
""",
}


def main(blocks: int, rate: float) -> None:
    """Prints the number of requests, the elapsed seconds and the processor time."""
    with TemporaryDirectory() as folder:
        installed = Path(folder) / "installed"
        installed.mkdir()
        counts = {"each": _EACH, "shelves": max(1, blocks // _EACH)}
        for name, code in _INSTALLED.items():
            (installed / f"{name}.m").write_text(code.format(**counts))
        with run_sidecar(Path(folder)) as live, open_line(live.url, rate=rate) as line:
            code = (
                f"addpath('{installed}'); addpath('{TOOLBOX}'); {live.connect(line.url)} "
                "grounded.sync('acme_large'); printf('%.0f s of processor time', cputime());"
            )
            started = perf_counter()
            evaluate = live.octave.evaluate(code, seconds=3_600)
            took = perf_counter() - started
        sys.stdout.write(f"{evaluate}, {took:.0f} s, {len(line.asked)} pieces\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
