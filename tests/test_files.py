"""Files are whole or absent."""

from pathlib import Path

import pytest

from sharprecl.files import atomic_path, sha256_file, sha256_json, write_json


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    write_json(path, {"b": 1, "a": "ü"})
    before = path.read_bytes()
    assert before.decode() == '{\n  "a": "ü",\n  "b": 1\n}\n'
    with pytest.raises(TypeError):
        write_json(path, {"a": object()})

    def fail_half_way() -> None:
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["value.json"]


def test_hashes_do_not_depend_on_the_order_of_keys(tmp_path: Path) -> None:
    assert sha256_json({"a": 1, "b": [2]}) == sha256_json({"b": [2], "a": 1}) != sha256_json({"a": 1, "b": [3]})
    (tmp_path / "f").write_bytes(b"abc")
    assert sha256_file(tmp_path / "f") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
