"""R52 as it was published."""

import pytest

from sharprecl.data import benchmarks
from sharprecl.data.imbalance import imbalance_ratio
from sharprecl.errors import AssetError


@pytest.fixture(scope="module")
def r52():
    return benchmarks.load_r52()


@pytest.mark.asset
def test_counts(r52):
    assert (len(r52.train), len(r52.test)) == (6532, 2568)
    assert r52.train.num_classes == 52
    assert r52.train.label_names == r52.test.label_names == tuple(sorted(r52.train.label_names))
    train = dict(zip(r52.train.label_names, r52.train.class_counts.tolist(), strict=True))
    test = dict(zip(r52.test.label_names, r52.test.class_counts.tolist(), strict=True))
    assert (train["earn"], train["platinum"], train["jet"], train["nickel"]) == (2840, 1, 2, 3)
    assert (test["earn"], test["platinum"], test["cpu"]) == (1083, 2, 1)
    assert min(test.values()) == 1
    assert imbalance_ratio(r52.train.class_counts) == 2840.0


@pytest.mark.asset
def test_notes_tell_what_the_files_hold(r52):
    notes = " ".join(r52.train.notes)
    assert "'platinum' has a single text" in notes
    assert "4 texts have more than one label" in notes
    assert (r52.train.origin, r52.test.origin) == ("R52 training set", "R52 test set")


@pytest.mark.asset
def test_texts_and_labels_belong_together(r52):
    first = r52.train
    assert first.label_names[first.label_ids[0]] == "cocoa"
    assert first.texts[0].startswith("bahia cocoa review showers continued")
    platinum = first.texts[first.label_ids.tolist().index(first.label_names.index("platinum"))]
    assert "platinum" in platinum


def test_a_file_of_another_kind(tmp_path, monkeypatch):
    path = tmp_path / "reuters-r52-train.tab"
    path.write_text("text\tlabel\n")
    monkeypatch.setattr(benchmarks, "r52_files", lambda progress: (path, path))
    with pytest.raises(AssetError, match="is not the file of R52; delete its folder"):
        benchmarks.load_r52()
