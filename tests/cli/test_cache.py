"""``sharprecl cache``: what it shows, what it clears, and what it never touches."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from fake_augmenters import Turned
from sharprecl.augment.cache import cached, views_folder
from sharprecl.cli.main import app


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder with a view, two assets, and things that are somebody's."""
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path))
    cached(Turned(), ["my card was charged twice"], 0, views_folder())
    for name in ("minilm-0.1.0", "wordnet-3.5", "repositories", "mine", "minilm-notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x" * 2_000_000)
    (tmp_path / "views" / "mine.jsonl").write_text("mine")
    return tmp_path


def said(*words: str) -> list[list[str]]:
    result = CliRunner().invoke(app, ["cache", *words], catch_exceptions=False)
    assert result.exit_code == 0
    return [line.split() for line in result.output.splitlines()]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_shows_what_lies_there_and_how_large(folder: Path) -> None:
    before = names(folder)
    first, views, *fetched = said()
    assert first == ["cache", "folder:", str(folder)]
    assert views[:3] == ["views", "0.0", "MB"]
    assert [line[:3] for line in fetched] == [
        [name, "2.0", "MB"] for name in ("minilm-0.1.0", "repositories", "wordnet-3.5")
    ]
    assert names(folder) == before


def test_clears_views_and_assets_only_if_asked(folder: Path) -> None:
    before = names(folder)
    assert ["views", "0.0", "MB", "cleared"] in said("clear")
    assert names(folder) == before
    assert names(views_folder()) == {"cache.lock", "mine.jsonl"}
    said("clear", "--assets")
    assert names(folder) == before - {"minilm-0.1.0", "wordnet-3.5", "repositories"}
    assert said("clear")[1][0] == "views", "an empty cache is no error"
