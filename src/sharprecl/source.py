"""What of Python files is code: a better sentence in a docstring changes no result, and makes no run stale."""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path


def hash_sources(files: Iterable[tuple[str, Path]]) -> str:
    """Hex SHA-256 over Python files, each with a name.

    Comments, docstrings and blank lines do not count.
    """
    digest = hashlib.sha256()
    for name, path in files:
        for part in (name, _code(path.read_text(encoding="utf-8", errors="replace"))):
            digest.update(part.encode() + b"\0")
    return digest.hexdigest()


@cache
def _code(text: str) -> str:
    try:
        return bare(text)
    except (SyntaxError, ValueError, tokenize.TokenError):  # another language's, or a template that lies in a package
        return text


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
