"""The six benchmarks as they were published."""

from dataclasses import asdict
from pathlib import Path

import pytest

from mirror import BY_PIP, EVERY, EXPECTED, benchmark, needs_mirror, statistics
from sharprecl.data import benchmarks
from sharprecl.data.benchmarks import BENCHMARKS, SOURCES, load_benchmark
from sharprecl.data.imbalance import imbalance_ratio
from sharprecl.errors import AssetError, ConfigError, DataError


def test_names() -> None:
    assert BENCHMARKS == ("r52", "ohsumed", "trec", "dblp", "biomedical", "cr")
    assert [name for name in BENCHMARKS if SOURCES[name].labels_inferred] == ["dblp", "biomedical"]


@pytest.mark.parametrize("name", EVERY)
def test_every_figure_is_the_expected_one(name: str) -> None:
    assert asdict(statistics(name)) == EXPECTED[name]


@pytest.mark.parametrize("name", EVERY)
def test_both_tables_share_names_and_the_catalogue_knows_their_sizes(name: str) -> None:
    found, source = benchmark(name), SOURCES[name]
    assert found.name == name
    assert found.train.label_names == found.test.label_names == tuple(sorted(found.train.label_names))
    assert (len(found.train), len(found.test), found.train.num_classes) == (source.train, source.test, source.classes)
    assert (found.train.origin, found.test.origin) == (f"{source.title} training set", f"{source.title} test set")
    assert found.train.labels is found.train.label_ids
    ending = " " if name == BY_PIP else ""
    assert all(text == text.strip() + ending for text in found.train.texts + found.test.texts)
    assert not source.labels or source.labels.keys() == set(found.train.label_names)


@pytest.mark.asset
def test_r52() -> None:
    train = benchmark(BY_PIP).train
    assert train.label_names[train.labels[0]] == "cocoa"
    assert train.texts[0].startswith("bahia cocoa review showers continued")
    notes = " ".join(train.notes)
    assert "'platinum' has a single text" in notes
    assert "4 texts have more than one label" in notes
    assert not SOURCES[BY_PIP].labels


@needs_mirror
def test_ohsumed_keeps_its_repeated_row_and_its_case() -> None:
    train = benchmark("ohsumed").train
    assert train.texts[0] == train.texts[-1]
    assert train.texts[0].startswith("Cytomegalovirus pneumonia in allogeneic bone marrow transplantation.")
    assert [train.label_names[train.labels[row]] for row in (0, -1)] == ["C08", "C08"]
    assert SOURCES["ohsumed"].labels["C08"] == "Respiratory Tract Diseases"


@needs_mirror
def test_dblp_keeps_double_spaces_and_loses_those_at_the_ends() -> None:
    train = benchmark("dblp").train
    assert train.texts[1] == "alias  an active learning led interactive deduplication system"
    assert [train.label_names[label] for label in train.labels[:6]] == ["2", "1", "3", "2", "6", "3"]


@needs_mirror
def test_biomedical_is_in_the_order_of_its_file_and_the_split_is_fixed() -> None:
    """The hashes hold the split: another shuffle gives other tables."""
    found = benchmark("biomedical")
    for table in (found.train, found.test):
        numbers = [int(table.label_names[label]) for label in table.labels]
        assert numbers == sorted(numbers)
    assert found.train.texts[0].startswith("histochemical and autoradiographic studies on the effects of aging")
    assert (found.train.content_hash[:16], found.test.content_hash[:16]) == ("21c50eb55876fb3f", "413c0c579193f6cf")


@needs_mirror
def test_a_ratio_thins_the_training_table_only() -> None:
    whole = benchmark("trec")
    thin = load_benchmark("trec", ir=50, seed=3)
    assert imbalance_ratio(thin.train.class_counts) == pytest.approx(50, rel=0.05)
    assert set(thin.train.texts) < set(whole.train.texts)
    assert thin.test.content_hash == whole.test.content_hash
    assert load_benchmark("trec", ir=50, seed=4).train.content_hash != thin.train.content_hash
    assert len(load_benchmark("trec", ir=50, profile="geometric_step").train) < len(thin.train)
    with pytest.raises(ConfigError, match="at least 1"):
        load_benchmark("trec", ir=0.5)


@pytest.mark.parametrize(("name", "guess"), [("R52", "'r52'"), ("oshumed", "'ohsumed'")])
def test_unknown_names(name: str, guess: str) -> None:
    with pytest.raises(
        DataError, match=rf"no benchmark '{name}' \(did you mean {guess}\?\); the known ones are r52, oh"
    ):
        load_benchmark(name)


def test_a_file_of_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "reuters-r52-train.tab"
    path.write_text("text\tlabel\n")
    monkeypatch.setattr(benchmarks, "r52_files", lambda progress: (path, path))
    with pytest.raises(AssetError, match="is not the file of R52; delete its folder"):
        load_benchmark("r52")
