"""Which code a result comes from: a hash over the source files that can change one.

They are the packages and files of ``DECIDES``: what prepares texts, trains, answers and counts. What reads, shows or
schedules cannot change a figure and is left out, and so is how settings become a ``RunSpec``, which is in every key.
Versions of PyTorch and other packages are told in a run's environment and are not part of it.
"""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

DECIDES: tuple[str, ...] = (
    "assets/catalogue.py",
    "assets/named.py",
    "augment",
    "classifier.py",
    "config",
    "data",
    "decision",
    "evaluation/bands.py",
    "evaluation/judge.py",
    "evaluation/metrics.py",
    "export/encoder.py",
    "export/predictor.py",
    "llm",
    "losses",
    "methods",
    "models",
    "rebalance",
    "runs/data.py",
    "runs/execute.py",
    "runs/record.py",
    "training",
)
"""Places below the package's folder; of a folder, all Python files."""

_PACKAGE = Path(__file__).parent.parent


def code_hash(package: Path = _PACKAGE) -> str:
    """Hex SHA-256 over the files that decide results, their names included.

    Comments, docstrings and blank lines do not count: a better sentence makes no run stale.

    Args:
        package: the package's folder.
    """
    digest = hashlib.sha256()
    for place in DECIDES:
        path = package / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            for part in (file.relative_to(package).as_posix(), bare(file.read_text(encoding="utf-8"))):
                digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def bare(source: str) -> str:
    """The lines of a Python file that hold code, without comments."""
    lines = source.split("\n")
    unread = set(_lines_of_docstrings(source, lines))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        row, column = token.start[0] - 1, token.start[1]
        if token.type == tokenize.COMMENT:
            lines[row] = lines[row][:column].rstrip()
        elif token.type == tokenize.NL and not lines[row].strip():
            # Only outside strings: within a prompt, a blank line is read by a model.
            unread.add(row)
    return "\n".join(line for row, line in enumerate(lines) if row not in unread)


def _lines_of_docstrings(source: str, lines: list[str]) -> Iterator[int]:
    """Row numbers, from 0, of the strings that stand for themselves and have their lines to themselves."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        # Columns of a syntax tree count bytes.
        before = lines[first].encode()[: node.col_offset]
        after = lines[last].encode()[node.end_col_offset :].partition(b"#")[0]
        if not before.strip() and not after.strip():
            yield from range(first, last + 1)
