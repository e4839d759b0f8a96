"""The page: what it says, that it harms nobody, needs no network, and is the same each time."""

import re
from dataclasses import replace

import pytest

from diagnoses import COUNTS, data, diagnosis, duplicates, label_errors
from sharprecl.doctor.diagnosis import Recommendation
from sharprecl.doctor.issues.base import Finding
from sharprecl.doctor.issues.duplicates import DuplicateGroup
from sharprecl.doctor.page import ROWS, write_page

EVIL = "<script>alert('x')</script> & \"q\""


def written(found, path) -> str:
    write_page(found, path)
    return path.read_text("utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    return written(diagnosis(errors=label_errors()), tmp_path_factory.mktemp("page") / "page.html")


def test_says_what_matters(page: str) -> None:
    for words in (
        "<h1>tickets.<wbr>csv: 472 of 475 rows usable, 5 classes</h1>",
        "1 problem, 7 warnings. Examined in 3 s",
        '<li class="problem"><b>problem</b><span>3 rows have no text',
        '<span class="cure">fill in or delete</span>',
        " ".join(f"<span>{word}</span>" for word in diagnosis().recommendation.command.split()),
        "which is what it is for",
        "Batches of 32",
        "rows 3 and 9",
        "row 7, test rows 4 and 5",
        "my card was charged twice",
        "<b><bdi>other</bdi></b>, rather <b><bdi>billing</bdi></b>",
        "97 % against 1 %; rare or mislabelled?",
    ):
        assert words.replace("'", "&#39;") in page or words in page, words
    assert page.count("<svg") == 3
    assert page.count("<tr><td data-v=") == 5


def test_needs_no_network(page: str) -> None:
    for target in re.findall(r"""(?:src|href|data|action)\s*=\s*["']([^"']*)""", page):
        assert target.startswith("#")
    assert "@import" not in page
    assert not re.search(r"url\((?!['\"]?#)", page)
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_ids_are_unique_and_references_resolve(page: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    used = re.findall(r'href="#([^"]+)"', page) + re.findall(r"url\(#([^)]+)\)", page)
    assert set(used) <= set(ids)


def test_same_input_same_bytes(page: str, tmp_path) -> None:
    assert written(diagnosis(errors=label_errors()), tmp_path / "again.html") == page


def test_user_text_is_harmless(tmp_path) -> None:
    counts = {EVIL: 9, "line\nbreak": 5, "\x1b": 2}
    found = diagnosis(
        name=EVIL,
        findings=(Finding("note", "x", EVIL, EVIL),),
        given=data(counts, counts, batch_size=4),
        same=duplicates(groups=(DuplicateGroup((1,), (), (EVIL,), EVIL),)),
        errors=label_errors(
            suspects=(replace(label_errors().suspects[0], label=EVIL, suggested=EVIL, text=EVIL),),
            confusions=((EVIL, EVIL, 3),),
            f1_by_class={EVIL: 0.5},
        ),
        recommendation=Recommendation(EVIL, (EVIL,)),
    )
    text = written(found, tmp_path / "evil.html")
    assert "<script>alert" not in text
    assert text.count("<script>") == 1
    assert text.count("&lt;script&gt;alert") >= 14
    assert ">&ndash;</td>" in text, "a class without an F1"


def test_without_errors_groups_and_test_file(tmp_path) -> None:
    text = written(diagnosis(same=duplicates(groups=())), tmp_path / "page.html")
    assert text.count("<svg") == 2
    assert "Labels that look wrong" not in text
    assert "not examined" in text
    assert "more than once" not in text
    assert "<button>Test</button>" not in text
    assert "<button>Test</button>" in written(diagnosis(data(COUNTS, COUNTS)), tmp_path / "test.html")


def test_of_many_classes_the_largest_and_the_smallest(tmp_path) -> None:
    counts = {f"class {place}": max(1, 9000 // (place + 1)) for place in range(3 * ROWS)}
    text = written(diagnosis(data(counts, batch_size=64)), tmp_path / "page.html")
    assert text.count("<tr><td data-v=") == ROWS
    assert "2,000 between them are left out" in text
    assert 'data-v="class 0"' in text
    assert f'data-v="class {3 * ROWS - 1}"' in text
    assert f'data-v="class {ROWS}"' not in text
    assert len(text) < 2_000_000
