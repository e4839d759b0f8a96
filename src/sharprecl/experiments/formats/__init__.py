"""A document as text: Markdown, LaTeX, HTML, or CSV in long form. Equal documents give equal bytes."""

from collections.abc import Callable, Mapping

from sharprecl.data.messages import closest
from sharprecl.errors import ConfigError
from sharprecl.experiments.formats.html import as_html
from sharprecl.experiments.formats.latex import as_latex
from sharprecl.experiments.formats.long_csv import as_csv
from sharprecl.experiments.formats.markdown import as_markdown
from sharprecl.experiments.sheets import Document

FORMATS: Mapping[str, Callable[[Document], str]] = {
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "html": as_html,
}
"""By the names that ``experiment table --format`` takes."""


def check_format(name: str) -> None:
    """See that there is such a format.

    Raises:
        ConfigError: there is none.
    """
    if name not in FORMATS:
        raise ConfigError(f"there is no format {name!r}{closest(name, FORMATS)}; choose one of {', '.join(FORMATS)}")


def write_document(document: Document) -> str:
    """The text of a document, in the format that it names."""
    return FORMATS[document.provenance.format](document)
