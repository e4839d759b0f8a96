"""Table 1 of the paper beside the files: every difference has its cause, and every cause its difference."""

from collections import Counter
from dataclasses import replace

import pytest

from mirror import EVERY, EXPECTED, benchmark, needs_mirror, statistics
from sharprecl.data.benchmarks import BENCHMARKS, SOURCES, benchmark_files
from sharprecl.data.comparison import FIGURES, compare, comparison_markdown, differences, to_json
from sharprecl.data.statistics import Statistics

THE_PAPER_S = [name for name in BENCHMARKS if SOURCES[name].table_1]


def expected(name: str) -> Statistics:
    return Statistics(**EXPECTED[name])


def test_the_paper_has_all_six() -> None:
    assert all(SOURCES[name].table_1.keys() == FIGURES.keys() for name in THE_PAPER_S)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_causes_and_differences_belong_together(name: str) -> None:
    explained = [figure for figures in SOURCES[name].differences for figure in figures]
    assert len(explained) == len(set(explained))
    assert set(explained) == set(differences(name, expected(name)))


def test_figures_agree_at_the_precision_of_the_paper() -> None:
    found = expected("trec")
    assert differences("trec", found).keys() == {"mean_words"}
    assert "ir" not in differences("trec", replace(found, ir_train=14.46))
    assert differences("trec", replace(found, ir_train=14.44))["ir"] == (14.5, 14.44)
    assert differences("trec", replace(found, vocab_all=8750))["vocabulary"] == (8751, 8750)


def test_footnotes_are_numbered_through_all_rows() -> None:
    comparison = compare({name: expected(name) for name in ("trec", "cr", "dblp")})
    assert [name for name, _ in comparison.notes] == ["trec", "cr", "dblp", "dblp"]
    marks = {name: [cell.note for cell in row.values()] for name, row in comparison.rows.items()}
    assert marks["trec"] == [None, None, None, 1, None, None]
    assert marks["cr"] == [None, None, 2, 2, None, None]
    assert marks["dblp"] == [3, None, 4, None, None, None]
    cell = comparison.rows["dblp"]["vocabulary"]
    assert (cell.printed, cell.found) == ("22.27", "25550")
    assert comparison.rows["cr"]["ir"].found == "1.8"


def test_a_cause_without_its_difference_is_not_told() -> None:
    mended = replace(expected("dblp"), train=61422)
    assert [cause for _, cause in compare({"dblp": mended}).notes] == [SOURCES["dblp"].differences["vocabulary",]]
    assert [difference["figures"] for difference in to_json("dblp", mended)["differences"]] == [["vocabulary"]]


def test_a_data_set_that_is_not_the_paper_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES, "cr", replace(SOURCES["cr"], table_1={}, differences={}))  # type: ignore[arg-type]
    table = comparison_markdown({name: expected(name) for name in ("trec", "cr")}).splitlines()
    assert table[4:6] == ["| CR | paper | - | - | - | - | - | - |", "|  | files | 3394 | 376 | 5331 | 19.1 | 2 | 1.8 |"]
    assert to_json("cr", expected("cr")) == {"paper": {}, "differences": []}


def test_json() -> None:
    value = to_json("cr", expected("cr"))
    assert value["paper"] == dict(zip(FIGURES, (3394, 376, 5542, 18.2, 2, 1.8), strict=True))
    assert [difference["figures"] for difference in value["differences"]] == [["vocabulary", "mean_words"]]


def test_markdown() -> None:
    lines = comparison_markdown({"cr": expected("cr")}).splitlines()
    assert lines[0] == "| data set |  | train | test | vocabulary | mean words | classes | ir |"
    assert lines[2] == "| CR | paper | 3394 | 376 | 5542 | 18.2 | 2 | 1.8 |"
    assert lines[3] == "|  | files | 3394 | 376 | **5331** (1) | **19.1** (1) | 2 | 1.8 |"
    assert lines[5] == f"1. CR: {SOURCES['cr'].differences['vocabulary', 'mean_words']}."
    assert "| CR | 5 | 0 | 0 | 1 | 0 | 0 |" in lines


@pytest.mark.asset
def test_the_causes_of_r52_hold() -> None:
    counts = expected("r52").train_counts, expected("r52").test_counts
    both = {name: counts[0][name] + counts[1][name] for name in counts[0]}
    assert (both["earn"], both["jet"], both["platinum"], min(both.values())) == (3923, 3, 3, 3)
    assert statistics("r52").ir_all == 1307.67
    found = benchmark("r52")
    words = Counter(word for text in found.train.texts + found.test.texts for word in text.split())
    assert sum(count >= 5 for count in words.values()) == 8892 + 135, "TextGCN's vocabulary, and NLTK's stop words"


@needs_mirror
def test_the_causes_of_the_others_hold() -> None:
    assert len(set(benchmark("ohsumed").train.texts)) == 3357
    assert statistics("dblp").vocab_train + 1 == 22270
    assert (statistics("trec").avg_words_all, statistics("trec").avg_words_train) == (10.33, 10.57)
    every = benchmark_files("biomedical")[0].read_text().splitlines()
    assert (len(every), len({word for title in every for word in title.split()})) == (20000, 18888)
    tested = set(benchmark("dblp").test.texts)
    assert sum(text in tested for text in benchmark("dblp").train.texts) == 70


@pytest.mark.parametrize("name", EVERY)
def test_the_files_give_what_the_table_shows(name: str) -> None:
    row = compare({name: statistics(name)}).rows[name]
    assert row == compare({name: expected(name)}).rows[name]
