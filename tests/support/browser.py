"""Provides a headless Chromium that is logged in to the editor of n8n."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from runtime import paths
from runtime.n8n_server import N8nServer
from tests.support.time_bounds import PATIENCE_S

ARTIFACTS = paths.ROOT / ".state" / "test-artifacts"
_WIDE: ViewportSize = {"width": 1600, "height": 900}
# Elements that float over a node or belong to its ports are not part of it.
_MEASURE = """() => [...document.querySelectorAll('.vue-flow__node')].map(node => {
    const aside = '.vue-flow__handle, [data-test-id=canvas-node-toolbar]';
    const areas = [node.getBoundingClientRect()];
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        if (texts.currentNode.parentElement.closest(aside)) continue;
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        const area = range.getBoundingClientRect();
        if (area.width > 0 && area.height > 0) areas.push(area);
    }
    const x = Math.min(...areas.map(area => area.left));
    const y = Math.min(...areas.map(area => area.top));
    return {
        name: node.querySelector('[data-node-name]').dataset.nodeName,
        x, y,
        width: Math.max(...areas.map(area => area.right)) - x,
        height: Math.max(...areas.map(area => area.bottom)) - y,
    };
})"""
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True, slots=True)
class Box:
    """The area of a node on the page, in CSS pixels."""

    name: str
    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        """Checks whether the two boxes share a pixel."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


# The scope is not the session: while Playwright runs, its event loop occupies this thread, and
# tests that need another loop or none would fail.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Yields the system's Chromium without a window, with a new profile."""
    named = os.environ.get("GROUNDED_CHROMIUM") or shutil.which("chromium")
    if named is None:
        pytest.fail("Chromium is missing: run `scripts/system.sh browser` as root")
    with sync_playwright() as playwright:
        playwright.selectors.set_test_id_attribute("data-test-id")
        browser = playwright.chromium.launch(executable_path=named, args=list(_FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def logged_in(chromium: Browser, n8n: N8nServer) -> Iterator[BrowserContext]:
    """Yields the owner's logged-in context; its pages may only contact n8n."""
    context = chromium.new_context(base_url=n8n.url, viewport=_WIDE)
    try:
        # The defaults of Playwright are five seconds for assertions and thirty for pages.
        expect.set_options(timeout=PATIENCE_S * 1_000)
        context.set_default_timeout(PATIENCE_S * 1_000)
        context.route(
            re.compile(rf"^(?!{re.escape(n8n.url)})https?://"), lambda route: route.abort()
        )
        page = context.new_page()
        page.goto("/signin")
        page.locator("input[name=emailOrLdapLoginId]").fill(n8n.email)
        page.locator("input[name=password]").fill(n8n.password)
        page.get_by_test_id("form-submit-button").click()
        page.wait_for_url(re.compile(r"/(home|workflow)"))
        page.close()
        yield context
    finally:
        context.close()


@pytest.fixture
def editor(logged_in: BrowserContext) -> Iterator[Page]:
    """Yields an empty page of the owner's browser."""
    page = logged_in.new_page()
    yield page
    page.close()


def measure_nodes(page: Page) -> list[Box]:
    """Returns the area of each node and note on the canvas, including its labels."""
    evaluate: list[dict[str, Any]] = page.evaluate(_MEASURE)
    return [Box(**item) for item in evaluate]


def list_marked_nodes(page: Page) -> list[str]:
    """Returns the names of the nodes that n8n marks with issues."""
    nodes = page.get_by_test_id("canvas-node")
    wrong = nodes.filter(has=page.get_by_test_id("node-issues"))
    return [str(locator.get_attribute("data-node-name")) for locator in wrong.all()]


def save_picture(page: Page, name: str) -> Path:
    """Saves a screenshot of the page to the test artifacts."""
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    path = ARTIFACTS / f"{name}.png"
    page.screenshot(path=path)
    return path
