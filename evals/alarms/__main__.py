"""Judges every alarm on the workflows next to the checkout and writes docs/false-alarms.md.

``python -m evals.alarms CATALOG`` starts a new n8n unless GROUNDED_TEST_N8N names one.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.alarms.alarm import CORPORA, DATA, find_alarms, read_shipped_workflows
from evals.alarms.by_server import Server
from evals.alarms.judges import judge_alarms
from evals.alarms.readings import Readings
from evals.alarms.table import Measured, format_page
from grounded_builder.catalog.registry import Registry
from runtime import install, n8n_server, paths
from runtime.n8n_server import N8nServer
from tests.support.n8n_server import HANDED_OVER, provide_catalog
from tests.support.n8n_workflows import clean_up_after
from tests.support.registries import registry_from

PAGE = paths.ROOT / "docs" / "false-alarms.md"
_WHAT = {
    "real": "2,000 workflows from 23 public repositories",
    "by models": "workflows written by models, most of them broken",
    "clean": "the originals of the corrupted workflows that `make drafts` repairs",
    "shipped": "templates and samples that n8n itself ships with",
}


def main(catalog: Path) -> None:
    """Judges all corpora, prints the figures and writes the page."""
    if not DATA.exists():
        raise SystemExit(f"{DATA} is absent: there is nothing to judge")
    registry = registry_from(catalog.read_bytes())
    with run_n8n() as server:
        measured = list(measure(registry, server))
    PAGE.write_text(format_page(measured, f"n8n {paths.n8n_version()}"))
    for item in measured:
        false, undecided = item.share("false"), item.share("undecided")
        print(f"{item.name}: {item.workflows:,} workflows, false {false:.2%}, open {undecided:.2%}")


def measure(registry: Registry, server: N8nServer) -> Iterator[Measured]:
    """Yields every corpus with its judged alarms."""
    with clean_up_after(server) as client:
        asked = Server(server, client)
        own = read_shipped_workflows(paths.n8n_home(), paths.node())
        for name, workflows in [*((c.name, c.workflows()) for c in CORPORA), ("shipped", own)]:
            results = list(find_alarms(workflows, registry))
            alarms = [alarm for _, items in results for alarm in items]
            judgements = judge_alarms(
                alarms, paths.n8n_home(), paths.node(), asked, Readings.load()
            )
            verdicts = list(zip(alarms, judgements, strict=True))
            yield Measured(name, _WHAT[name], len(results), verdicts)


@contextmanager
def run_n8n() -> Iterator[N8nServer]:
    """Yields the n8n named by the environment, or a new one that ends with the block."""
    handed = os.environ.get(HANDED_OVER)
    if handed:
        yield N8nServer.read(Path(handed))
        return
    install.install()
    with tempfile.TemporaryDirectory(prefix="alarms-") as folder:
        state = Path(folder)
        try:
            yield n8n_server.start(state)
        finally:
            n8n_server.stop(state)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else provide_catalog())
