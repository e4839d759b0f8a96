"""What is written goes to files: every option that names an output refuses the address of a storage."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from sharprecl.cli.main import app
from sharprecl.cli.outputs import on_disk
from sharprecl.errors import ConfigError
from typed import Shell


def outputs(command: Any) -> Iterator[Any]:
    for below in getattr(command, "commands", {}).values():
        yield from outputs(below)
    names = {"--output", "--to", "--fix", "--html", "--json"}
    # Of those that may be repeated, which are read, "--results" is the first name.
    yield from (
        pytest.param(option, id=f"{command.name} {option.opts[0]}")
        for option in command.params
        if option.opts[0] in names and not option.is_flag
    )


@pytest.mark.parametrize("option", [*outputs(get_command(app))])
def test_an_address_is_no_place_for_an_output(option: Any) -> None:
    with pytest.raises(ConfigError, match=f"{option.opts[0]} s3://bucket/answers.csv is the address of a storage"):
        option.callback(None, option, "s3://bucket/answers.csv")


@pytest.mark.parametrize("place", ["s3://b/a", "memory://a", "file:///a", "simplecache::s3://b", Path("gs://b/a")])
def test_an_address_is_known_also_after_it_became_a_path(place: str | Path) -> None:
    with pytest.raises(ConfigError, match="give a path, on a cluster one that all machines share"):
        on_disk(next(outputs(get_command(app))).values[0], place)


@pytest.mark.parametrize(
    "place", [None, "-", "a/b.csv", "/a/*.csv", "C:/a", "C:\\a", "ten: eleven/a", Path("a:b"), "a:/b"]
)
def test_a_path_is_taken_as_it_is(place: str | Path | None) -> None:
    assert on_disk(next(outputs(get_command(app))).values[0], place) is place


def test_nothing_is_made_for_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("text,label\na,b\n")
    status, _, err = Shell(monkeypatch, capsys, "augment", "data.csv")("--output", "s3://bucket/more.csv")
    assert status == 2
    assert err.startswith("sharprecl: --output s3://bucket/more.csv is the address of a storage, and only files are")
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]
