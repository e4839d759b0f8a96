"""The data of a run."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirror import needs_mirror
from sharprecl.data.imbalance import cap_per_class, imbalanced_subset
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError, DataError
from sharprecl.runs.data import data_key, prepare, sample_test
from tiny_experiment import spec, write_table


def of_file(path: Path, **changes: object):
    return spec(data=str(path), ir=None, **changes)


def test_a_file_with_test_texts(tmp_path: Path) -> None:
    train, test = write_table(tmp_path / "train.csv"), write_table(tmp_path / "test.csv", seed=1)
    prepared = prepare(of_file(train, test=str(test)))
    assert prepared.train.content_hash == read_table(train).content_hash
    assert prepared.test.content_hash == read_table(test, label_names=prepared.train.label_names).content_hash
    assert prepared.record.gold == tuple(prepared.test.label_ids)
    assert prepared.record.train_counts == (16, 40, 2, 7)
    assert prepared.record.achieved_ir == 20
    assert prepared.record.label_names == ("access", "billing", "hardware", "shipping")
    assert prepared.train.notes == prepared.test.notes == ()


def test_files_as_excel_writes_them(tmp_path: Path) -> None:
    for name in ("train.csv", "test.csv"):
        plain = write_table(tmp_path / "plain.csv").read_text("utf-8").replace("billing", "Gebühren")
        (tmp_path / name).write_bytes(plain.encode("cp1252"))
    asked = of_file(tmp_path / "train.csv", test=str(tmp_path / "test.csv"))
    assert prepare(asked).record == prepare(replace(asked, encoding="cp1252")).record
    assert prepare(asked).record.label_names[0] == "Gebühren"


def test_without_test_texts_a_fifth_is_held_out_the_same_for_every_seed(tmp_path: Path) -> None:
    train = write_table(tmp_path / "train.csv")
    prepared = prepare(of_file(train))
    assert prepared.test.class_counts.tolist() == [3, 8, 1, 1]
    assert sorted(prepared.train.texts + prepared.test.texts) == sorted(read_table(train).texts)
    assert prepare(of_file(train, seed=3)).record == prepared.record


def test_texts_are_capped_before_they_are_thinned(tmp_path: Path) -> None:
    train, test = write_table(tmp_path / "train.csv"), write_table(tmp_path / "test.csv", seed=1)
    prepared = prepare(replace(of_file(train, test=str(test)), ir=4.0, train_cap=12, test_cap=9))
    assert prepared.train.content_hash == imbalanced_subset(cap_per_class(read_table(train), 12, 0), 4.0).content_hash
    assert prepared.train.class_counts.max() == 12
    assert len(prepared.test) == 9


def test_leaks_are_counted_and_other_texts_are_other_data(tmp_path: Path) -> None:
    train, test = write_table(tmp_path / "train.csv"), write_table(tmp_path / "test.csv", seed=1)
    apart, same = prepare(of_file(train, test=str(test))), prepare(of_file(train, test=str(train)))
    assert same.record.leaks == len(same.test)
    assert apart.record.leaks < same.record.leaks
    assert apart.record.hash != same.record.hash


def test_nothing_to_hold_out(tmp_path: Path) -> None:
    path = tmp_path / "single.csv"
    path.write_text("text,label\none,a\ntwo,b\n")
    with pytest.raises(DataError, match="give test texts"):
        prepare(of_file(path))


def test_what_decides_the_data() -> None:
    assert data_key(spec(0)) == data_key(spec(5, "bcl", embeddings=True))
    others = [{"data": "cr"}, {"ir": 10.0}, {"train_cap": 5}, {"test_cap": 5}, {"test": "x"}, {"text_column": "t"}]
    others += [{"label_column": "l"}, {"encoding": "cp1252"}]
    assert len({data_key(spec(**other)) for other in [{}, *others]}) == 9


@needs_mirror
def test_a_benchmark_at_a_ratio() -> None:
    prepared = prepare(spec(test_cap=100))
    assert sorted(prepared.record.train_counts, reverse=True) == [1250, 571, 261, 119, 54, 25]
    assert len(prepared.record.gold) == 100


def table(counts: list[int]) -> TextTable:
    labels = np.repeat(np.arange(len(counts)), counts)
    return TextTable(
        tuple(f"text {row}" for row in range(len(labels))), labels, tuple(map(str, range(len(counts)))), "t"
    )


@given(st.lists(st.integers(0, 60), min_size=2, max_size=12).filter(any), st.integers(1, 200))
def test_each_class_keeps_its_share(counts: list[int], cap: int) -> None:
    whole = table(counts)
    sample = sample_test(whole, cap)
    assert len(sample) == min(cap, len(whole))
    assert (sample.class_counts <= whole.class_counts).all()
    present = whole.class_counts > 0
    if present.sum() <= cap:
        assert (sample.class_counts[present] > 0).all()
        # Beside the one text that each has for sure, shares are right to the text.
        rest, sure = np.array(counts) - present, int(present.sum())
        if len(whole) > cap:
            assert (abs(sample.class_counts - present - (cap - sure) * rest / rest.sum()) < 1).all()


@given(st.permutations(range(30)), st.integers(1, 29))
def test_the_order_of_the_rows_does_not_matter(order: list[int], cap: int) -> None:
    whole = table([20, 8, 2])
    shuffled = sample_test(whole.select(order), cap)
    assert sorted(shuffled.texts) == sorted(sample_test(whole, cap).texts)
    places = {text: place for place, text in enumerate(whole.select(order).texts)}
    assert [places[text] for text in shuffled.texts] == sorted(places[text] for text in shuffled.texts)


def test_it_is_no_block_of_rows() -> None:
    kept = sample_test(table([1000]), 100).texts
    assert 20 < sum(int(text.split()[1]) < 500 for text in kept) < 80


def test_nothing_to_judge_on_is_refused() -> None:
    with pytest.raises(ConfigError, match="the least is 1"):
        sample_test(table([3, 2]), 0)
