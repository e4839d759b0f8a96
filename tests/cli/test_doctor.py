"""``sharprecl doctor`` as a user types it."""

import json
import re
from pathlib import Path

import pytest

from doctor_files import clean_rows, write
from sharprecl.doctor import page
from typed import Shell

pytestmark = pytest.mark.asset
COLUMNS = ("--text", "body", "--label", "queue")


@pytest.fixture
def doctor(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """Runs ``sharprecl doctor ARGUMENTS`` in a folder with a file; gives status, standard output and error."""
    write(tmp_path / "tickets.csv", [("", "billing"), *clean_rows(20)])
    write(tmp_path / "held_out.csv", clean_rows(5, seed=1))
    monkeypatch.chdir(tmp_path)

    return Shell(monkeypatch, capsys, "doctor")


def test_the_text_goes_out_the_progress_to_standard_error(doctor) -> None:
    status, out, err = doctor("tickets.csv", *COLUMNS, "--test", "held_out.csv")
    assert status == 0
    assert out.startswith("tickets.csv: 80 of 81 rows usable, 4 classes\n0 problems, 1 warning\n")
    assert "1 row has no text in column 'body': row 1 (line 2)" in out
    command = next(line for line in out.splitlines() if line.startswith("sharprecl train"))
    assert command.startswith(
        "sharprecl train tickets.cleaned.csv --text body --label queue --test held_out.csv --output "
        "runs/tickets.cleaned --method"
    )
    fix = "sharprecl doctor tickets.csv --text body --label queue --test held_out.csv --fix tickets.cleaned.csv"
    assert f"{fix}\n- --fix: 1 row cannot be used\nsharprecl train" in out.replace(" \n", "\n").replace(" \n", "\n")
    assert err.splitlines()[0] == "reading"
    assert "reading" not in out


def test_json_alone_in_a_pipe(doctor) -> None:
    status, out, _ = doctor("tickets.csv", *COLUMNS, "--json", "-", "--batch-size", "8", "--seed", "3")
    found = json.loads(out)
    assert status == 0
    assert set(found) == {
        "name", "rows", "usable", "findings", "label_names", "distribution", "batches", "duplicates", "texts",
        "label_errors", "recommendation", "seconds",
    }  # fmt: skip
    assert found["findings"][0]["severity"] == "warning"
    assert found["batches"]["batch_size"] == 8
    assert found["recommendation"]["command"].endswith("--batch-size 8 --seed 3")


def test_files_are_written_and_never_replaced_unasked(doctor, tmp_path: Path) -> None:
    files = ("--json", "out/figures.json", "--html", "out/page.html")
    status, out, _ = doctor("tickets.csv", *COLUMNS, *files)
    assert status == 0
    assert out.endswith("page     out/page.html\nfigures  out/figures.json\n")
    found = json.loads((tmp_path / "out/figures.json").read_text())
    assert list(found["distribution"]["counts"].values()) == sorted(
        found["distribution"]["counts"].values(), reverse=True
    )
    text = (tmp_path / "out/page.html").read_text().replace("<wbr>", "")
    assert "tickets.csv: 80 of 81 rows usable" in text
    assert not re.search(r"""(?:src|href)=["'](?!#)""", text)
    status, out, err = doctor("tickets.csv", *COLUMNS, *files)
    assert (status, out) == (2, "")
    assert "out/figures.json is there already; name another file, or add --overwrite" in err
    (tmp_path / "out/page.html").write_text("old")
    assert doctor("tickets.csv", *COLUMNS, *files, "--overwrite")[0] == 0
    assert (tmp_path / "out/page.html").read_text() != "old"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["figures.json", "page.html"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tickets.csv", "--html", "tickets.csv", "--overwrite"), "is the data itself, which is never changed"),
        (("tickets.csv", "--test", "held_out.csv", "--json", "./held_out.csv", "--overwrite"), "is the data itself"),
        (("tickets.csv", "--html", "."), "is a folder"),
        (("tickets.csv", "--html", "x", "--json", "./x"), "would be written twice"),
        (("r52", "--test", "held_out.csv"), "brings its own test texts"),
        (("nothing.csv",), "does not exist"),
        (("tickets.csv", "--label", "kind"), "has no column 'kind' for the labels"),
        (("tickets.csv", "--encoder", "./nowhere"), "the encoder folder './nowhere' does not exist"),
    ],
)
def test_what_cannot_be_is_one_sentence(doctor, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    options = COLUMNS if "--label" not in arguments else COLUMNS[:2]
    status, out, err = doctor(*arguments, *options)
    assert (status, out) == (2, "")
    assert words in err.splitlines()[-1]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_without_the_extra_the_page_is_refused_before_the_work(doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    from sharprecl.errors import MissingExtraError

    def missing(*_: str) -> None:
        raise MissingExtraError("the doctor's page needs 'matplotlib'; run: pip install 'sharprecl[report]'")

    monkeypatch.setattr(page, "require", missing)
    status, out, err = doctor("tickets.csv", *COLUMNS, "--html", "page.html")
    assert (status, out) == (2, "")
    assert err == "sharprecl: the doctor's page needs 'matplotlib'; run: pip install 'sharprecl[report]'\n"


def test_a_benchmark_by_its_name_as_the_documentation_shows_it(doctor, tmp_path: Path) -> None:
    status, out, _ = doctor("r52", "--json", "r52.json")
    assert status == 0
    found = json.loads((tmp_path / "r52.json").read_text())
    assert (found["name"], found["rows"]) == ("r52", 6532)
    assert found["recommendation"]["command"].startswith("sharprecl train r52 --output runs/r52 --drop-leaks")
    sentences = [finding["sentence"] for finding in found["findings"]]
    for words in (
        "the largest class ('earn') has 2,840.0 times the texts of the smallest ('platinum')",
        "1 class has a single text: 'platinum'",
        "16 further classes have under 10 texts (of 52)",
        "4 texts have more than one label",
        "6 of 2,568 test texts stand in training",
        "82 training texts repeat an earlier one",
        "15 test texts repeat an earlier one",
    ):
        assert any(words in sentence for sentence in sentences), words
    page = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text(encoding="utf-8")
    shown = [line.strip() for line in page.partition("    Labels\n")[2].partition("    Label errors")[0].splitlines()]
    figures = [line for line in shown if re.search(r"\S {2,}\S+(?: \S+)*$", line)]
    assert len(figures) >= 30
    printed = [line.strip() for line in out.splitlines()]
    # The last column is a trained model's, whose last digits are the machine's.
    cut = re.compile(r" +(?:[\d.]+|\N{EN DASH})$")
    rows = {cut.sub("", line) for line in printed} | set(printed)
    assert [line for line in figures if line not in rows and cut.sub("", line) not in rows] == []
