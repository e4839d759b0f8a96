"""The lexicon on a WordNet of a few synsets that we write ourselves, and on the real one."""

import shutil
import sys

import pytest

from sharprecl.augment.wordnet import WordNetLexicon
from sharprecl.errors import AssetError, MissingExtraError

# part, lexicographer file, type digit, names with tag counts. A sense number is the order of appearance.
SYNSETS = [
    ("n", 1, {"city": 9, "metropolis": 3, "urban_center": 1, "burg": 0}),
    ("n", 1, {"China": 5, "Cathay": 1}),
    ("n", 1, {"film": 4, "movie": 6, "pic": 1, "flick": 2}),
    ("n", 1, {"film": 1, "skin": 1}),
    ("n", 1, {"drink": 4, "beverage": 2}),
    ("v", 2, {"drink": 4, "imbibe": 2}),
    ("n", 1, {"carcinoma": 0, "growth": 7}),
    ("v", 2, {"see": 9, "view": 4, "the": 3, "tit": 1}),
    ("n", 1, {"nerve": 6}),
    ("n", 1, {"nerve": 3, "courage": 5}),
    ("a", 3, {"small": 9, "little": 8}),
    ("s", 5, {"tiny": 3, "bantam": 1}),
    ("n", 1, {"adult": 4, "grownup": 1, "gentleman": 2}),
]
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


@pytest.fixture(scope="module")
def tiny_wordnet(tmp_path_factory):
    """A folder that nltk's reader takes for WordNet."""
    folder = tmp_path_factory.mktemp("tiny") / "dict"
    folder.mkdir()
    data, index, senses = dict.fromkeys(FILES.values(), ""), {}, []
    for part, number, names in SYNSETS:
        file = FILES[part.replace("s", "a")]
        offset = len(data[file])
        words = " ".join(f"{name} 0" for name in names)
        pointers = "001 & 00000000 a 0000" if part == "s" else "000"  # a satellite has a head
        data[file] += f"{offset:08d} 03 {part} {len(names):02x} {words} {pointers} | a gloss  \n"
        for name, count in names.items():
            offsets = index.setdefault((file, name.lower()), [])
            offsets.append(offset)
            senses.append(f"{name.lower()}%{number}:03:00:: {offset:08d} {len(offsets)} {count}\n")
    for part, file in FILES.items():
        lines = [
            f"{name} {part} {len(o)} 0 {len(o)} 0 {' '.join(f'{x:08d}' for x in o)}\n"
            for (where, name), o in index.items()
            if where == file
        ]
        (folder / f"index.{file}").write_text("".join(lines))
        (folder / f"data.{file}").write_text(data[file])
        (folder / f"{file}.exc").write_text("")
    (folder / "index.sense").write_text("".join(sorted(senses)))
    (folder / "cntlist.rev").write_text("")
    (folder / "lexnames").write_text("".join(f"{i:02d} part.{i} 1\n" for i in range(45)))
    for path in folder.iterdir():
        path.chmod(0o644)
    return folder


@pytest.fixture(scope="module")
def lexicon(tiny_wordnet):
    return WordNetLexicon(tiny_wordnet)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("city", ("metropolis",)),  # no phrase, and no "burg" that nobody ever used
        ("cities", ()),  # "metropolis" looks like a plural itself
        (
            "film",
            ("movie", "flick", "pic"),
        ),  # most used first; the second sense holds exactly a fifth, but max. 3
        ("films", ("movies", "flicks", "pics")),
        ("china", ()),  # a name
        ("drink", ()),  # verb as often as noun
        ("carcinoma", ("growth",)),  # never tagged: takes what there is
        ("see", ("view",)),  # neither function words nor coarse ones
        ("saw", ()),  # an irregular form
        ("nerve", ()),  # its main sense has no other name
        ("small", ("little",)),
        ("tiny", ("bantam",)),  # a satellite adjective
        ("adults", ("grownups",)),  # "gentlemans" is no word
        ("unheard", ()),
        ("City", ()),  # callers ask in lower case
        ("a", ()),
        ("urban_center", ()),
        ("", ()),
    ],
)
def test_synonyms(lexicon, word, expected):
    assert lexicon.synonyms(word) == expected


@pytest.mark.parametrize(
    ("word", "known"),
    [("city", True), ("cities", True), ("seen", True), ("china", True), ("stadt", False), ("é", False)],
)
def test_knows(lexicon, word, known):
    assert lexicon.knows(word) is known
    assert lexicon.knows(word) is known


def test_second_sense_enters_when_it_has_its_share(tiny_wordnet):
    assert "skin" in WordNetLexicon(tiny_wordnet, most=9).synonyms("film")
    assert "skin" not in WordNetLexicon(tiny_wordnet, sense_share=0.3, most=9).synonyms("film")


def test_settings_name_the_content_and_load_nothing(tiny_wordnet, tmp_path):
    lexicon = WordNetLexicon(tiny_wordnet)
    settings = lexicon.settings()
    assert settings["name"] == "wordnet"
    assert "_reader" not in vars(lexicon)
    (tmp_path / "index.sense").write_text("another")
    assert WordNetLexicon(tmp_path).settings() != settings


@pytest.mark.parametrize("ask", [lambda x: x.settings(), lambda x: x.synonyms("city")])
def test_a_folder_without_wordnet_gets_one_sentence(tmp_path, ask):
    with pytest.raises(AssetError, match="cannot be read"):
        ask(WordNetLexicon(tmp_path / "absent"))


def test_an_index_that_points_beside_a_synset_gets_one_sentence(tiny_wordnet, tmp_path):
    folder = tmp_path / "dict"
    shutil.copytree(tiny_wordnet, folder)
    data = (folder / "data.noun").read_text()
    (folder / "data.noun").write_text(data[1:])
    with pytest.raises(AssetError, match="no synset begins at n 0"):
        WordNetLexicon(folder).synonyms("city")


@pytest.mark.parametrize("package", ["nltk", "simplemma"])
def test_a_missing_package_names_the_extra(tiny_wordnet, monkeypatch, package):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"sharprecl\[augment\]"):
        WordNetLexicon(tiny_wordnet).synonyms("city")


@pytest.mark.asset
def test_the_real_wordnet():
    lexicon = WordNetLexicon()
    assert lexicon.synonyms("city") == ("metropolis",)
    assert "movie" in lexicon.synonyms("film")
    assert "movies" in lexicon.synonyms("films")
    assert lexicon.synonyms("russia") == lexicon.synonyms("children") == lexicon.synonyms("zzyzx") == ()
    assert lexicon.synonyms("select")[0] in {"choose", "take", "pick"}
