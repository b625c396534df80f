"""Accessibility of a page as axe-core sees it, with what the page's sources are built with."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

WEB = Path(__file__).parents[2] / "web"


def source() -> str:
    installed()
    return (WEB / "node_modules/axe-core/axe.min.js").read_text()


def serious(tab: Page, axe: str) -> list[tuple[str, str]]:
    tab.evaluate(axe)
    results: dict[str, Any] = tab.evaluate("axe.run()")
    return [
        (one["id"], str(one["nodes"][0]["html"])[:160])
        for one in results["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def installed() -> None:
    """Never skipped: what nobody compares is not what the sources build."""
    assert shutil.which("npm"), "needs Node, as `make clients` does"
    if not (WEB / "node_modules/axe-core").exists():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=WEB, check=True, timeout=600)
