"""The shim and the spare as compiled files: compiling at each launch would cost 4 of 12 ms.

Made once: every run of this process has the shim of this process's version.
"""

from __future__ import annotations

import ast
import marshal
from functools import lru_cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path

_HERE = Path(__file__).parent
_PARTS = f"{__package__}.shim_parts"


@lru_cache(maxsize=1)
def shim() -> bytes:
    """shim.py with its parts in the place of their import."""
    return _pyc("shim.py", [*_body("shim_parts.py"), *filter(_is_kept, _body("shim.py"))])


@lru_cache(maxsize=1)
def spare() -> bytes:
    return _pyc("spare.py", _body("spare.py"))


def _body(name: str) -> list[ast.stmt]:
    return ast.parse((_HERE / name).read_bytes(), name).body


def _is_kept(statement: ast.stmt) -> bool:
    return not (isinstance(statement, ast.ImportFrom) and statement.module == _PARTS)


def _pyc(name: str, body: list[ast.stmt]) -> bytes:
    code = compile(ast.Module(body, []), name, "exec", dont_inherit=True)
    return MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
