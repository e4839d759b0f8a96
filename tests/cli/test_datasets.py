"""``sharprecl datasets`` as a user types it."""

import json

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from mirror import EXPECTED, FROM_MIRROR, needs_mirror
from sharprecl.cli.datasets import datasets
from sharprecl.cli.show_statistics import show_statistics
from sharprecl.data.benchmarks import BENCHMARKS
from sharprecl.data.statistics import Statistics
from sharprecl.errors import AssetError, DataError


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(datasets, arguments)


def test_list_says_where_from_and_under_which_terms(cache) -> None:
    lines = run("list").stdout.splitlines()
    assert [line.split()[0] for line in lines[::4]] == list(BENCHMARKS)
    assert lines[5].strip() == "3358 training and 4043 test texts, 23 classes; not fetched yet, 1.3 MB"
    assert lines[6].strip() == "from: github.com/KEAML-JLU/SharpReCL at 363d557fe7fa, the paper's authors"
    assert all(line.strip().startswith("licence: ") for line in lines[3::4])
    assert not cache.exists()


@needs_mirror
def test_fetch_then_list(cache) -> None:
    result = run("fetch", "cr", "cr")
    (line,) = result.stdout.splitlines()
    assert line.startswith(f"cr          {cache / 'repositories' / 'hiyouga'}")
    assert result.stderr.splitlines() == [
        "fetching CR: data/CR_Train.json (527 kB)",
        "fetching CR: data/CR_Test.json (56 kB)",
    ]
    again = run("fetch", "cr")
    assert (again.stdout, again.stderr) == (result.stdout, "")
    assert "2 classes; in the cache" in run("list").stdout


@pytest.mark.parametrize("command", ["fetch", "stats"])
def test_a_wrong_name_among_right_ones_fetches_nothing(command: str, cache) -> None:
    result = run(command, "cr", "dlbp")
    assert isinstance(result.exception, DataError)
    assert "no benchmark 'dlbp' (did you mean 'dblp'?)" in str(result.exception)
    assert not cache.exists()


def test_a_mirror_without_the_file(cache, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("SHARPRECL_MIRROR", str(tmp_path))
    result = run("stats", "cr")
    assert isinstance(result.exception, AssetError)
    assert "CR_Train.json (No such file or directory)" in str(result.exception)


@needs_mirror
def test_json_holds_every_expected_figure_and_nothing_else_is_on_stdout() -> None:
    result = run("stats", *FROM_MIRROR, "--format", "json")
    values = json.loads(result.stdout)
    assert list(values) == list(FROM_MIRROR)
    for name in FROM_MIRROR:
        assert EXPECTED[name].items() <= values[name].items()
        assert set(values[name]) - set(EXPECTED[name]) == {"paper", "differences", "label_descriptions"}
    assert values["dblp"]["label_descriptions"]["6"] == "theory"
    assert "fetching" in result.stderr


@needs_mirror
def test_markdown() -> None:
    assert (
        "|  | files | 3394 | 376 | **5331** (1) | **19.1** (1) | 2 | 1.8 |"
        in run("stats", "cr", "--format", "markdown").stdout
    )


def test_the_table_fits_eighty_columns(capsys) -> None:
    show_statistics(Console(width=80), {name: Statistics(**EXPECTED[name]) for name in BENCHMARKS})
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[0].split() == ["Data", "set", "train", "test", "vocabulary", "mean", "words", "classes", "ir"]
    assert lines[2].split() == ["files", "6532", "2568", "26284", "[1]", "109.6", "[1]", "52", "2840.0", "[2]"]
    assert lines[9].split() == ["Biomedical", "paper", "17976", "1998", "18888", "12.9", "20", "1.1"]
    assert lines[1 + 2 * len(BENCHMARKS)].startswith("[1] R52: the paper counts TextGCN's cleaned version")
    assert ["DBLP", "103", "8", "19", "58", "57", "46"] in [line.split() for line in lines]


@needs_mirror
def test_text_is_the_default() -> None:
    assert "[1] CR: not reproduced" in run("stats", "cr").stdout
