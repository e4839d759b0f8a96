"""Pages out of templates: values are escaped, names that are missing are mistakes, a missing extra is named."""

import pytest

from sharprecl.errors import MissingExtraError
from sharprecl.report import render as module
from sharprecl.report.render import render


class Folder:
    """A stand-in for a package's files."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def joinpath(self, name: str) -> "Folder":
        return Folder({"": self.texts[name]})

    def read_text(self, _: str) -> str:
        return self.texts[""]


@pytest.fixture
def template(monkeypatch):
    def use(text: str) -> None:
        packages = {"mine": {"template.html": text}, "sharprecl.report": {"style.css": "p{color:red}"}}
        monkeypatch.setattr(module, "files", lambda package: Folder(packages[package]))

    return use


def test_values_are_escaped_and_shared_files_are_not(template, tmp_path) -> None:
    template('<style>{% include "style.css" %}</style><p>{{ name }}</p>')
    render("mine", {"name": "<b> \ud83d"}, tmp_path / "page.html", "the page")
    assert (tmp_path / "page.html").read_text("utf-8") == "<style>p{color:red}</style><p>&lt;b&gt; ?</p>\n"


def test_a_missing_name_leaves_no_file(template, tmp_path) -> None:
    import jinja2

    template("{{ nobody }}")
    with pytest.raises(jinja2.UndefinedError):
        render("mine", {}, tmp_path / "page.html", "the page")
    assert not list(tmp_path.iterdir())


def test_a_missing_extra_is_named(monkeypatch, tmp_path) -> None:
    def missing(module_name: str, extra: str, purpose: str) -> None:
        raise MissingExtraError(f"{purpose} needs {module_name} of [{extra}]")

    monkeypatch.setattr(module, "require", missing)
    with pytest.raises(MissingExtraError, match=r"the page needs jinja2 of \[report\]"):
        render("mine", {}, tmp_path / "page.html", "the page")
