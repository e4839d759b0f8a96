from sharprecl.augment.keyboard import NEIGHBOURS


def test_neighbours_are_mutual_letters_and_never_the_key_itself():
    assert sorted(NEIGHBOURS) == list("abcdefghijklmnopqrstuvwxyz")
    for letter, others in NEIGHBOURS.items():
        assert letter not in others
        assert all(letter in NEIGHBOURS[other] for other in others)


def test_known_keys():
    assert NEIGHBOURS["g"] == "bfhtvy"
    assert NEIGHBOURS["q"] == "aw"
    assert set("wedxza") <= set(NEIGHBOURS["s"])
