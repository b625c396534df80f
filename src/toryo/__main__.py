"""`python -m toryo`: how one part starts another, whatever is on PATH."""

from __future__ import annotations

import sys

from toryo.main import main

if __name__ == "__main__":
    sys.exit(main())
