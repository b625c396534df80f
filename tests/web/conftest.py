"""One installation with its page for each file of tests, and browsers to look at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import CHROMIUM, a_tab
from page_client import PageClient, a_house
from playwright.sync_api import Browser, Page, sync_playwright

from journeys.house import House

WORKS = "echo new > new-$TORYO_RUN.txt\ngit add -A\ngit commit -qm work\necho said by the agent\n"
FAILS = "echo the build failed\nexit 3\n"


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with a_house() as made:
        made.agent(WORKS, "works")
        made.agent(FAILS, "fails")
        yield made


@pytest.fixture(scope="module")
def page(house: House) -> PageClient:
    return PageClient(house)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # --no-sandbox: Chromium refuses to be started by root otherwise, and CI's containers run as root
        begun = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield begun
        begun.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    with a_tab(browser) as opened:
        yield opened


@pytest.fixture
def other_tab(browser: Browser) -> Iterator[Page]:
    """Of another person: it shares nothing with the first."""
    with a_tab(browser) as opened:
        yield opened
