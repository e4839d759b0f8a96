"""Frames and data sets of other libraries."""

from pathlib import Path

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sharprecl.data.sources import FileInMemory
from sharprecl.data.tables import read_rows, read_table
from sharprecl.errors import DataError

COLUMNS = {"text": ["x", "y", "z"], "label": ["b", "a", "b"]}


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, pl.LazyFrame, datasets.Dataset.from_dict, pa.table, pa.RecordBatch.from_pydict],
)
def test_every_library_gives_the_same_table(make):
    table = read_table(make(COLUMNS))
    assert table.content_hash == read_table((COLUMNS["text"], COLUMNS["label"])).content_hash


class TestArrow:
    def test_missing_values_and_the_origin(self):
        with pytest.raises(DataError, match="the pyarrow table: 1 row has no text: row 2"):
            read_table(pa.table({"text": ["x", None], "label": ["a", "b"]}), strict=True)

    @pytest.mark.parametrize("column", [pl.Series(["x", "y"]), pa.chunked_array([["x", "y"]])])
    def test_a_column_is_no_table(self, column):
        with pytest.raises(DataError, match="a table cannot be read from") as error:
            read_table(column)
        assert "\n" not in str(error.value)


class TestPandas:
    def test_missing_label_among_integers_is_missing_not_a_float(self):
        with pytest.raises(DataError, match="pandas frame: 1 row has no label: row 2"):
            read_table(pd.DataFrame({"text": ["x", "y", "z"], "label": [1, None, 2]}), strict=True)

    @pytest.mark.parametrize("dtype", [object, "string", "category"])
    def test_dtypes(self, dtype):
        frame = pd.DataFrame({"text": ["x", "y", None], "label": ["a", "b", "a"]}, dtype=dtype)
        with pytest.raises(DataError, match="1 row has no text: row 3"):
            read_table(frame, strict=True)
        assert read_table(frame.iloc[:2]).label_names == ("a", "b")

    def test_index_does_not_matter(self):
        frame = pd.DataFrame(COLUMNS, index=[7, 7, 9])
        assert read_table(frame).texts == ("x", "y", "z")

    def test_columns_of_one_name(self):
        frame = pd.DataFrame([["x", "a", "b"]], columns=["text", "label", "label"])
        with pytest.raises(DataError, match="columns 2 and 3"):
            read_table(frame)

    def test_numbered_columns(self):
        assert read_table(pd.DataFrame([["x", 1], ["y", 2]]), "0", "1").label_names == ("1", "2")

    def test_numbers_as_texts(self):
        with pytest.raises(DataError, match=r"rows 1 and 2 hold 1\.5 in column 'text', not a text"):
            read_table(pd.DataFrame({"text": [1.5, 2.5], "label": ["a", "b"]}))

    def test_rows_keep_other_columns(self):
        rows = read_rows(pd.DataFrame({"id": [1, 2], "text": ["x", "y"], "score": [0.5, np.nan]}))
        assert rows.records == [{"id": 1, "text": "x", "score": 0.5}, {"id": 2, "text": "y", "score": None}]


class TestPolars:
    def test_categories_and_nulls(self):
        frame = pl.DataFrame({"text": ["x", "y"], "label": pl.Series(["a", "b"], dtype=pl.Categorical)})
        assert read_table(frame).label_names == ("a", "b")
        with pytest.raises(DataError, match="1 row has no text: row 2"):
            read_table(pl.DataFrame({"text": ["x", None], "label": ["a", "b"]}), strict=True)

    def test_list_labels(self):
        with pytest.raises(
            DataError, match=r"rows 1 and 2 hold \['a'\] in column 'label', which names no single class"
        ):
            read_table(pl.DataFrame({"text": ["x", "y"], "label": [["a"], ["b"]]}))


class TestHub:
    @staticmethod
    def dataset(labels):
        kinds = {
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["neg", "pos", "never"]),
        }
        columns = {"text": [f"t{row}" for row in range(len(labels))], "label": labels}
        return datasets.Dataset.from_dict(columns, features=datasets.Features(kinds))

    def test_class_label_gives_its_names(self):
        table = read_table(self.dataset([1, 0, 1]))
        assert table.label_names == ("neg", "pos")
        assert table.label_ids.tolist() == [1, 0, 1]
        assert read_rows(self.dataset([1])).records == [{"text": "t0", "label": "pos"}]

    def test_withheld_labels_are_missing(self):
        with pytest.raises(DataError, match="2 rows have no label: rows 2 and 3"):
            read_table(self.dataset([1, -1, None]), strict=True)

    def test_format_does_not_matter(self):
        assert read_table(self.dataset([1, 0]).with_format("numpy")).texts == ("t0", "t1")

    def test_splits_and_streams_get_a_sentence(self):
        whole = self.dataset([0, 1])
        with pytest.raises(DataError, match=r"splits 'train' and 'test'; choose one"):
            read_table(datasets.DatasetDict(train=whole, test=whole))
        with pytest.raises(DataError, match="streaming=False"):
            read_table(whole.to_iterable_dataset())


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "xlsx"])
def test_a_file_in_memory_is_read_as_on_a_disk(tmp_path: Path, ending: str) -> None:
    path, frame = tmp_path / f"x.{ending}", pl.DataFrame({"id": ["1", "2"], "text": ['a "b",\nc', "é"]})
    write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "xlsx": frame.write_excel, "json": frame.write_json}
    write |= {"tsv": lambda path: frame.write_csv(path, separator="\t"), "parquet": frame.write_parquet}
    write[ending](path)
    found = read_rows(FileInMemory(path.name, path.read_bytes()))
    assert (found.records, found.origin) == (read_rows(path).records, path.name)
    with pytest.raises(DataError, match=rf"^x\.{ending} is empty"):
        read_rows(FileInMemory(path.name, b""))
