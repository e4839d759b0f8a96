"""The store alone: all or nothing, and never a wrong text."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.augment import store
from sharprecl.augment.store import TextStore

KEYS = st.binary(min_size=32, max_size=32)
TEXTS = st.text(st.characters(codec=None), max_size=20)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.dictionaries(KEYS, TEXTS, max_size=5)), st.lists(KEYS, max_size=5), st.integers(1, 3))
def test_it_gives_what_was_put_last_under_each_key_and_nothing_else(tmp_path_factory, puts, others, a_query):
    with pytest.MonkeyPatch.context() as patch, TextStore(tmp_path_factory.mktemp("store")) as texts:
        patch.setattr(store, "_KEYS_A_QUERY", a_query)
        expected = {}
        for put in puts:
            texts.put(put)
            expected |= put
        assert texts.get([*expected, *others]) == expected


def test_a_text_under_another_key_is_damage(tmp_path):
    first, second = b"1" * 32, b"2" * 32
    with TextStore(tmp_path) as texts:
        texts.put({first: "one"})
    with closing(sqlite3.connect(tmp_path / "augmented.sqlite3")) as connection, connection:
        connection.execute("UPDATE texts_v1 SET key = ?", (second,))
    with TextStore(tmp_path) as texts:
        assert texts.get([first, second]) == {}


def test_all_of_a_put_or_nothing(tmp_path):
    keys = [bytes([number]) * 32 for number in range(3)]
    with TextStore(tmp_path) as texts:
        texts.put({keys[0]: "before"})
    with closing(sqlite3.connect(tmp_path / "augmented.sqlite3")) as connection, connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON texts_v1 WHEN new.text = CAST('second' AS BLOB) "
            "BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    with TextStore(tmp_path) as texts, pytest.warns(UserWarning, match=r"cannot be cached .* \(full\)"):
        texts.put({keys[1]: "first", keys[2]: "second"})
    with TextStore(tmp_path) as texts:
        assert texts.get(keys) == {keys[0]: "before"}
