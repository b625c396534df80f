"""A person at the page in a real browser: their own tab, its rows, and what its page may not complain of."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from page_client import PageClient
from playwright.sync_api import Browser, Locator, Page, expect

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
IN_CHROMIUM = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/tools installs it)"),
]
COMES_MS = 30_000


@contextmanager
def a_tab(browser: Browser, **options: Any) -> Iterator[Page]:
    """Nobody else's cookies. What its page complains of fails the test."""
    context = browser.new_context(**options)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    expected = ("Failed to load resource", "WebSocket connection to")
    assert [one for one in complaints if not one.startswith(expected)] == []


def titled(words: str) -> str:
    """A title that nothing else has."""
    return f"{words} {uuid.uuid4().hex[:8]}"


def open_page(tab: Page, page: PageClient, view: str = "") -> None:
    tab.goto(page.address)
    expect(tab.get_by_role("link", name="Toryo, to all work")).to_be_visible()
    if view:
        tab.goto(f"{page.origin}/#/{view}")


def row(tab: Page, task: str) -> Locator:
    """In the tree."""
    return tab.locator(f"[role=treeitem][data-task='{task}']")


def need(tab: Page, subject: str) -> Locator:
    """In the list of what needs a person."""
    return tab.locator(f"[data-need='{subject}']")


def comes(shown: Locator) -> None:
    expect(shown).to_be_visible(timeout=COMES_MS)
