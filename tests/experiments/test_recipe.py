"""How a table was made, as it stands in the table's file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.errors import ConfigError, DataError
from sharprecl.experiments.document import Document, LongFormValue
from sharprecl.experiments.formats import FORMATS, write_document
from sharprecl.experiments.recipe import Provenance, Recipe, check_replaceable, read_provenance

NAMES = st.lists(st.text(min_size=1, max_size=8), max_size=3).map(tuple)


@given(
    st.text(min_size=1, max_size=20),
    NAMES,
    NAMES,
    st.lists(st.integers(0, 99), max_size=3).map(tuple),
    NAMES,
    st.booleans(),
)
def test_read_back_from_every_format(
    plan: str,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    seeds: tuple[int, ...],
    results: tuple[str, ...],
    seconds: bool,
) -> None:
    for name in FORMATS:
        provenance = Provenance(Recipe(plan, "small", rows, columns, seeds, results, seconds), name, "f" * 64)
        document = Document("title", ("caption",), (), (), (LongFormValue("run", "score", 1.0),), provenance)
        assert read_provenance(write_document(document), "file") == provenance


def test_nothing_in_a_name_ends_a_comment() -> None:
    mark = Provenance(Recipe("a-->b\n%}{<!--.yaml", "small"), "html", "f").mark()
    assert "--" not in mark
    assert "\n" not in mark
    assert not set("<>") & set(mark)


def test_the_command_names_what_was_chosen() -> None:
    recipe = Recipe("plans/my plan.yaml", "small", ("without SSHM",), ("trec@50", "cr"), (0, 2), ("my runs",), True)
    assert recipe.command("latex") == (
        "sharprecl experiment table 'plans/my plan.yaml' --scale small --rows 'without SSHM' --columns trec@50,cr "
        "--seeds 0,2 --results 'my runs' --seconds --format latex"
    )


@pytest.mark.parametrize("text", ["| a | b |", 'sharprecl-table: {"plan": "main"}', "sharprecl-table: {nonsense}"])
def test_what_is_no_table_of_ours(text: str) -> None:
    with pytest.raises(DataError, match=r"table\.md"):
        read_provenance(text, "table.md")


def test_only_what_we_wrote_is_replaced(tmp_path: Path) -> None:
    check_replaceable(tmp_path / "new.md")
    (tmp_path / "ours.md").write_text('<!-- sharprecl-table: {"plan": "main"} -->')
    check_replaceable(tmp_path / "ours.md")
    (tmp_path / "plan.yaml").write_bytes(b"rows: \xff")
    with pytest.raises(ConfigError, match=r"plan\.yaml is there already"):
        check_replaceable(tmp_path / "plan.yaml")
