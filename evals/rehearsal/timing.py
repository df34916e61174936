"""Measures how long the rehearsal of a workflow of ten nodes takes.

``python -m evals.rehearsal.timing [--warm N] [--cold N]`` rehearses the workflow of the product's
own run, with a stage that already runs, and with one that starts first.
"""

from __future__ import annotations

import argparse
import statistics
import time

from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.rehearsal.rehearse import rehearse
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from grounded_builder.ir.graph import ResolvedGraph
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.n8n_workflows import node, workflow
from tests.support.registries import registry_from

_LIST = {"method": "GET", "url": "https://api.acme.example/orders"}
_FIELDS = {
    "assignments": {
        "assignments": [
            {"id": "1", "name": "total", "type": "number", "value": "={{ $json.price * 2 }}"}
        ]
    }
}
_MESSAGE = {
    "resource": "message",
    "operation": "post",
    "select": "channel",
    "channelId": {"__rl": True, "mode": "id", "value": "C0123456789"},
    "text": "={{ $json.name }}: {{ $json.total }}",
}
_MAIL = {
    "resource": "message",
    "operation": "send",
    "sendTo": "ada@example.com",
    "subject": "Report",
    "message": "={{ $json.text }}",
}
_ROW = {
    "resource": "sheet",
    "operation": "append",
    "documentId": {"__rl": True, "mode": "id", "value": "1AbCdEfGhIjKlMnOpQrStUvWxYz012345"},
    "sheetName": {"__rl": True, "mode": "name", "value": "Orders"},
    "columns": {"mappingMode": "autoMapInputData", "value": {}, "matchingColumns": []},
    "options": {},
}
_CODE = {"jsCode": "return $input.all();"}


def _make_graph() -> ResolvedGraph:
    """Returns a workflow of ten nodes in a line, four of which send requests."""
    nodes = [
        node("Start", "manualTrigger", 1),
        node("Orders", "httpRequest", 4.2, _LIST),
        node("Total", "set", 3.4, _FIELDS),
        node("Code", "code", 2, _CODE),
        node("Post", "slack", 2.3, _MESSAGE),
        node("Few", "limit", 1),
        node("Mail", "gmail", 2.1, _MAIL),
        node("Sort", "sort", 1, {"sortFieldsUi": {"sortField": [{"fieldName": "id"}]}}),
        node("Row", "googleSheets", 4.5, _ROW),
        node("End", "noOp", 1),
    ]
    graph = N8N.reading.read(workflow(*nodes)).graph
    if graph is None:
        raise ValueError("the workflow cannot be read")
    registry = registry_from(provide_catalog().read_bytes())
    return resolve_graph(graph, N8N, registry, tuple)[0]


def _start() -> Stage:
    script = paths.n8n_home() / "node_modules" / "n8n" / "bin" / "n8n"
    installation = Installation(paths.node(), script, paths.REHEARSAL_PROXY / "src" / "proxy.js")
    stage = Stage(installation, paths.cache() / "test-rehearsal")
    stage.start()
    return stage


def _rehearse(stage: Stage, graph: ResolvedGraph) -> float:
    """Returns the seconds of a rehearsal; raises ValueError if it does not run to its end."""
    begin = time.perf_counter()
    rehearsal = rehearse(stage, CopyOrder(graph, {}), "timed")
    seconds = time.perf_counter() - begin
    if [run.execution.status for run in rehearsal.runs] != ["success"]:
        raise ValueError(f"{[run.execution.failure for run in rehearsal.runs]}")
    return seconds


def main() -> None:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warm", type=int, default=20)
    parser.add_argument("--cold", type=int, default=3)
    options = parser.parse_args()
    graph, cold, warm = _make_graph(), [], []
    for number in range(options.cold):
        begin = time.perf_counter()
        stage = _start()
        try:
            _rehearse(stage, graph)
            cold.append(time.perf_counter() - begin)
            if number == options.cold - 1:
                warm = [_rehearse(stage, graph) for _ in range(options.warm)]
        finally:
            stage.close()
    print(f"cold, with the start: {', '.join(f'{seconds:.1f}' for seconds in cold)} s")
    print(f"warm: p50 {statistics.median(warm):.2f} s, slowest {max(warm):.2f} s of {len(warm)}")


if __name__ == "__main__":
    main()
