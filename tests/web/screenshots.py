"""Pictures of the page for the documents (`make screenshots`): the real daemon, a scripted model."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from browsing import CHROMIUM, row
from page_client import PageClient
from playwright.sync_api import Page, expect, sync_playwright

from journeys.house import House, build
from rehearsal.model_process import model_process
from toryo.fronts.demo.repository import FILES, NAME

WIDE = {"width": 1200, "height": 820}
NARROW = {"width": 360, "height": 720}
PATIENT_MS = 120_000

SERVES = """
sed -i 's/MENU = {\\(.*\\)}/MENU = {\\1, "{tea}": {price}}/' teahouse/menu.py
git commit -qam 'Serve {tea}'
"""
FORGETS = "sed -i 's/MENU = {.*/MENU = {}/' teahouse/menu.py\ngit commit -qam 'Tidy the menu'\n"
TRANSLATES = """
mkdir -p docs
echo '# 茶屋' > docs/README.ja.md
echo '# 営業時間' > HOURS.md
git add -A
git commit -qm 'Translate'
"""
LONG = """
echo 'Reading teahouse/bill.py'
echo '読み込み中: 割引の規則'
printf '\\033[32m✓\\033[0m tests/test_bill.py::test_a_bill_is_in_whole_yen\\n'
printf '\\033[31m✗\\033[0m tests/test_bill.py::test_a_discount_is_in_whole_yen\\n'
echo 'Editing teahouse/bill.py'
sleep 900
"""
QUESTION = {
    "id": "q1",
    "text": "What does a full card give?",
    "options": ["a free cup", "ten percent off"],
    "default": "a free cup",
}
PLAN = {
    "spec": "# Feature Specification: Online orders\n\n## User Scenarios & Testing\n\n"
    "### User Story 1 - Order ahead (Priority: P1)\n\n- A guest orders tea and picks it up.\n"
    "- **FR-001**: An order names its cups and the time of its pick-up.\n"
    "- **FR-002**: `total` says what it costs before it is sent.\n",
    "plan": "# Implementation Plan: Online orders\n\n1. The order and its total\n2. The time\n3. The guide",
    "tasks": [
        {"id": "T001", "title": "Keep an order and its total", "description": "teahouse/orders.py"},
        {"id": "T002", "title": "Choose the time of pick-up", "description": "", "depends_on": ["T001"]},
        {"id": "T003", "title": "注文の手引きを書く", "description": "", "depends_on": ["T001", "T002"]},
    ],
}


CARDS = "loyalty"
"""A word of the second request: by it the model knows which of them it is asked about."""


def part(purpose: str, answer: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"purpose": purpose, "replies": [{"answer": answer}], **more}


MODEL = {
    "model": [
        part("question", {"title": "Loyalty cards", "size": "normal", "questions": [QUESTION]}, when=CARDS),
        part("question", {"title": "Online orders", "size": "normal", "questions": []}),
        part("plan", PLAN),
        part("analyze", {"findings": []}),
    ]
}


@contextmanager
def tea_house() -> Iterator[tuple[House, dict[str, str]]]:
    """A crew in the middle of its day, and its tasks by name."""
    root = Path(tempfile.mkdtemp(prefix="tw"))
    house = build(root, FILES, branch="main")
    try:
        with model_process(root, MODEL) as model:
            house.ok("init", "--yes", "--name", NAME)
            house.ok("planner", "use", "--url", f"{model.url}/v1", "--model", "tea")
            yield house, a_day(house)
    finally:
        house.close()
        shutil.rmtree(root, ignore_errors=True)


def a_day(house: House) -> dict[str, str]:
    for name, tea, price in (("haru", "hojicha", 500), ("natsu", "matcha", 600)):
        house.agent(SERVES.replace("{tea}", tea).replace("{price}", str(price)), name, role="builder")
    house.agent(LONG, "aki", role="builder")
    house.agent("echo 'All of it is translated!'\nexit 1\n", "kitsune", role="writer")
    house.agent(TRANSLATES, "tanuki", role="writer")
    check = ("--check", "python3 -m unittest -q")
    made = {"hojicha": house.add("Serve hojicha", "--agent", "haru", *check)}
    house.rest(made["hojicha"])
    made["matcha"] = house.add("Serve matcha", "--agent", "natsu", *check, "--after", made["hojicha"])
    made["kitsune"] = house.add("Translate the README", "--agent", "kitsune")
    made["after"] = house.add("Print the translation", "--agent", "haru", "--after", made["kitsune"])
    made["tanuki"] = house.add("営業時間を日本語で書く", "--agent", "tanuki", "--write", "docs/**")
    house.rest(made["matcha"], made["kitsune"], made["tanuki"])
    made["mission"] = started(house, "Let guests order online", {"plan_ready"})
    house.ok("agent", "assign", "aki", "--default")
    house.ok("mission", "approve", made["mission"])
    made["aki"] = house.add("Discount for groups of three", "--agent", "aki", "--priority", "high")
    made["other"] = started(house, "Give guests a loyalty card", {"questions"})
    return made


def started(house: House, words: str, until: set[str]) -> str:
    house.ok("do", words, "--no-wait", "--json", "--new")
    mission = str(house.read("mission", "list")["missions"][-1]["id"])
    for _ in range(60):
        if house.read("mission", "show", mission)["reason"] in until:
            break
        house.toryo("mission", "wait", mission, "--timeout", "2")
    return mission


def pictures(tab: Page, house: House, page: PageClient, made: dict[str, str], to: Path) -> None:
    def take(name: str, view: str = "") -> None:
        tab.goto(f"{page.origin}/#/{view}")
        tab.wait_for_load_state("networkidle")
        tab.wait_for_timeout(1500)
        tab.mouse.move(0, 0)
        tab.screenshot(path=to / f"{name}.png")

    tab.goto(page.address)
    expect(row(tab, made["aki"])).to_be_attached(timeout=PATIENT_MS)
    take("work")
    take("mission", f"missions/{made['mission']}")
    take("task", f"tasks/{made['hojicha']}")
    tab.keyboard.press("w")
    tab.keyboard.press("2")
    tab.wait_for_timeout(800)
    tab.screenshot(path=to / "task.png")
    take("review", f"tasks/{made['matcha']}/review")
    take("queue", "queue")
    take("crew", "crew")
    # the repository is where this machine has its temporary files
    tab.get_by_text(str(house.repo), exact=True).evaluate("one => { one.textContent = '~/teahouse' }")
    tab.screenshot(path=to / "crew.png")
    take("events", "events")


def main(to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    with tea_house() as (house, made), sync_playwright() as playwright:
        page = PageClient(house)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for scheme, size, folder in (
            ("light", WIDE, to),
            ("dark", WIDE, to / "dark"),
            ("dark", NARROW, to / "narrow"),
        ):
            context = browser.new_context(viewport=size, color_scheme=scheme, timezone_id="Asia/Tokyo")
            folder.mkdir(exist_ok=True)
            pictures(context.new_page(), house, page, made, folder)
            context.close()
        browser.close()
    for folder in ("dark", "narrow"):
        (to / folder / "work.png").rename(to / f"work-{folder}.png")
        shutil.rmtree(to / folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
