"""A healthy file is sent home, and of broken ones every planted fault is found, and nothing else."""

import random
from pathlib import Path

import pytest

from doctor_files import TOPICS, clean_rows, write
from sharprecl.data.tables import TextTable, read_table
from sharprecl.doctor.diagnosis import Diagnosis
from sharprecl.doctor.examine import examine
from sharprecl.doctor.issues.batches import Batches
from sharprecl.doctor.issues.class_sizes import ClassSizes
from sharprecl.doctor.issues.duplicates import Duplicates
from sharprecl.doctor.issues.label_errors import LabelErrors
from sharprecl.errors import AssetError, ConfigError, DataError

pytestmark = pytest.mark.asset
FLOOR = "words alone (TF-IDF with logistic regression) reach macro-F1"
EVEN = "the classes are even: the largest class"


def examined(path: Path, **options) -> Diagnosis:
    return examine(path, "body", "queue", **options)


def told(found: Diagnosis, *severities: str) -> list[str]:
    return [one.sentence for one in found.findings if one.severity in (severities or ("problem", "warning"))]


def notes(found: Diagnosis) -> list[str]:
    """Notes but for the two that every healthy file gets."""
    return [sentence for sentence in told(found, "note") if not sentence.startswith((FLOOR, EVEN))]


@pytest.fixture(scope="module")
def healthy(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("healthy") / "healthy.csv", clean_rows())


def test_a_healthy_file_gets_a_clean_bill(healthy: Path, tmp_path: Path) -> None:
    test = write(tmp_path / "test.csv", clean_rows(15, seed=1))
    stages: list[tuple[str, int, int]] = []
    found = examined(healthy, test=test, progress=lambda *stage: stages.append(stage))
    assert told(found) == []
    assert notes(found) == []
    assert (found.rows, found.usable, found.name) == (240, 240, str(healthy))
    assert set(found[ClassSizes].figures.counts.values()) == {60}
    assert found[LabelErrors].figures is not None
    assert (found[LabelErrors].figures.estimated, found[LabelErrors].figures.macro_f1) == (
        0,
        pytest.approx(1.0, abs=0.02),
    )
    assert found.recommendation.command.startswith("sharprecl train")
    assert "--method cross_entropy" in found.recommendation.command
    assert stages[0] == ("reading", 0, 1)
    assert all(0 <= done <= total for _, done, total in stages)
    assert len({stage for stage, _, _ in stages}) >= 4


def test_equal_input_gives_an_equal_diagnosis_and_a_table_the_same_as_its_file(healthy: Path) -> None:
    first, second = examined(healthy).to_json(), examined(healthy).to_json()
    table = examine(read_table(healthy, "body", "queue"), name="mine").to_json()
    for found in (first, second, table):
        del found["seconds"]
    assert first == second
    assert table["recommendation"]["command"].startswith("sharprecl train mine --output runs/mine --method")
    for found in (first, table):
        del found["name"], found["recommendation"]
    assert table == first


def test_blank_texts_and_missing_labels(tmp_path: Path) -> None:
    rows = clean_rows()
    for place in (3, 50, 51):
        rows[place] = (" ", rows[place][1])
    for place in (51, 120):
        rows[place] = (rows[place][0], "")
    found = examined(write(tmp_path / "blanks.csv", rows))
    assert told(found) == [
        "3 rows have no text in column 'body': rows 4 (line 5), 51 (line 52) and 52 (line 53)",
        "2 rows have no label in column 'queue': rows 52 (line 53) and 121 (line 122)",
    ]
    assert notes(found) == []
    assert (found.rows, found.usable) == (240, 236)


def test_planted_label_noise(tmp_path: Path) -> None:
    rows = clean_rows(150)
    random.seed(3)
    wrong = set(random.sample(range(len(rows)), 60))
    names = list(TOPICS)
    for place in wrong:
        text, label = rows[place]
        rows[place] = (text, names[(names.index(label) + 1) % 4])
    found = examined(write(tmp_path / "noise.csv", [("", "access"), *rows]))
    assert len(told(found)) == 2, "the blank row, which shifts all numbers, and the noise"
    assert "labels look wrong" in told(found)[1]
    assert notes(found) == []
    assert found[LabelErrors].figures is not None
    suspects = {suspect.row - 2 for suspect in found[LabelErrors].figures.suspects}
    assert suspects <= wrong, "nobody is accused falsely"
    assert 30 <= len(suspects) == found[LabelErrors].figures.estimated
    for suspect in found[LabelErrors].figures.suspects:
        assert suspect.label == rows[suspect.row - 2][1]
        assert suspect.label == names[(names.index(suspect.suggested) + 1) % 4], "what it was before"


def test_duplicates_with_two_labels_and_leaks(tmp_path: Path) -> None:
    rows, tests = clean_rows(), clean_rows(25, seed=1)
    rows += [(rows[0][0].upper() + "!", rows[0][1]), (rows[1][0], "access" if rows[1][1] != "access" else "billing")]
    tests[7] = rows[5]
    tests[9] = (rows[6][0] + " .", rows[6][1])
    found = examined(write(tmp_path / "twice.csv", rows), test=write(tmp_path / "test.csv", tests))
    labels = " and ".join(repr(label) for label in sorted({rows[1][1], rows[241][1]}))
    assert told(found)[0] == "2 of 100 test texts stand in training (2.0 %)"
    assert told(found)[1].startswith("1 text has more than one label, such as ")
    assert told(found)[1].endswith(f"({labels})")
    assert len(told(found)) == 2
    assert [note for note in notes(found) if "labels look" not in note and "label looks" not in note] == [
        "2 training texts repeat an earlier one (0.8 %)"
    ]
    by_rows = {group.rows: group for group in found[Duplicates].figures.groups}
    assert set(by_rows) == {(1, 241), (2, 242), (6,), (7,)}
    assert (by_rows[6,].test_rows, by_rows[7,].test_rows) == ((8,), (10,))
    assert "--drop-leaks" in found.recommendation.command


def test_a_file_that_is_not_what_its_ending_says(tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    path.write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(
        DataError, match=r"zip archive or an Excel workbook, whatever its ending '.csv' says; unpack it"
    ):
        examined(path)


def test_mojibake_and_mixed_scripts(tmp_path: Path) -> None:
    rows = clean_rows()
    for place in (10, 20, 30):
        rows[place] = (rows[place][0] + " café naïve".encode().decode("cp1252"), rows[place][1])
    greek = "καλημέρα η μπαταρία και η οθόνη δεν δουλεύουν σήμερα το πρωί"
    rows[100] = (greek, "hardware")
    found = examined(write(tmp_path / "mixed.csv", rows))
    assert told(found) == [
        "3 texts (1.2 %) hold characters of UTF-8 that were read in another encoding, such as 'Ã©': rows 11, 21 and 31"
    ]
    assert notes(found) == ["1 text is not in Latin script (Greek 0.4 %): row 101"]


def test_a_repeated_header_and_labels_that_are_hardly_classes(tmp_path: Path) -> None:
    rows = [(text, f"ticket {number}") for number, (text, _) in enumerate(clean_rows())]
    rows[100] = ("body", "queue")
    found = examined(write(tmp_path / "header.csv", rows))
    assert told(found, "problem") == [
        "1 row repeats the header: row 101 (line 102)",
        "239 different labels in 239 rows: column 'queue' hardly holds classes",
    ]
    assert found[LabelErrors].figures is None or found[LabelErrors].figures.estimated == 0


def test_one_giant_line(tmp_path: Path) -> None:
    rows = clean_rows()
    rows[17] = ("word " * 1_000_000, rows[17][1])
    found = examined(write(tmp_path / "giant.csv", rows))
    assert told(found) == ["texts of up to 5,000,000 characters, examined by their first 100,000: row 18 (line 19)"]
    assert [note.partition(" of the")[0] for note in notes(found)] == ["0.4 %"]


def test_as_many_classes_as_texts(tmp_path: Path) -> None:
    rows = [(text, f"class {number}") for number, (text, _) in enumerate(clean_rows(500))]
    found = examined(write(tmp_path / "classes.csv", rows))
    assert told(found, "problem") == ["2,000 different labels in 2,000 rows: column 'queue' hardly holds classes"]
    assert found[Batches].figures.pair_ratio is None
    assert found[ClassSizes].figures.single == 2000


def test_damage_in_the_test_file_alone_is_told_of(healthy: Path, tmp_path: Path) -> None:
    tests = clean_rows(15, seed=1)
    tests[3] = (tests[3][0] + " &amp;", tests[3][1])
    found = examined(healthy, test=write(tmp_path / "test.csv", tests))
    assert told(found) == ["test file: 1 text (1.7 %) holds HTML, such as '&amp;': row 4"]


def test_a_test_file_of_other_labels_is_left_out_and_said_so(healthy: Path, tmp_path: Path) -> None:
    test = write(tmp_path / "test.csv", [("some words", "x"), ("other words", "y")])
    found = examined(healthy, test=test)
    assert told(found) == [
        "test file: 2 rows have labels that training does not have ('x' and 'y'): rows 1 (line 2) and 2 (line 3)",
        "test file: no row can be used, so it was left out",
    ]
    assert found[ClassSizes].figures.test_counts == {}


def test_settings_that_cannot_be(healthy: Path) -> None:
    with pytest.raises(AssetError, match="no-such-folder"):
        examined(healthy, encoder="./no-such-folder")
    with pytest.raises(ConfigError, match="batch size"):
        examined(healthy, batch_size=0)


def test_the_data_is_not_touched(healthy: Path) -> None:
    before = healthy.read_bytes()
    examined(healthy)
    assert healthy.read_bytes() == before
    assert [path.name for path in healthy.parent.iterdir()] == ["healthy.csv"]


def test_copies_count_and_are_not_accused(healthy: Path, tmp_path: Path) -> None:
    rows = clean_rows()
    copies = rows[:100]
    lines = [f"{text},{label}," for text, label in rows]
    lines += [f"{text},{label},{place}" for place, (text, label) in enumerate(copies, start=1)]
    path = tmp_path / "augmented.csv"
    path.write_text("body,queue,augmented_from\n" + "".join(f"{line}\n" for line in lines))
    found, plain = examined(path), examined(healthy)
    assert told(found) == []
    (note,) = notes(found)
    assert note.startswith("100 of 340 rows are copies that sharprecl augment made")
    assert sum(found[ClassSizes].figures.counts.values()) == found.usable == 340
    assert found[Duplicates].figures == plain[Duplicates].figures
    assert found[LabelErrors].figures is not None
    assert (found[LabelErrors].figures.examined, found[LabelErrors].figures.estimated) == (240, 0)
    assert found[LabelErrors].figures.macro_f1 == plain[LabelErrors].figures.macro_f1


def test_the_training_file_as_test_file(healthy: Path) -> None:
    found = examined(healthy, test=healthy)
    assert len(told(found)) == 1
    assert told(found, "problem")[0].startswith("the test file: this is the training file")
    assert "--test" not in found.recommendation.command
    assert "--drop-leaks" not in found.recommendation.command


def test_the_batch_is_what_training_takes(tmp_path: Path) -> None:
    found = examined(write(tmp_path / "many.csv", clean_rows(270)))
    assert found.usable == 1080
    assert found[Batches].figures.batch_size == 32, "from 1,024 on"
    assert found.recommendation.reasons[-1].endswith(": 34 steps an epoch")


def test_a_frame_is_called_what_it_is() -> None:
    texts, labels = zip(*clean_rows(20), strict=True)
    found = examine((texts, labels))
    assert found.name == "the given lists"
    assert found.recommendation.command.startswith("sharprecl train data.csv --text text")
    assert isinstance(read_table((texts, labels)), TextTable)
