"""The lexicon on a WordNet of a few synsets that we write ourselves, and on the real one."""

import shutil
import sys
from collections import Counter

import pytest

from sharprecl.augment import wordnet
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
    """A folder with the files of WordNet that are read."""
    folder = tmp_path_factory.mktemp("tiny") / "dict"
    folder.mkdir()
    data, numbers, senses = dict.fromkeys(FILES.values(), ""), Counter(), []
    for part, number, names in SYNSETS:
        file = FILES[part.replace("s", "a")]
        offset = len(data[file])
        words = " ".join(f"{name} 0" for name in names)
        pointers = "001 & 00000000 a 0000" if part == "s" else "000"  # a satellite has a head
        data[file] += f"{offset:08d} 03 {part} {len(names):02x} {words} {pointers} | a gloss  \n"
        for name, count in names.items():
            numbers[file, name.lower()] += 1
            senses.append(f"{name.lower()}%{number}:03:00:: {offset:08d} {numbers[file, name.lower()]} {count}\n")
    for file, lines in data.items():
        (folder / f"data.{file}").write_text(lines)
    (folder / "index.sense").write_text("".join(sorted(senses)))
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


def test_second_sense_enters_when_it_has_its_share(tiny_wordnet, monkeypatch):
    monkeypatch.setattr(wordnet, "_MOST_SYNONYMS", 9)
    assert "skin" in WordNetLexicon(tiny_wordnet).synonyms("film")
    monkeypatch.setattr(wordnet, "_SENSE_SHARE", 0.3)
    assert "skin" not in WordNetLexicon(tiny_wordnet).synonyms("film")


def test_settings_name_the_content_and_load_nothing(tiny_wordnet, tmp_path):
    lexicon = WordNetLexicon(tiny_wordnet)
    settings = lexicon.settings()
    assert settings["name"] == "wordnet"
    assert "_senses" not in vars(lexicon)
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


def test_a_damaged_index_gets_one_sentence(tiny_wordnet, tmp_path):
    folder = tmp_path / "dict"
    shutil.copytree(tiny_wordnet, folder)
    index = folder / "index.sense"
    for damage in (b"half a line\n", b"city%9:03:00:: 00000000 1 9\n", b"\xff\xfe"):
        index.write_bytes((tiny_wordnet / "index.sense").read_bytes() + damage)
        with pytest.raises(AssetError, match=r"a line of index\.sense is damaged.*delete the folder"):
            WordNetLexicon(folder).synonyms("city")


def test_a_missing_package_names_the_extra(tiny_wordnet, monkeypatch):
    monkeypatch.setitem(sys.modules, "simplemma", None)
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
