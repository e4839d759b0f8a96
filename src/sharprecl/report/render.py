"""Pages out of templates: one file each that needs no network, in the style that all pages share."""

import re
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from sharprecl.extras import require
from sharprecl.files import write_text


def render(package: str, context: dict[str, Any], path: Path, purpose: str) -> None:
    """Write the page ``template.html`` of a package to ``path``, whole or not at all; values are escaped.

    A template extends ``page.html`` and may import from ``macros.html``, both beside this file.

    Raises:
        MissingExtraError: jinja2 is not installed; ``purpose`` says what for.
    """
    jinja2 = require("jinja2", "report", purpose)
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: files("sharprecl.report").joinpath(name).read_text("utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["breakable"] = _breakable
    source = files(package).joinpath("template.html").read_text("utf-8")
    page = environment.from_string(source).render(context)
    # Texts may hold lone surrogates (half an emoji), which UTF-8 cannot express.
    write_text(path, page.encode("utf-8", "replace").decode("utf-8") + "\n")


def _breakable(name: str) -> Any:
    """A name as markup that may be broken after its signs, as in ``card_<wbr>declined``, and stays whole elsewhere."""
    markup = import_module("markupsafe")
    return markup.Markup(re.sub(r"(?<=\w[_/.:|-])(?=\w)", "<wbr>", str(markup.escape(name))))
