"""The small real repository of the demo, as text: a tea house with a menu, a bill and tests."""

from __future__ import annotations

NAME = "teahouse"

CHECK = "python3 -m unittest"
"""What `toryo init` finds in it by itself."""

MENU_FILE, BILL_FILE, README = "teahouse/menu.py", "teahouse/bill.py", "README.md"

FILES = {
    ".gitignore": "__pycache__/\n",
    README: "# The tea house\n\nOne menu, one bill.\n",
    "teahouse/__init__.py": "",
    MENU_FILE: '''"""What is served, and its price in yen."""

MENU = {"sencha": 450}
''',
    BILL_FILE: '''"""What a table pays."""

from teahouse.menu import MENU


def total(cups):
    return sum(MENU[cup] for cup in cups)
''',
    "tests/__init__.py": "",
    "tests/test_bill.py": """import unittest

from teahouse.bill import total
from teahouse.menu import MENU


class Bill(unittest.TestCase):
    def test_a_bill_is_the_sum_of_its_cups(self):
        self.assertEqual(total(["sencha", "sencha"]), 900)

    def test_a_bill_is_in_whole_yen(self):
        for count in range(1, 6):
            self.assertIsInstance(total(["sencha"] * count), int)

    def test_nothing_is_free(self):
        self.assertTrue(all(price > 0 for price in MENU.values()))
""",
}
