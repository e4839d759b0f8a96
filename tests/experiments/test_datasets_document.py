"""The plan of data sets as a table."""

import csv
import io

import pytest

from mirror import EXPECTED, needs_mirror
from sharprecl.errors import ConfigError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.document import make_document
from sharprecl.experiments.formats import write_document
from sharprecl.experiments.plan import load_plan, make_plan
from sharprecl.experiments.recipe import Recipe


@needs_mirror
def test_counts_stand_beside_table_1() -> None:
    recipe = Recipe("datasets", "smoke", columns=("cr",))
    document = make_document(load_plan("datasets"), Records({}, {}), recipe)
    text = write_document(document)
    assert "| CR | paper | 3394 | 376 | 5542 |" in text
    assert "| 3394 | 376 | **5331**<sup>1</sup> |" in text
    assert "- 1: CR: " in text
    rows = list(csv.DictReader(io.StringIO(write_document(document.as_format("csv")))))
    found = {row["quantity"]: row["value"] for row in rows if row["part"] == "files"}
    assert found["train"] == str(EXPECTED["cr"]["train"])
    assert found["vocabulary"] == str(EXPECTED["cr"]["vocab_all"])


def test_what_cannot_be_counted() -> None:
    with pytest.raises(ConfigError, match="there are r52, ohsumed"):
        make_document(load_plan("datasets"), Records({}, {}), Recipe("datasets", "smoke", columns=("sst",)))
    thinned = make_plan("mine", "mine.yaml", {"title": "Mine", "kind": "datasets", "columns": ["trec@50"]})
    with pytest.raises(ConfigError, match="sharprecl doctor"):
        make_document(thinned, Records({}, {}), Recipe("mine", "smoke"))
