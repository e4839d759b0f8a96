"""The files of the benchmarks that come from public repositories, each pinned by commit and SHA-256."""

from sharprecl.assets.remote import RemoteFile

_AUTHORS = ("KEAML-JLU", "SharpReCL", "363d557fe7fa3cd9c395dfb995d74a626b26387a")
_DUALCL = ("hiyouga", "Dual-Contrastive-Learning", "19cb149090f506eff5190bbef126583bad21963b")
_PTE = ("mnqu", "PTE", "7e13ee54a81da64f8bc8e9c0bf36b22910eec363")
_STC2 = ("jacoxu", "STC2", "34a28c5a8cf2d6e1db300d32f271f6522db3bde5")


def _files(commit: tuple[str, str, str], *files: tuple[str, int, str]) -> tuple[RemoteFile, ...]:
    owner, repository, revision = commit
    return tuple(RemoteFile(owner, repository, revision, path, sha256, size) for path, size, sha256 in files)


OHSUMED = _files(
    _AUTHORS,
    ("data/ohsumed_Train_aug.json", 790136, "75504c4683ffc852fa2d50e073258d6fb822bba2ede5143aa215c0cf1456aed7"),
    ("data/ohsumed_Test.json", 493716, "0798a02646452d7c25f52d40ce1a5c9babb5f41c1608683bf0ba8a91ddfd5070"),
)
TREC = _files(
    _AUTHORS,
    ("data/TREC_Train_aug.json", 869628, "06b50b8488ede7ced6d5988fcabb65ad20b2a0e9155ce1faa35ae407107510dc"),
    ("data/TREC_Test.json", 48462, "5ae98f229f256be756dbcf821ffb899c0ea0844211b762cbb222a33637665f59"),
)
DBLP = _files(
    _PTE,
    ("data/dblp/text_train.txt", 4004354, "bc56845bae8501d3a2d6806021871c400587ea2977728b4b629c1655e41d710f"),
    ("data/dblp/label_train.txt", 184437, "a1184eb942d1bf6e23f7ea39dabe29e935f31220ac8b48087712db3c6b4f12ef"),
    ("data/dblp/text_test.txt", 1297903, "7887356edf48118b9bb47be6122226e47d55268e1fd3d40a8827f347dfd49b02"),
    ("data/dblp/label_test.txt", 60000, "efa304a21712a9bfa6133843bce677003162d8b9da4e1e91396f83c921ae3ea2"),
)
BIOMEDICAL = _files(
    _STC2,
    ("dataset/Biomedical.txt", 1822214, "5824b74b2064a6b2940b15ab30bab8abe1bd42aa1ec4089e62a0ba28efa2ba87"),
    ("dataset/Biomedical_gnd.txt", 51000, "3e3d2b77aefc232661bb5b1723f123f4b23cf654c777a4a8b6d3c1ef752f836f"),
)
CR = _files(
    _DUALCL,
    ("data/CR_Train.json", 527037, "8d5351dce675950208bbba7cd4caa19e4da0baba8ddd51f00b4bbb3abbdd5e96"),
    ("data/CR_Test.json", 55857, "bc35abb837744b406ed6c7ee37a6aea380ad3e0fbc021b178b1a3d58b3d471e6"),
)
