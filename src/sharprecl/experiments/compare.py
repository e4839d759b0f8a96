"""The plan of ``sharprecl compare``: some methods on one table of a user's own."""

from collections.abc import Mapping, Sequence
from typing import Any

from sharprecl.config import merge
from sharprecl.errors import ConfigError
from sharprecl.experiments.layout import Column
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.plan_file import make_plan
from sharprecl.runs.spec import FLOOR, WORDS


def compare_plan(
    data: str,
    methods: Sequence[str],
    *,
    text: str = "text",
    label: str = "label",
    test: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
    ir: float | None = None,
    seeds: int = 5,
    settings: Mapping[str, Any] | None = None,
) -> Plan:
    """Make a plan of one column.

    Args:
        data: a file with labelled texts, or a benchmark such as ``trec@50``.
        methods: names, at least two; TF-IDF with logistic regression stands beside them unasked. The one that is
            compared with the best other one is sharprecl, or else the last of them.
        text, label: the file's columns.
        test: a file with test texts; without, a part of ``data`` is held out.
        encoding, separator, sheet: of both files, where they are not to be recognised.
        ir: imbalance ratio that the training texts are thinned to.
        seeds: how many.
        settings: common to all methods, over those of the scale.

    Raises:
        ConfigError: fewer than two methods, one of them twice, or data that is neither a file nor a benchmark.
    """
    names = tuple(name for name in methods if name != WORDS)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ConfigError(
            f"compare needs two methods or more beside {WORDS}, each once, not {', '.join(names) or 'none'}"
        )
    given = {"data": data, "text": text, "label": label, "test": test, "encoding": encoding, "ir": ir}
    given |= {"separator": separator, "sheet": sheet}
    column = {key: value for key, value in given.items() if value != Column.model_fields[key].default}
    short = column == {"data": data}
    values = {
        "title": f"{', '.join(names)} on {data}",
        "columns": [data if short else column],
        "rows": {FLOOR: {"method": WORDS}, **dict.fromkeys(names)},
        "compared": "sharprecl" if "sharprecl" in names else names[-1],
        # The scale's tokens fit titles and questions; a user's texts may be longer.
        "settings": merge({"encoder": {"max_length": 128}}, settings or {}),
        "seeds": seeds,
    }
    return make_plan("compare", "sharprecl compare", values)
